//! A database's layout, and what a file is in it.

use serde::Serialize;
use std::path::{Path, PathBuf};

/// How a database lays out its files.
#[derive(Debug)]
pub struct Layout {
    /// Its name.
    pub name: &'static str,
    /// What a file is, if it is one of this database's.
    pub(super) recognise: Recognise,
}

/// The second argument tells whether a path is there.
pub(super) type Recognise = fn(&Path, &dyn Fn(&Path) -> bool) -> Option<Found>;

/// What a file is to its database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A commit waits for it.
    Log,
    Data,
    /// It is gone after the query, or at a restart.
    Temporary,
    Other,
}

impl Role {
    /// As a word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Data => "data",
            Self::Temporary => "temporary",
            Self::Other => "other",
        }
    }
}

/// A file of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The directory of the database, or its one file.
    pub(super) root: PathBuf,
    pub(super) role: Role,
}

/// The nearest directory above a file that has all these names in it, and the names from there to the file.
pub(super) fn below<'a>(
    path: &'a Path,
    marks: &[&str],
    exists: &dyn Fn(&Path) -> bool,
) -> Option<(&'a Path, Vec<&'a str>)> {
    let root = path.ancestors().skip(1).find(|root| marks.iter().all(|mark| exists(&root.join(mark))))?;
    let names = path.strip_prefix(root).ok()?.iter().map(|name| name.to_str().unwrap_or_default());
    Some((root, names.collect()))
}

/// The name of a file.
pub(super) fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Whether a text is digits alone, and at least one.
pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
