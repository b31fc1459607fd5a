//! The named levels of the append workload's parameters.

use model::{BlockKind, DurabilityClass, levels};

/// The level of `engine` that means no engine.
pub(super) const FILE: &str = "file";
/// The levels of the parameter `engine`: a plain file, then the engines.
pub const ENGINES: &[&str] = &[FILE, "noop", "memory", "store", "fjall", "lmdb", "redb", "sqlite", "rocksdb"];

/// The level of `durability` that leaves the choice to the file or the engine.
pub(super) const DEFAULT: &str = "default";

levels! {
    /// How entries in a plain file become durable: the levels of `durability` for a file.
    pub enum FileDurability {
        /// No sync: written data is in the page cache.
        None = "none",
        /// One `fsync` when everything is written, inside the measured time.
        SyncAtEnd = "sync_at_end",
        /// `fdatasync` after every `sync_every` entries.
        Fdatasync = "fdatasync",
        /// Every write with `RWF_DSYNC`, which is what `O_DSYNC` does to a write.
        ODsync = "o_dsync",
        /// Every write with `RWF_SYNC`, which is what `O_SYNC` does to a write.
        OSync = "o_sync",
    }
}

impl FileDurability {
    /// How an entry is written.
    pub const fn write_kind(self) -> BlockKind {
        match self {
            Self::None | Self::SyncAtEnd | Self::Fdatasync => BlockKind::Write,
            Self::ODsync => BlockKind::WriteDsync,
            Self::OSync => BlockKind::WriteSync,
        }
    }

    /// Whether an entry waits for a sync, if each is synced.
    pub(super) const fn is_of_each_entry(self) -> bool {
        matches!(self, Self::Fdatasync | Self::ODsync | Self::OSync)
    }

    /// What an acknowledged entry survives if there is no buffer and `fdatasync` follows every `sync_every` entries.
    pub const fn class(self, sync_every: u64) -> DurabilityClass {
        match self {
            Self::Fdatasync if sync_every == 1 => DurabilityClass::Power,
            Self::ODsync | Self::OSync => DurabilityClass::Power,
            // Entries are acknowledged before the sync that covers them.
            Self::None | Self::SyncAtEnd | Self::Fdatasync => DurabilityClass::Process,
        }
    }
}

/// Where entries go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store<'a> {
    /// To the end of one file.
    File(FileDurability),
    /// Into a key-value engine.
    Engine {
        /// Its name, one of [`ENGINES`].
        name: &'static str,
        /// Its durability level; `None` is the engine's own default. The crate that has the engine checks the name.
        level: Option<&'a str>,
    },
}
