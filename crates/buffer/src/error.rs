//! Why a page could not be pinned or written.

use std::io;

/// The error, with its remedy.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// The pool cannot have this geometry.
    #[error("a pool of {frames} frames of {page_size} bytes: {why}")]
    Geometry {
        frames: u32,
        /// Bytes of a page.
        page_size: u32,
        why: &'static str,
    },
    /// The file has no such page.
    #[error("page {page}: the file has {pages}")]
    NoSuchPage {
        /// The requested page.
        page: u32,
        /// Pages of the file.
        pages: u32,
    },
    /// No page can be evicted.
    #[error("page {page}: all {frames} frames are pinned: use more frames or unpin")]
    AllPinned {
        /// The requested page.
        page: u32,
        /// Frames of the pool.
        frames: u32,
    },
    /// A page could not be moved.
    #[error("{what} of page {page}: {source}")]
    Transfer {
        /// `read` or `write`.
        what: &'static str,
        /// The page.
        page: u32,
        source: io::Error,
    },
    /// The backend itself failed.
    #[error("backend: {0}")]
    Backend(#[from] io::Error),
}

impl From<PoolError> for io::Error {
    fn from(error: PoolError) -> Self {
        let kind = match &error {
            PoolError::Geometry { .. } | PoolError::NoSuchPage { .. } => io::ErrorKind::InvalidInput,
            PoolError::AllPinned { .. } => io::ErrorKind::OutOfMemory,
            PoolError::Transfer { source, .. } | PoolError::Backend(source) => source.kind(),
        };
        Self::new(kind, error)
    }
}
