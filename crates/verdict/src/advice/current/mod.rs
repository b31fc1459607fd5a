//! An advice against what is set now: what to change, what to leave, what cannot be said.

mod mysql_options;
mod postgresql_conf;
mod review;
mod rocksdb_options;
mod sqlite_pragmas;
#[cfg(test)]
mod tests;
mod value;

pub use review::{Change, Kept, Review, Trade, Untold, review};

use super::Syntax;

/// A setting as it stands in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name, in lower case.
    pub name: String,
    /// Its value without quotes.
    pub value: String,
    /// The line it begins on, from 1.
    pub line: usize,
}

/// What in a file cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}: {why}")]
pub struct Unreadable {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there, and what to do.
    pub why: String,
}

impl Unreadable {
    fn at(line: usize, why: impl Into<String>) -> Self {
        Self { line, why: why.into() }
    }
}

/// The syntax of a file of this name; `None` where the name tells none.
pub fn syntax_of(name: &str) -> Option<Syntax> {
    let name = name.to_ascii_lowercase();
    if name.starts_with("options-") {
        return Some(Syntax::RocksdbOptions);
    }
    match name.rsplit_once('.')?.1 {
        "conf" => Some(Syntax::PostgresqlConf),
        "cnf" => Some(Syntax::MysqlOptions),
        "ini" => Some(Syntax::RocksdbOptions),
        "sql" => Some(Syntax::SqlitePragmas),
        _ => None,
    }
}

/// The settings of a file, in its order; of one that is set twice the database takes the last.
///
/// # Errors
/// [`Unreadable`] with the line, where the database would refuse the file or where it takes in another one.
pub fn read(syntax: Syntax, text: &str) -> Result<Vec<Entry>, Unreadable> {
    match syntax {
        Syntax::PostgresqlConf => postgresql_conf::read(text),
        Syntax::MysqlOptions => mysql_options::read(text),
        Syntax::RocksdbOptions => rocksdb_options::read(text),
        Syntax::SqlitePragmas => sqlite_pragmas::read(text),
        Syntax::Text => Err(Unreadable::at(1, "the program has no file of settings to compare with")),
    }
}
