//! What a trial takes of the disk and of the memory: what the lab asks before it begins.

use super::{FileSet, Folder};
use serde::{Deserialize, Serialize};

/// What a trial takes of the disk and of the memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Room {
    /// A directory of another file system, in which a server has its files; the run's own directory without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_directory: Option<String>,
    /// The files that are prepared.
    pub files: Vec<FileSet>,
    /// Files that trials make by themselves, each lot in a folder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<Folder>,
    /// Bytes of keys and values, or of pages, that an engine or a server is given; 0 if there is none.
    pub store_bytes: u64,
    /// Bytes of memory that a trial takes for itself beside the buffers of its operations: an engine's cache and write
    /// buffers, a pool's frames; 0 if it takes none.
    #[serde(skip_serializing_if = "is_zero")]
    pub own_memory_bytes: u64,
    /// Whether that memory and the buffers of operations are registered with a ring, which locks them in memory.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub registers_buffers: bool,
    /// Bytes that a process of this configuration writes at most until it is killed; 0 if none is.
    pub killed_bytes: u64,
    /// Bytes that a memory cap in percent is a percentage of.
    pub counted_bytes: u64,
    /// Parameters that set how much room a trial takes.
    pub sizes: Vec<String>,
}

impl Room {
    /// Bytes of all files that are prepared.
    pub fn file_bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum, files| sum.saturating_add(files.bytes()))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(bytes: &u64) -> bool {
    *bytes == 0
}
