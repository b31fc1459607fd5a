//! The entries of a settings file, and their places.

use std::fmt;

/// A setting in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name, in lower case.
    pub name: String,
    /// Its value without quotes.
    pub value: String,
    /// The place where it begins.
    pub place: Place,
}

/// A line of the user's file, or of a file that it includes.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Place {
    /// The file, unless it is the one that was given.
    pub file: Option<String>,
    /// The line, counted from 1.
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

/// A part of a file that cannot be read, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    pub place: Place,
    /// The error and its remedy.
    pub why: String,
}

impl Unreadable {
    pub(super) fn at(line: usize, why: impl Into<String>) -> Self {
        Self { place: Place::line(line), why: why.into() }
    }
}

/// `3: why`, or with the file before it.
impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.place.file {
            write!(f, "{file}:")?;
        }
        write!(f, "{}: {}", self.place.line, self.why)
    }
}

impl std::error::Error for Unreadable {}

/// A line of a file that is not empty or a comment.
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

/// An include of another file, or of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Include {
    /// A file; relative to the file that includes it.
    File {
        /// Its path as written.
        path: String,
        /// Whether a missing file is skipped.
        is_optional: bool,
        line: usize,
    },
    /// The files of a directory whose names have this ending, in the order of their names.
    Directory {
        /// Its path as written.
        path: String,
        /// `.conf` or `.cnf`.
        ending: &'static str,
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
