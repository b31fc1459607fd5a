//! Why a work directory cannot be made, used or removed.

use crate::failure::Failure;
use std::path::PathBuf;

/// A work directory could not be made, used or removed.
#[derive(Debug, thiserror::Error)]
pub enum WorkDirectoryError {
    /// The parent is not a directory.
    #[error("{path} is not a directory; name an existing directory")]
    NotADirectory {
        /// The path that was given.
        path: PathBuf,
    },
    /// The parent does not exist.
    #[error("{path} does not exist; create it or name another directory")]
    Missing {
        /// The path that was given.
        path: PathBuf,
    },
    /// The parent is not writable.
    #[error("cannot write to {path}: {source}; name a writable directory")]
    NotWritable {
        /// The path that was given.
        path: PathBuf,
        /// What the kernel answered.
        source: std::io::Error,
    },
    /// The directory does not carry Syncline's marker.
    #[error(
        "{path} is not a work directory of Syncline, because it has no marker; Syncline touches nothing in it"
    )]
    NotOurs { path: PathBuf },
    /// The directory or its marker is another user's.
    #[error("{path} belongs to the user with number {owner}; only that user removes it")]
    OtherUser {
        path: PathBuf,
        /// The other user's number.
        owner: u32,
    },
    /// Another host made the directory, and this one may not see its lock.
    #[error(
        "{path} was made by {host} on a network file system, and this host may not see its lock; remove it from \
         {host}, or by hand if nothing uses it"
    )]
    OtherHost { path: PathBuf, host: String },
    /// A file system that is not Syncline's is mounted on the directory or inside.
    #[error("{path} is a mount point and stays untouched; unmount it, then remove the work directory")]
    ForeignMount { path: PathBuf },
    /// A system call failed.
    #[error(transparent)]
    Kernel(#[from] Failure),
}
