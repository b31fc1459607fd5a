//! What the readers of a configuration do to the kernel's readahead.

use serde::{Deserialize, Serialize};

/// The kernel's readahead while data is read from the disk in order, as the reader's own hints leave it
/// (posix_fadvise(2); the kernel's `mm/fadvise.c` and `mm/readahead.c`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Readahead {
    /// The queue's `read_ahead_kb`: no hint changes it.
    AsSet,
    /// Twice the queue's `read_ahead_kb`, by `POSIX_FADV_SEQUENTIAL`.
    Doubled,
    /// None, by `POSIX_FADV_RANDOM`.
    Off,
    /// The queue's `read_ahead_kb`, but `POSIX_FADV_DONTNEED` before each block drops the pages that it has read.
    Dropped,
    /// None, because direct I/O bypasses the page cache.
    Bypassed,
}
