//! The named levels of the append workload's parameters.

use model::{BlockKind, DurabilityClass, LevelError, Levels, levels, suggestion};

/// The level of `engine` that means no engine.
pub(super) const FILE: &str = "file";
/// The levels of the parameter `engine`: a plain file, then the engines.
pub const ENGINES: &[&str] = &[FILE, "noop", "memory", "store", "fjall", "lmdb", "redb", "sqlite", "rocksdb"];

/// The level of `durability` that leaves the choice to the file or the engine.
const DEFAULT: &str = "default";

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Store {
    /// To the end of one file.
    File(FileDurability),
    /// Into a key-value engine.
    Engine {
        /// Its name, one of [`ENGINES`].
        name: &'static str,
        /// Its durability level; `None` is the engine's own default. The crate that has the engine checks the name.
        level: Option<String>,
    },
}

impl Store {
    /// Reads `engine` and `durability` together.
    pub(super) fn read(levels: &Levels<'_>) -> Result<Self, LevelError> {
        let (engine, level) = (levels.choice("engine")?, levels.text("durability")?);
        Ok(match (engine, level.as_str()) {
            (FILE, DEFAULT) => Self::File(FileDurability::None),
            (FILE, level) => {
                Self::File(FileDurability::from_name(level).ok_or_else(|| unknown_of_file(levels, level))?)
            }
            (name, DEFAULT) => Self::Engine { name, level: None },
            (name, _) => Self::Engine { name, level: Some(level) },
        })
    }
}

/// The error for a level that a plain file does not have. The schema cannot list the levels, because each engine has its
/// own.
fn unknown_of_file(levels: &Levels<'_>, level: &str) -> LevelError {
    let names: Vec<&str> = std::iter::once(DEFAULT).chain(FileDurability::NAMES.iter().copied()).collect();
    let meant = suggestion::nearest(level, names.iter().copied());
    let meant = meant.map_or_else(String::new, |name| format!("; did you mean \"{name}\"?"));
    levels.error_with("durability", format!("{} with engine = {FILE}{meant}", names.join(" | ")))
}
