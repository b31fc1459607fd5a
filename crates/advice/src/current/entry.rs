//! What stands in a file of settings, and where.

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
    pub(super) fn line(line: usize) -> Self {
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
    pub(super) fn at(line: usize, why: impl Into<String>) -> Self {
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
pub(super) enum Item {
    Setting(Entry),
    Include(Include),
}

impl Item {
    pub(super) fn setting(name: String, value: String, line: usize) -> Self {
        Self::Setting(Entry { name, value, place: Place::line(line) })
    }
}

/// Another file, or a directory of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Include {
    /// A file; relative to the file that it stands in.
    File {
        /// Its path as written.
        path: String,
        /// Whether a file that is not there is passed over.
        is_optional: bool,
        /// The line.
        line: usize,
    },
    /// The files of a directory whose names end in this, in the order of their names.
    Directory {
        /// Its path as written.
        path: String,
        /// `.conf` or `.cnf`.
        ending: &'static str,
        /// The line.
        line: usize,
    },
}

impl Include {
    pub(super) const fn line(&self) -> usize {
        match self {
            Self::File { line, .. } | Self::Directory { line, .. } => *line,
        }
    }

    pub(super) fn path(&self) -> &str {
        match self {
            Self::File { path, .. } | Self::Directory { path, .. } => path,
        }
    }
}
