//! A transactions configuration, typed.

use super::cycle;
use super::definitions::DEFINITIONS;
use super::durability::durability;
use super::levels::{Checkpoints, Subject, WalSegments};
use super::size::BYTES_OF_SCALE;
use super::without_effect::without_effect;
use model::{Configuration, DurabilityClass, LevelError, Levels, Nanos, Script, Settings};
use std::borrow::Cow;
use std::path::PathBuf;

/// PostgreSQL's default `shared_buffers`.
const SHARED_BUFFERS_BYTES: u64 = 128 << 20;
/// Memory of a process that serves a connection.
const CONNECTION_BYTES: u64 = 8 << 20;

/// One value for every parameter of the transactions workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The server.
    pub subject: Subject,
    /// What each client does.
    pub script: Script,
    /// Connections.
    pub clients: u32,
    /// pgbench's scale.
    pub scale: u32,
    /// Whether statements are prepared.
    pub prepared: bool,
    /// Arrivals per second over all clients; `None` is a closed loop.
    pub rate: Option<u64>,
    /// Length of the measurement.
    pub runtime: Nanos,
    /// The server's settings.
    pub settings: Settings,
    /// Another server's programs.
    pub programs: Option<PathBuf>,
    /// Another place for the server's files.
    pub directory: Option<PathBuf>,
    /// What becomes of checkpoints.
    pub checkpoints: Checkpoints,
    /// What sizes of the log are divided by, if there are cycles of checkpoints.
    pub cycle_scale: u32,
    /// The segments of the write-ahead log.
    pub wal_segments: WalSegments,
    /// Whether each client and its backend are kept on a CPU.
    pub pinned: bool,
}

impl Parameters {
    /// Reads a complete configuration.
    pub fn read(configuration: &Configuration) -> Result<Self, LevelError> {
        let levels = Levels::new(&DEFINITIONS, configuration);
        Ok(Self {
            subject: levels.level("subject")?,
            script: levels.level("script")?,
            clients: levels.count("clients")? as u32,
            scale: levels.count("scale")? as u32,
            prepared: levels.flag("prepared")?,
            rate: levels.optional_count("rate")?,
            runtime: levels.duration("runtime")?,
            settings: levels.settings("settings")?,
            programs: levels.place("programs")?,
            directory: levels.place("directory")?,
            checkpoints: levels.level("checkpoints")?,
            cycle_scale: levels.count("cycle_scale")? as u32,
            wal_segments: levels.level("wal_segments")?,
            pinned: levels.flag("pinned")?,
        })
    }

    /// Bytes of the tables and their indexes, about.
    pub fn data_bytes(&self) -> u64 {
        u64::from(self.scale) * BYTES_OF_SCALE
    }

    /// Bytes of memory that the server takes for itself, about.
    pub(super) fn memory_bytes(&self) -> u64 {
        SHARED_BUFFERS_BYTES + u64::from(self.clients) * CONNECTION_BYTES
    }

    fn without_effect(&self, name: &str) -> Option<&'static str> {
        without_effect(self.script, self.checkpoints, self.wal_segments, name)
    }

    /// Settings that can change something in this configuration, which a server is started with: names and values.
    pub fn settings_with_effect(&self) -> impl Iterator<Item = (&str, &str)> {
        self.settings.iter().filter(|(name, _)| self.without_effect(name).is_none())
    }

    /// The others: names, and why they change nothing. To measure them would prove nothing.
    pub fn settings_without_effect(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.settings.iter().filter_map(|(name, _)| Some((name, self.without_effect(name)?)))
    }

    /// The value that the server gets for a setting: a size of the log is divided if there are cycles of checkpoints.
    pub fn server_value<'v>(&self, name: &str, value: &'v str) -> Cow<'v, str> {
        match self.checkpoints {
            Checkpoints::None => Cow::Borrowed(value),
            Checkpoints::Cycle => {
                cycle::divided(name, value, self.cycle_scale).map_or(Cow::Borrowed(value), Cow::Owned)
            }
        }
    }

    /// Settings that every server has if there are cycles of checkpoints, unless its own say otherwise.
    pub fn settings_of_cycles(&self) -> Vec<(&'static str, String)> {
        match self.checkpoints {
            Checkpoints::None => Vec::new(),
            Checkpoints::Cycle => cycle::settings(self.cycle_scale),
        }
    }

    /// The longest that a cycle of checkpoints may take; zero if there is none.
    pub fn cycle_max(&self) -> Nanos {
        match self.checkpoints {
            Checkpoints::None => Nanos::ZERO,
            Checkpoints::Cycle => cycle::longest(self.cycle_scale),
        }
    }

    /// What an acknowledged transaction survives, as the settings declare.
    pub fn durability(&self) -> DurabilityClass {
        durability(self.script, |name| self.settings.get(name))
    }
}
