//! What can go wrong with a dataset: one line each, with the place and what to do. No secret is ever part of it.

use model::Operation;
use std::io;

/// A dataset cannot be listed, read or written.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    /// The target is not a place that can be read.
    #[error("target = \"{target}\": {why}")]
    Target {
        target: String,
        /// Why it is not usable, and what is.
        why: String,
    },
    /// There is nothing to read.
    #[error("{place}: there is nothing to read: {why}")]
    Empty {
        place: String,
        /// What was found instead.
        why: String,
    },
    /// Something is not there, may not be read, or failed.
    #[error("{place}: {operation}: {source}{advice}")]
    Failed {
        /// The dataset, or the object.
        place: String,
        /// What was tried: `list`, `read`.
        operation: &'static str,
        source: io::Error,
        /// What to do, behind a semicolon; empty if nothing is known.
        advice: &'static str,
    },
    /// The store refused, with a reason of its own.
    #[error("{place}: {operation}: {why}")]
    Refused {
        /// The dataset, or the object.
        place: String,
        operation: &'static str,
        /// The reason and what to do.
        why: String,
    },
    /// Nothing there was made by Syncline.
    #[error("{place}: has no marker of Syncline; Syncline writes nothing to it and removes nothing")]
    NotOurs { place: String },
    /// Files of Syncline's own could not be made.
    #[error(transparent)]
    File(#[from] disk::files::FileError),
}

impl ObjectError {
    /// What the kernel answered on a path, with what to do.
    pub(crate) fn failed(place: impl Into<String>, operation: &'static str, source: io::Error) -> Self {
        let advice = match source.kind() {
            io::ErrorKind::NotFound => "; check the path given as target",
            io::ErrorKind::PermissionDenied => "; this user may not read it",
            io::ErrorKind::NotADirectory => "; name the directory that holds the files",
            _ => "",
        };
        Self::Failed { place: place.into(), operation, source, advice }
    }
}

/// An operation that failed: what the [`io::Error`] of a backend holds, so that the record names the file.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {operation}: {why}")]
pub struct OperationFailed {
    /// The file or object.
    pub place: String,
    /// The operation, as a person would say it.
    pub operation: String,
    pub why: String,
    /// Whether this machine cannot do it at all, rather than this time.
    pub is_unsupported: bool,
}

impl OperationFailed {
    /// What the error of a backend holds.
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref().and_then(|inner| inner.downcast_ref())
    }

    /// As the error of a backend.
    #[cold]
    pub(crate) fn error(
        place: impl Into<String>,
        operation: &impl Operation,
        why: impl Into<String>,
    ) -> io::Error {
        let (place, operation, why) = (place.into(), operation.to_string(), why.into());
        io::Error::other(Self { place, operation, why, is_unsupported: false })
    }

    /// The same for what cannot be done here.
    #[cold]
    pub(crate) fn unsupported(
        place: impl Into<String>,
        operation: &impl Operation,
        why: impl Into<String>,
    ) -> io::Error {
        let (place, operation, why) = (place.into(), operation.to_string(), why.into());
        io::Error::other(Self { place, operation, why, is_unsupported: true })
    }
}
