//! Why there is no disk that forgets.

use disk::Failure;
use disk::filesystem::{FileSystemKind, FilesystemError};
use disk::work_directory::WorkDirectoryError;
use std::io;

/// A disk that forgets could not be made, mounted or removed.
#[derive(Debug, thiserror::Error)]
pub enum ForgetError {
    /// This machine has none, or this user may not have one.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// No file system could be made or mounted on the disk. After a cut this is what the cut did to it.
    #[error(transparent)]
    FileSystem(FilesystemError),
    /// The directory of the disk could not be made or removed.
    #[error(transparent)]
    WorkDirectory(#[from] WorkDirectoryError),
    /// A system call failed.
    #[error(transparent)]
    Kernel(#[from] Failure),
    /// The thread that serves the disk cannot begin.
    #[error("cannot serve the disk: {0}")]
    Server(io::Error),
    /// The thread that served the disk ended with an error, after the disk was unmounted.
    #[error("the server of a disk ended with an error: {0}")]
    ServerEnd(io::Error),
}

/// What is missing.
#[derive(Debug, thiserror::Error)]
pub enum Unsupported {
    /// No FUSE.
    #[error(
        "a disk that forgets needs FUSE, but /dev/fuse cannot be opened ({source}): load the kernel module fuse"
    )]
    NoFuse {
        /// What the kernel answered.
        source: io::Error,
    },
    /// Mounting is for root.
    #[error("a disk that forgets needs root, to mount what is on it: run as root")]
    NotRoot,
    /// The kind of file system.
    #[error("{kind} on a disk that forgets is unsupported: the kernel takes its copies for one file system")]
    Kind {
        /// The file system that was requested.
        kind: FileSystemKind,
    },
    /// Loop devices, a program, or a larger disk.
    #[error(transparent)]
    FileSystem(FilesystemError),
}
