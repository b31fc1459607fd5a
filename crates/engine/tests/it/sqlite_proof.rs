//! SQLite takes the pragmas that a proof is written as: the file that the report's tests hold against what is rendered.

#![cfg(feature = "sqlite")]

use rusqlite::types::Value;
use rusqlite::{Connection, Row};
use std::fs;
use std::path::Path;

fn text(row: &Row<'_>) -> Result<String, rusqlite::Error> {
    Ok(match row.get(0)? {
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => text,
        other => panic!("{other:?}"),
    })
}

#[test]
fn sqlite_has_every_pragma_of_a_proof_after_its_file() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests/proven/sqlite.sql");
    let pragmas = fs::read_to_string(golden).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let connection = Connection::open(directory.path().join("database")).unwrap();
    connection.execute_batch(&pragmas).unwrap();
    connection.execute_batch("CREATE TABLE entries (key INTEGER)").unwrap();
    let set = |line: &str| {
        let (name, value) = line.strip_prefix("PRAGMA ")?.trim_end_matches(';').split_once(" = ")?;
        Some((name.to_owned(), value.to_owned()))
    };
    let set: Vec<(String, String)> = pragmas.lines().filter_map(set).collect();
    assert!(set.len() >= 4 && set.iter().any(|(name, _)| name == "page_size"), "{pragmas}");
    for (name, value) in set {
        let found = connection.pragma_query_value(None, &name, text).unwrap();
        assert!(found.eq_ignore_ascii_case(&value), "{name} = {found}, and {value} was set");
    }
}
