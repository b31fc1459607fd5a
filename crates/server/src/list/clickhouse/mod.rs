//! ClickHouse: a transaction is an insert into a MergeTree, acknowledged before or after a sync as `fsync_after_insert`
//! says.
//!
//! Its engine is that of chdb-core, a library of Python, in a process that answers on a socket (`engine.py`). A
//! MergeTree has no updates by key, so a new version is a new row, and the newest one of each key counts.

use crate::contract::ROWS_OF_A_TRANSACTION;
use crate::home::write_readable;
use crate::{Client, Home, Programs, Promise, Row, Server, ServerError, Write};
use model::DurabilityClass;
use std::io::{self, Read, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const TITLE: &str = "ClickHouse";
/// "INSERT into one partition, of one table, of the MergeTree family".
const INSERTS: &str = "https://clickhouse.com/docs/concepts/features/operations/insert/transactions";
const REPEATS: &str =
    "https://clickhouse.com/docs/concepts/features/operations/insert/deduplicating-inserts-on-retries";
const ENGINE: &str = include_str!("engine.py");
/// The folder of libraries in the tree that scripts/install-servers makes.
const LIBRARIES: &str = "usr/lib/python3/dist-packages";
/// An engine that hangs does not hold up a connection for longer.
const ANSWER_LIMIT: Duration = Duration::from_mins(1);

const AFTER_INSERT: (&str, &str) = ("fsync_after_insert", "1");
const DIRECTORY: (&str, &str) = ("fsync_part_directory", "1");

pub(super) struct ClickHouse;

impl Server for ClickHouse {
    fn name(&self) -> &'static str {
        "clickhouse"
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn promises(&self) -> Vec<Promise> {
        vec![
            Promise::new(DurabilityClass::Power, INSERTS, &[AFTER_INSERT, DIRECTORY]),
            // "If the inserted data is marked as a duplicate, ClickHouse does not insert it"
            Promise::new(
                DurabilityClass::Power,
                REPEATS,
                &[("non_replicated_deduplication_window", "1000"), AFTER_INSERT, DIRECTORY],
            )
            .deduplicating(),
            // "ClickHouse can ask the OS to sync the filesystem data on the storage media (controlled by the
            // fsync_after_insert setting)": no other setting is named there.
            Promise::new(DurabilityClass::Power, INSERTS, &[("fsync_part_directory", "0"), AFTER_INSERT]),
            // "a successful INSERT is written to the filesystem before answering to the client"
            Promise::new(DurabilityClass::Process, INSERTS, &[("fsync_after_insert", "0")]).by_default(),
        ]
    }

    fn rows_at_once(&self) -> usize {
        ROWS_OF_A_TRANSACTION
    }

    fn find(&self, trees: Option<&Path>) -> Result<Programs, ServerError> {
        Programs::find(&["clickhouse-python"], "chdb-core by scripts/install-servers", trees)
    }

    /// No option has the settings of MergeTrees.
    fn configure(&self, home: &Home, settings: &[(&str, &str)]) -> Result<(), ServerError> {
        let settings = settings.iter().map(|(name, value)| format!("<{name}>{value}</{name}>"));
        let log = "<logger><console>1</console></logger><log-level>error</log-level>";
        let merge_tree = settings.collect::<String>();
        let text = format!("<clickhouse>{log}<merge_tree>{merge_tree}</merge_tree></clickhouse>\n");
        write_readable(&configuration(home), &text)
    }

    fn command(&self, programs: &Programs, home: &Home, _settings: &[(&str, &str)]) -> Command {
        let mut command = python(programs, ENGINE);
        // The engine makes a folder for temporary files, and a kill leaves it.
        command.env("TMPDIR", home.run());
        command.arg(home.data()).arg(configuration(home)).arg(home.socket());
        command
    }

    fn version(&self, programs: &Programs) -> String {
        let version =
            "import chdb; print('ClickHouse', chdb.engine_version, 'of chdb-core', chdb.__version__)";
        let output = python(programs, version).output().map(|output| output.stdout).unwrap_or_default();
        String::from_utf8_lossy(&output).trim().to_owned()
    }

    fn connect(&self, home: &Home) -> Result<Box<dyn Client>, ServerError> {
        let path = home.socket();
        let stream = UnixStream::connect(&path).map_err(ServerError::on("connect to", &path))?;
        stream.set_read_timeout(Some(ANSWER_LIMIT)).map_err(ServerError::on("set a timeout of", &path))?;
        let mut client = ClickHouseClient { stream };
        client.ask("SELECT 1")?;
        Ok(Box::new(client))
    }

    /// `2026.11.27 12:00:00.000000 [ 1234 ] {} <Error> …`: also `<Fatal>`, and the exception that ends a start.
    fn is_complaint(&self, line: &str) -> bool {
        [" <Error> ", " <Fatal> ", "DB::Exception: "].iter().any(|severity| line.contains(severity))
    }
}

fn configuration(home: &Home) -> PathBuf {
    home.around().join("clickhouse.xml")
}

/// A program of Python with the library. It writes nothing beside it.
fn python(programs: &Programs, text: &str) -> Command {
    let mut command = programs.command();
    command.env("PYTHONPATH", programs.file(LIBRARIES)).args(["-B", "-c", text]);
    command
}

struct ClickHouseClient {
    stream: UnixStream,
}

fn refused(why: &str) -> ServerError {
    ServerError::Refused { server: TITLE, why: why.to_owned() }
}

impl ClickHouseClient {
    /// The result of a statement.
    fn ask(&mut self, statement: &str) -> Result<Vec<u8>, ServerError> {
        let (is_refused, answer) = self.exchange(statement).map_err(ServerError::refused(TITLE))?;
        if is_refused {
            return Err(refused(String::from_utf8_lossy(&answer).lines().next().unwrap_or_default()));
        }
        Ok(answer)
    }

    /// Whether the engine refused a statement, and what it says.
    fn exchange(&mut self, statement: &str) -> io::Result<(bool, Vec<u8>)> {
        let length = (statement.len() as u32).to_le_bytes();
        self.stream.write_all(&[&length, statement.as_bytes()].concat())?;
        let mut head = [0; 5];
        self.stream.read_exact(&mut head)?;
        let [is_refused, length @ ..] = head;
        let mut answer = vec![0; u32::from_le_bytes(length) as usize];
        self.stream.read_exact(&mut answer)?;
        Ok((is_refused != 0, answer))
    }
}

impl Client for ClickHouseClient {
    fn prepare(&mut self) -> Result<(), ServerError> {
        self.ask("CREATE DATABASE IF NOT EXISTS syncline")?;
        let table = "CREATE TABLE IF NOT EXISTS syncline.rows (key UInt64, text String)";
        self.ask(&format!("{table} ENGINE = MergeTree ORDER BY key")).map(drop)
    }

    fn write(&mut self, writes: &[Write]) -> Result<(), ServerError> {
        let values: Vec<String> =
            writes.iter().map(|write| format!("({}, '{}')", write.row.key(), write.text())).collect();
        self.ask(&format!("INSERT INTO syncline.rows VALUES {}", values.join(", "))).map(drop)
    }

    /// Merges parts, without a sync.
    fn checkpoint(&mut self) -> Result<(), ServerError> {
        self.ask("OPTIMIZE TABLE syncline.rows").map(drop)
    }

    fn rows(&mut self, visit: &mut dyn FnMut(Row, &[u8])) -> Result<(), ServerError> {
        if self.ask("EXISTS TABLE syncline.rows")? != b"1\n" {
            return Err(ServerError::NoTable { server: TITLE, why: "it has no table of rows".to_owned() });
        }
        let answer = self.ask("SELECT key, text FROM syncline.rows ORDER BY key, text")?;
        hand_over(&answer, visit).ok_or_else(|| refused("it has a row that nobody inserted"))
    }
}

/// Hands over the newest version of each row, of lines in the order of keys and versions. A row is handed over twice,
/// as a damaged one, if a version is there twice or has a text that was never its own. `None` for another kind of
/// answer.
fn hand_over(answer: &[u8], visit: &mut dyn FnMut(Row, &[u8])) -> Option<()> {
    let lines = answer.split_inclusive(|byte| *byte == b'\n').map(parsed);
    let lines: Vec<(Row, &[u8])> = lines.collect::<Option<_>>()?;
    for versions in lines.chunk_by(|(row, _), (next, _)| row == next) {
        let (row, newest) = versions.last()?;
        visit(*row, newest);
        let numbers: Vec<Option<u32>> = versions.iter().map(|(row, text)| row.version_of(text)).collect();
        if numbers.contains(&None) || !numbers.is_sorted_by(|older, newer| older < newer) {
            visit(*row, newest);
        }
    }
    Some(())
}

/// The row of a line of tab-separated values, and its text.
fn parsed(line: &[u8]) -> Option<(Row, &[u8])> {
    let line = line.strip_suffix(b"\n")?;
    let end = line.iter().position(|byte| *byte == b'\t')?;
    let key = str::from_utf8(&line[..end]).ok()?.parse().ok()?;
    Some((Row::of_key(key), &line[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: Row = Row { writer: 3, sequence: 70_000 };

    fn line(version: u32) -> String {
        format!("{}\t{}\n", ROW.key(), Write { row: ROW, version }.text())
    }

    /// The versions that are handed over.
    fn handed_over(answer: &str) -> Option<Vec<Option<u32>>> {
        let mut found = Vec::new();
        let each = &mut |row: Row, text: &[u8]| {
            assert_eq!(row, ROW);
            found.push(row.version_of(text));
        };
        hand_over(answer.as_bytes(), each)?;
        Some(found)
    }

    #[test]
    fn the_newest_version_counts_and_each_must_be_there_once() {
        let strange = format!("{}\t0000abc\\t\n", ROW.key());
        for (lines, expected) in [
            (vec![], vec![]),
            (vec![line(0)], vec![Some(0)]),
            (vec![line(9), line(10), line(256)], vec![Some(256)]),
            (vec![line(1), line(1)], vec![Some(1); 2]),
            (vec![line(1), line(1), line(2)], vec![Some(2); 2]),
            (vec![strange, line(1)], vec![Some(1); 2]),
        ] {
            assert_eq!(handed_over(&lines.concat()), Some(expected), "{lines:?}");
        }
        for answer in ["1", "1\n", "-1\ttext\n", "row\ttext\n", "1\ttext"] {
            assert_eq!(handed_over(answer), None, "{answer:?}");
        }
    }
}
