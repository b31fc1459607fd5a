//! Why a log of operations cannot be used.

use std::error::Error;
use std::fmt;

/// What is wrong with a log, and in which line: one line of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogError {
    /// From 1 on; `None` if it is about the log as a whole.
    pub line: Option<u64>,
    what: String,
}

impl LogError {
    pub(super) fn new(line: Option<u64>, what: impl Into<String>) -> Self {
        Self { line, what: what.into() }
    }

    pub(super) fn at(line: u64, what: impl Into<String>) -> Self {
        Self::new(Some(line), what)
    }

    pub(super) fn of_all(what: impl Into<String>) -> Self {
        Self::new(None, what)
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl Error for LogError {}
