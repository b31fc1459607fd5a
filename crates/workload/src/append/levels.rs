//! The named levels of the append workload's parameters.

use model::{BlockKind, DurabilityClass, suggestion};

/// The parameter `engine`'s levels: a plain file, then the engines.
pub const ENGINES: &[&str] = &["file", "noop", "memory", "fjall", "lmdb", "redb", "sqlite", "rocksdb"];

/// How entries in a plain file become durable: the levels that `durability` has there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileDurability {
    /// Not at all: what is written is in the page cache.
    None,
    /// One `fsync` when everything is written, inside the measured time.
    SyncAtEnd,
    /// `fdatasync` after every so many entries.
    Fdatasync,
    /// Every write with `RWF_DSYNC`, which is what `O_DSYNC` does to a write.
    ODsync,
    /// Every write with `RWF_SYNC`, which is what `O_SYNC` does to a write.
    OSync,
}

impl FileDurability {
    /// The levels; `default` is the first.
    pub const NAMES: &'static [&'static str] = &["none", "sync_at_end", "fdatasync", "o_dsync", "o_sync"];

    /// Reads a level; the error names the nearest known one.
    pub fn from_name(name: &str) -> Result<Self, String> {
        match name {
            "none" | "default" => Ok(Self::None),
            "sync_at_end" => Ok(Self::SyncAtEnd),
            "fdatasync" => Ok(Self::Fdatasync),
            "o_dsync" => Ok(Self::ODsync),
            "o_sync" => Ok(Self::OSync),
            _ => Err(suggestion::unknown(
                "durability of engine = file",
                name,
                Self::NAMES.iter().copied().chain(["default"]),
            )),
        }
    }

    /// The level's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::SyncAtEnd => "sync_at_end",
            Self::Fdatasync => "fdatasync",
            Self::ODsync => "o_dsync",
            Self::OSync => "o_sync",
        }
    }

    /// How an entry is written.
    pub const fn write_kind(self) -> BlockKind {
        match self {
            Self::None | Self::SyncAtEnd | Self::Fdatasync => BlockKind::Write,
            Self::ODsync => BlockKind::WriteDsync,
            Self::OSync => BlockKind::WriteSync,
        }
    }

    /// What an entry survives once it is acknowledged, where there is no buffer and `fdatasync` comes every
    /// `sync_every` entries.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Store {
    /// To the end of one file.
    File(FileDurability),
    /// Into a key-value engine.
    Engine {
        /// Its name, one of [`ENGINES`].
        name: String,
        /// Its durability level; `None` is the engine's own default. Whoever knows the engine checks the name.
        level: Option<String>,
    },
}
