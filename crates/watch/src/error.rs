//! Why a disk cannot be watched: where, what, and what to do.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Why a disk cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// An operation on a file failed.
    #[error("{path}: cannot {operation}: {source}")]
    Io { path: PathBuf, operation: &'static str, source: io::Error },
    /// Another process keeps this history.
    #[error("{path} is in use by another syncline watch: use another directory, or end that one")]
    HistoryInUse { path: PathBuf },
    /// Another process watches this disk.
    #[error("another syncline watch probes the disk {disk}: two would disturb each other; end that one")]
    DiskInUse { disk: String },
    /// The record of the probes is not what this program wrote.
    #[error(
        "{path} is not a record of syncline watch ({what}): restore it, or move it away to begin a new one"
    )]
    Foreign { path: PathBuf, what: String },
    /// Others could reach the endpoint.
    #[error(
        "{address} is not a loopback address: use 127.0.0.1 or [::1], and a proxy if others should read it"
    )]
    NotLoopback { address: SocketAddr },
    /// The endpoint's port.
    #[error("cannot listen on {address}: {source}")]
    Listen { address: SocketAddr, source: io::Error },
}

/// Names the path and the operation of an error, for `map_err`.
pub(crate) fn io_error(path: &Path, operation: &'static str) -> impl FnOnce(io::Error) -> WatchError {
    move |source| WatchError::Io { path: path.to_owned(), operation, source }
}
