//! The files that trials work on: made, verified, reused.

mod create;
mod direct;
mod extents;
mod random;
mod space;

pub use create::{Prepared, create, ensure, is_complete, recreate};
pub use direct::{Alignment, AlignmentSource, direct_alignment, direct_support};
pub use extents::{extent_facts, verify_layout};
pub use model::Layout;
pub use space::{require_space, space_available};

use crate::failure::Failure;
use crate::work_directory::WorkDirectoryError;
use model::units::format_bytes_approximate;
use std::path::PathBuf;

/// A file could not be made, or is not what it was made to be.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file system has no room.
    #[error(
        "{path}: {} are needed, but {} are available: free space, or choose another directory",
        format_bytes_approximate(*needed_bytes as f64),
        format_bytes_approximate(*available_bytes as f64)
    )]
    NoSpace {
        /// The file or directory.
        path: PathBuf,
        /// Bytes that are needed.
        needed_bytes: u64,
        /// Bytes that an unprivileged user may still write.
        available_bytes: u64,
    },
    /// The extents are not those of the layout that was requested.
    #[error("{path} is not {layout}: {found}; this file system does not keep that layout: choose another")]
    Layout {
        path: PathBuf,
        /// The layout that was requested.
        layout: Layout,
        /// What FIEMAP says instead.
        found: String,
    },
    /// `fallocate` is not supported.
    #[error(
        "cannot allocate {path} without writing it, because this file system has no fallocate; choose the layout \
         prefilled or append"
    )]
    NoFallocate { path: PathBuf },
    /// A prefilled file cannot be made again in place: its content is the layout.
    #[error("{path} is prefilled and cannot be emptied in place; create it again")]
    NotRecreatable { path: PathBuf },
    /// The path is not in a work directory.
    #[error(transparent)]
    NotOurs(WorkDirectoryError),
    /// A system call failed.
    #[error(transparent)]
    Kernel(#[from] Failure),
}
