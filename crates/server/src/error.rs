//! What goes wrong with a server, in one line each.

use std::error::Error;
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

/// Why a server is not there, or does not do what it should.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The machine has no such program.
    #[error("no {program} here: install {package}")]
    Missing { program: &'static str, package: &'static str },
    /// The machine cannot run it.
    #[error("{0}")]
    Unsupported(String),
    /// Its data directory could not be made.
    #[error("{server} did not initialise its data directory: {why}")]
    Initialise { server: &'static str, why: String },
    /// It ended, or answered nobody.
    #[error("{server} did not start: {why}")]
    Start { server: &'static str, why: String },
    /// It runs and does not answer in time.
    #[error("{server} does not answer for {seconds} s: {why}")]
    NoAnswer { server: &'static str, seconds: u64, why: String },
    /// It refused a request, or closed the connection.
    #[error("{server}: {why}")]
    Refused { server: &'static str, why: String },
    /// It has no table (no stream) of rows.
    #[error("{server}: {why}")]
    NoTable { server: &'static str, why: String },
    /// A file or a process of the server's.
    #[error("cannot {operation} {path}: {source}", path = path.display())]
    Io { operation: &'static str, path: PathBuf, source: io::Error },
}

impl ServerError {
    pub(crate) fn on(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { operation, path, source }
    }

    /// What a client's library says, with every cause behind it.
    pub(crate) fn refused<E: Error>(server: &'static str) -> impl Fn(E) -> Self {
        move |error| Self::Refused { server, why: with_causes(&error) }
    }

    /// The same, for an error that says whether the table is missing.
    pub(crate) fn refused_or_no_table<E: Error>(
        server: &'static str,
        is_missing: impl Fn(&E) -> bool,
    ) -> impl Fn(E) -> Self {
        move |error| {
            let why = with_causes(&error);
            if is_missing(&error) { Self::NoTable { server, why } } else { Self::Refused { server, why } }
        }
    }

    /// Whether the machine lacks what the server needs, so that nothing was tried.
    pub fn is_absence(&self) -> bool {
        matches!(self, Self::Missing { .. } | Self::Unsupported(_))
    }
}

fn with_causes(error: &impl Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        // Writing to a string does not fail.
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}

impl From<disk::Failure> for ServerError {
    fn from(failure: disk::Failure) -> Self {
        Self::Io { operation: failure.operation, path: failure.path, source: failure.source }
    }
}
