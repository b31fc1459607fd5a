//! What is wrong with a run directory: where, what, and what to do.

use model::FORMAT_VERSION;
use std::io;
use std::path::{Path, PathBuf};

/// What is wrong with a run directory; each says where and what to do.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An operation on a file failed.
    #[error("{path}: cannot {operation}: {source}")]
    Io { path: PathBuf, operation: &'static str, source: io::Error },
    /// No run is there.
    #[error("{path} is not a run directory: {why}")]
    NotARun {
        path: PathBuf,
        /// What it is instead.
        why: &'static str,
    },
    /// A run was to be made there and was stopped before it had a plan.
    #[error("{path} holds no run yet, because its plan was not written")]
    Unbegun { path: PathBuf },
    /// A run is there where a new one should be made.
    #[error("{path} already holds a run")]
    Occupied { path: PathBuf },
    /// Something else is there.
    #[error("{path} is not empty and does not hold a run of syncline")]
    NotEmpty { path: PathBuf },
    /// Another process has it open.
    #[error("{path} is in use by another syncline: wait for it to end")]
    InUse { path: PathBuf },
    /// It was written by a newer version.
    #[error("{path}{}: format version {found}, but this syncline reads up to {FORMAT_VERSION}: use the syncline that \
     wrote it, or a newer one", at(*line))]
    Newer {
        path: PathBuf,
        /// The line, from 1.
        line: Option<usize>,
        found: u64,
    },
    /// It is not what Syncline writes.
    #[error("{path}{}: not a syncline record ({what}): something else changed the file; restore it or start a new \
     run", at(*line))]
    Foreign {
        path: PathBuf,
        /// The line, from 1.
        line: Option<usize>,
        /// What does not fit.
        what: String,
    },
}

fn at(line: Option<usize>) -> String {
    line.map(|line| format!(" line {line}")).unwrap_or_default()
}

/// Names the file and the operation of an error, for `map_err`.
pub(super) fn io_error(path: &Path, operation: &'static str) -> impl FnOnce(io::Error) -> RunError {
    move |source| RunError::Io { path: path.to_owned(), operation, source }
}

/// Something that Syncline did not write.
pub(super) fn foreign(path: &Path, line: Option<usize>, what: impl Into<String>) -> RunError {
    RunError::Foreign { path: path.to_owned(), line, what: what.into() }
}
