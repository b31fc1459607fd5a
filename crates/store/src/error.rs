//! What can go wrong.

use crate::limits::{BATCH_BYTES_MAX, KEY_BYTES_MAX, VALUE_BYTES_MAX};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Why an operation on a store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The kernel's error, or that of the storage below the store.
    #[error("cannot {operation} {path}: {source}")]
    Io {
        /// What was tried, as a verb phrase.
        operation: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// The file does not have the bytes that the store wrote.
    #[error("{path} is damaged at byte {offset}: {what}; restore the store from a copy")]
    Damaged {
        path: PathBuf,
        /// Where in the file.
        offset: u64,
        /// What is wrong there.
        what: &'static str,
    },
    /// Another process, or another handle in this one, has the store open.
    #[error("{path}: the store is open already, in this process or another")]
    Locked { path: PathBuf },
    /// The store was written by another version of this library.
    #[error("{path}: the store has format {found}; this version reads format {supported}")]
    Format {
        /// The manifest or a run.
        path: PathBuf,
        found: u32,
        /// The version that this library reads and writes.
        supported: u32,
    },
    /// The options contradict each other, the machine, or the store that is there.
    #[error("option {option}: {reason}")]
    Options {
        option: &'static str,
        /// What is wrong with it and what to choose.
        reason: String,
    },
    /// A key is empty or too long.
    #[error("a key has 1 to {} bytes, not {bytes}", KEY_BYTES_MAX)]
    KeyBytes {
        /// Bytes it has.
        bytes: usize,
    },
    /// A value is too long.
    #[error("a value has at most {} bytes, not {bytes}", VALUE_BYTES_MAX)]
    ValueBytes {
        /// Bytes it has.
        bytes: usize,
    },
    /// A batch is too large.
    #[error("a batch has at most {} bytes, not {bytes}", BATCH_BYTES_MAX)]
    BatchBytes {
        /// Bytes it has.
        bytes: usize,
    },
    /// The file system has no room for what takes some. Deletes are taken: room is kept back for them.
    #[error(
        "cannot {operation} {path}: the file system is full; delete keys and drain the store, or free {bytes} \
         bytes there"
    )]
    Full {
        /// What was tried, as a verb phrase.
        operation: &'static str,
        path: PathBuf,
        /// Bytes that the store keeps back, and has not got.
        bytes: u64,
    },
    /// The store was opened for reading only.
    #[error("{path}: the store is open for reading only")]
    ReadOnly { path: PathBuf },
    /// This process is a child of `fork`, and its parent opened the store: the store's threads, its lock and its log
    /// are the parent's.
    #[error(
        "{path}: the store was opened before this process was forked; open it here, once the parent has closed it"
    )]
    Forked { path: PathBuf },
    /// An earlier write or background job failed. Whether the disk has what was written then is unknown, so the store
    /// takes no further writes; reads continue. Opening the store again recovers everything that was acknowledged.
    #[error("the store takes no writes after a failure ({cause}): close it, mend the cause, open it again")]
    Stopped { cause: Arc<StoreError> },
}

impl StoreError {
    /// Whether the file system, or the user's quota, has no room.
    pub fn is_full(&self) -> bool {
        match self {
            Self::Full { .. } => true,
            Self::Io { source, .. } => is_full(source),
            Self::Stopped { cause } => cause.is_full(),
            Self::Damaged { .. }
            | Self::Locked { .. }
            | Self::Format { .. }
            | Self::Options { .. }
            | Self::KeyBytes { .. }
            | Self::ValueBytes { .. }
            | Self::BatchBytes { .. }
            | Self::ReadOnly { .. }
            | Self::Forked { .. } => false,
        }
    }
}

/// Whether an error says that there is no room.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
