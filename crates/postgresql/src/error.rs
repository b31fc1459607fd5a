//! What can go wrong with a server, each in one line that says what to do.

use std::error::Error as _;
use std::io;
use std::path::{Path, PathBuf};

/// What the user of a server has to reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The directory that clusters are made in.
    Clusters,
    /// The directory of PostgreSQL's programs.
    Programs,
}

/// PostgreSQL cannot be used as requested.
#[derive(Debug, thiserror::Error)]
pub enum PostgresqlError {
    /// There is no archive for this machine.
    #[error(
        "no PostgreSQL can be downloaded for {architecture}: install PostgreSQL and name its programs, or name a server"
    )]
    NoArchive { architecture: &'static str },
    /// The archive could not be fetched.
    #[error(
        "PostgreSQL is not cached and cannot be downloaded from {address}: {why}; name installed programs or a server, \
         or try again with a network"
    )]
    Download {
        /// Where from.
        address: String,
        /// Why not.
        why: String,
    },
    /// The archive is not what it should be.
    #[error(
        "{address} has SHA-256 {found}, not {expected}, and was not unpacked; try again, or name installed programs"
    )]
    Checksum {
        /// Where from.
        address: String,
        found: String,
        expected: &'static str,
    },
    /// Somebody else could have changed what was unpacked, and it is not as it was.
    #[error(
        "{directory} does not hold the PostgreSQL that was downloaded: its files have SHA-256 {found}, not {expected}; \
         remove the directory, or name installed programs"
    )]
    Changed { directory: PathBuf, found: String, expected: &'static str },
    /// No directory is known to keep downloads in.
    #[error(
        "no cache directory is known for PostgreSQL: set XDG_CACHE_HOME or HOME, or name installed programs"
    )]
    NoCacheDirectory,
    /// A directory has no PostgreSQL programs.
    #[error("{directory} has no {program} that runs ({why}): name the directory of postgres and initdb")]
    NotPrograms {
        directory: PathBuf,
        program: &'static str,
        /// Why not.
        why: String,
    },
    /// root must not run a server, and the user that would cannot get there.
    #[error(
        "Syncline does not run {server} as root, and user {user} cannot reach {path}: {blocked} is closed to others; choose \
         another place, or run Syncline as another user"
    )]
    Unreachable {
        /// The server that is meant.
        server: String,
        user: String,
        /// What it has to reach.
        path: PathBuf,
        /// The first directory that keeps it out.
        blocked: PathBuf,
        place: Place,
    },
    /// A file of Syncline could not be handled.
    #[error("cannot {operation} {path}: {source}")]
    File {
        operation: &'static str,
        path: PathBuf,
        /// What the kernel answered.
        source: io::Error,
    },
    /// A process could not be started, or entered no control group.
    #[error(transparent)]
    Kernel(#[from] disk::Failure),
    /// initdb failed.
    #[error("initdb cannot create a cluster in {path}: {why}")]
    Initialise { path: PathBuf, why: String },
    /// The server did not come up.
    #[error("PostgreSQL does not start: {why}")]
    Start {
        /// The log's last line.
        why: String,
    },
    /// The server went away.
    #[error("the PostgreSQL server ended while trying to {doing}: {why}")]
    ServerGone {
        /// What was being done.
        doing: String,
        /// What is known about it.
        why: String,
    },
    /// The user's server could not be reached.
    #[error("cannot connect to the server: {why}")]
    Connect {
        /// What the client or the server said.
        why: String,
    },
    /// A statement failed.
    #[error("PostgreSQL cannot {doing}: {why}")]
    Statement {
        /// What was being done.
        doing: String,
        /// What the server said.
        why: String,
    },
    /// A plan cannot be read.
    #[error("PostgreSQL answered EXPLAIN in an unknown form: {0}")]
    Plan(#[from] crate::explain::PlanError),
    /// A proof may not change the user's server.
    #[error(transparent)]
    Refused(#[from] crate::server_refusal::ServerRefusal),
    /// The server cannot do it, whatever is done.
    #[error("{0}")]
    Unsupported(String),
}

impl PostgresqlError {
    /// The same about another server, which runs as PostgreSQL's user.
    #[must_use]
    pub fn about(mut self, title: &str) -> Self {
        if let Self::Unreachable { server, .. } = &mut self {
            title.clone_into(server);
        }
        self
    }

    /// Names the operation and the path of an error, for `map_err`.
    pub(crate) fn on(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { operation, path, source }
    }

    /// What a client error means, in the middle of something.
    pub(crate) fn during(doing: &str, error: &postgres::Error) -> Self {
        let doing = doing.to_owned();
        if error.is_closed() || error.as_db_error().is_none_or(|error| error.code().code().starts_with("57P"))
        {
            return Self::ServerGone { doing, why: told(error) };
        }
        Self::Statement { doing, why: told(error) }
    }
}

/// One line of a client error: what the server said, or the last cause.
pub(crate) fn told(error: &postgres::Error) -> String {
    if let Some(said) = error.as_db_error() {
        return match said.hint() {
            Some(hint) => format!("{} ({hint})", said.message()),
            None => said.message().to_owned(),
        };
    }
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        line = format!("{line}: {error}");
        cause = error.source();
    }
    line.replace('\n', " ")
}
