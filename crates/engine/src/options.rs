//! How an engine is to be opened.

use model::{IoMode, Settings};
use std::path::PathBuf;

/// How an engine is to be opened. What is `None` is left as the engine has it; what an engine cannot set it refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The store's directory: made if it does not exist, refused if it holds anything but a store of Syncline.
    pub directory: PathBuf,
    /// Name of one of the engine's durability levels.
    pub durability: Option<String>,
    pub io: IoMode,
    /// Memory for blocks or pages read, in bytes.
    pub cache_bytes: Option<u64>,
    /// Memory for writes before they go to a tree on disk (memtable), in bytes.
    pub write_buffer_bytes: Option<u64>,
    /// Reads that one call of [`Engine::multi_get`](crate::Engine::multi_get) keeps in flight; 1 is one read after
    /// another.
    pub reads_in_flight: usize,
    /// Largest store, in bytes: the size of LMDB's map, which is address space and neither memory nor disk. The other
    /// engines have no limit.
    pub store_bytes_max: u64,
    /// The engine's own settings, by its names for them.
    pub settings: Settings,
}

impl Options {
    /// Far above what a study writes, far below a process's address space.
    const STORE_BYTES_MAX: u64 = 1 << 38;

    /// Everything as the engine has it.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
            durability: None,
            io: IoMode::Buffered,
            cache_bytes: None,
            write_buffer_bytes: None,
            reads_in_flight: 1,
            store_bytes_max: Self::STORE_BYTES_MAX,
            settings: Settings::default(),
        }
    }

    /// The same, at this durability level.
    #[must_use]
    pub fn durability(mut self, level: impl Into<String>) -> Self {
        self.durability = Some(level.into());
        self
    }
}
