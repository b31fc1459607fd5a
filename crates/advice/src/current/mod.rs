//! An advice against what is set now: what to change, what to leave, what cannot be said.
//!
//! Files are text here: which file an include means, and what stands in it, the caller tells.

mod include;
mod mysql_options;
mod postgresql_conf;
mod review;
mod rocksdb_options;
mod sqlite_pragmas;
#[cfg(test)]
mod tests;
mod value;

pub use include::{Fetch, Include, Included, read_with_includes};
pub use review::{Change, Kept, Review, Trade, Unadvised, UnknownSetting, review};

use crate::setting::Syntax;
use std::fmt;

/// A setting as it stands in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name, in lower case.
    pub name: String,
    /// Its value without quotes.
    pub value: String,
    /// Where it begins.
    pub place: Place,
}

/// A line of the user's file, or of one that it takes in.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Place {
    /// The file, where it is not the one that was given.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: usize,
}

impl Place {
    fn line(line: usize) -> Self {
        Self { file: None, line }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{file} line {}", self.line),
            None => write!(f, "line {}", self.line),
        }
    }
}

/// What in a file cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Where.
    pub place: Place,
    /// What is wrong there, and what to do.
    pub why: String,
}

impl Unreadable {
    fn at(line: usize, why: impl Into<String>) -> Self {
        Self { place: Place::line(line), why: why.into() }
    }
}

/// `3: why`, or with the file in front.
impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.place.file {
            write!(f, "{file}:")?;
        }
        write!(f, "{}: {}", self.place.line, self.why)
    }
}

impl std::error::Error for Unreadable {}

/// A line of a file that means something.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    Setting(Entry),
    Include(Include),
}

impl Item {
    fn setting(name: String, value: String, line: usize) -> Self {
        Self::Setting(Entry { name, value, place: Place::line(line) })
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

/// The settings of a file that takes in no other, in its order; of one that is set twice the database takes the last.
///
/// # Errors
/// [`Unreadable`] with the line, where the database would refuse the file or where it takes in another one.
pub fn read(syntax: Syntax, text: &str) -> Result<Vec<Entry>, Unreadable> {
    read_with_includes(syntax, text, &mut |_, _| Err("it takes in another file".to_owned()))
}

fn items(syntax: Syntax, text: &str) -> Result<Vec<Item>, Unreadable> {
    match syntax {
        Syntax::PostgresqlConf => postgresql_conf::read(text),
        Syntax::MysqlOptions => mysql_options::read(text),
        Syntax::RocksdbOptions => rocksdb_options::read(text),
        Syntax::SqlitePragmas => sqlite_pragmas::read(text),
        Syntax::Text => Err(Unreadable::at(1, "the program has no file of settings to compare with")),
    }
}
