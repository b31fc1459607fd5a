//! The requests workload's parameters, and what follows from them.

use super::durability::class;
use super::levels::{LogCycles, ServerKind};
use super::log_cycles;
use super::settings;
use super::without_effect::without_effect;
use crate::server_settings;
use model::parameter::count;
use model::{Configuration, DurabilityClass, LevelError, Levels, Nanos, RequestKind, Settings, parameters};
use std::borrow::Cow;
use std::path::PathBuf;

/// The workload's name in study files.
pub(super) const WORKLOAD: &str = "requests";

parameters! {
    /// One value for every parameter of the requests workload.
    pub struct Parameters;
    /// The requests workload's parameters.
    pub const PARAMETERS: Handles;

    /// the server that the clients are connected to, one of Syncline's own
    server: ServerKind = "mariadb",
    /// what each client asks again and again: insert = a row of its own; update, read = a row anywhere; range = rows
    /// that are neighbours, and every tenth request an update
    request: RequestKind = "insert",
    /// connections, each with one request at a time, and a thread for each
    clients: u32 = "1" in count(1..=256),
    /// rows of 1000 bytes that are loaded before; a server of tables has a buffer pool of 32 MiB
    rows: u32 = "100000" in count(1..=20_000_000),
    /// a binary log that each commit syncs, in a server that has one and writes none by default
    binary_log: bool = "false",
    /// whole = a trial writes as much as the log holds, after it was filled once, and the buffer pool holds the rows:
    /// updates of MariaDB and MySQL only
    log_cycles: LogCycles = "none",
    /// with whole cycles, sizes of the log are divided by it
    log_scale: u32 = "24" in count(1..=1000),
    /// length of the measurement
    runtime: Nanos = "2s",
    /// the server's settings, over its own defaults and those that keep trials apart
    settings: Settings = "none",
    /// directory of another server's programs, or the root of the packages that they are in; none = those of the run
    programs: Option<PathBuf> = "none",
    /// directory on another file system for the server's files; none = that of the run
    directory: Option<PathBuf> = "none",
    /// each client stays on a CPU, and the server's thread that serves it on the next one, if one thread does: equal
    /// servers then differ less
    pinned: bool = "false",
}

/// Bytes of a loaded row with its key and its share of the pages.
const ROW_BYTES: u64 = 1150;
/// Memory of a connection.
const CONNECTION_BYTES: u64 = 2 << 20;

impl Parameters {
    /// Reads a complete configuration.
    pub fn read(configuration: &Configuration) -> Result<Self, LevelError> {
        Self::of(&Levels::new(WORKLOAD, configuration))
    }

    /// Rows that are loaded: none if no request is about them.
    pub fn loaded_rows(&self) -> u64 {
        if self.request.is_on_loaded_rows() { u64::from(self.rows) } else { 0 }
    }

    /// Bytes of the server's files, about.
    pub(super) fn data_bytes(&self) -> u64 {
        self.server.empty_bytes() + self.loaded_rows() * ROW_BYTES
    }

    /// Bytes of memory that the server takes for itself, about.
    pub(super) fn memory_bytes(&self) -> u64 {
        let pool = match self.log_cycles {
            LogCycles::None => 0,
            LogCycles::Whole => log_cycles::POOL_BYTES,
        };
        self.server.memory_bytes() + pool + u64::from(self.clients) * CONNECTION_BYTES
    }

    /// Whether what requests read is to come from the device, and not from memory beside the server's own.
    pub fn drops_pages(&self) -> bool {
        self.request.is_on_loaded_rows() && self.server.has_buffer_pool()
    }

    /// Requires that every setting is one of the server's storage.
    ///
    /// # Errors
    /// The first that is not, as a clause.
    pub fn require_settings(&self) -> Result<(), String> {
        match self.settings.iter().find(|(name, _)| !settings::has(self.server, name)) {
            Some((name, _)) => Err(format!("settings: {name} is not a storage setting of {}", self.server)),
            None => Ok(()),
        }
    }

    fn without_effect(&self, name: &str) -> Option<&'static str> {
        without_effect(self.request, self.log_cycles, name)
    }

    /// The setting of the size of the log, if a trial has whole cycles of it.
    pub fn log_setting(&self) -> Option<&'static str> {
        match self.log_cycles {
            LogCycles::None => None,
            LogCycles::Whole => self.server.log_size().map(|size| size.name),
        }
    }

    /// Settings that every server has if there are whole cycles of the log, unless its own say otherwise.
    pub fn settings_of_cycles(&self) -> Vec<(&'static str, String)> {
        match (self.log_cycles, self.server.log_size()) {
            (LogCycles::Whole, Some(size)) => {
                let (pool, value) = log_cycles::POOL;
                vec![(pool, value.to_owned()), (size.name, size.small(self.log_scale))]
            }
            (LogCycles::None, _) | (LogCycles::Whole, None) => Vec::new(),
        }
    }

    /// The value that the server gets for a setting: a size of the log is divided if there are whole cycles of it.
    pub fn server_value<'v>(&self, name: &str, value: &'v str) -> Cow<'v, str> {
        let size =
            self.server.log_size().filter(|size| self.log_setting() == Some(name) && size.name == name);
        let divided = size.and_then(|size| size.of(value, self.log_scale));
        divided.map_or(Cow::Borrowed(value), Cow::Owned)
    }

    /// The longest that filling the log may take; zero if no trial fills it.
    pub fn cycle_max(&self) -> Nanos {
        match self.log_cycles {
            LogCycles::None => Nanos::ZERO,
            LogCycles::Whole => log_cycles::LONGEST,
        }
    }

    /// Settings that can change something in this configuration, which a server is started with: names and values.
    pub fn settings_with_effect(&self) -> impl Iterator<Item = (&str, &str)> {
        server_settings::with_effect(&self.settings, |name| self.without_effect(name))
    }

    /// The others: names, and why they change nothing.
    pub fn settings_without_effect(&self) -> impl Iterator<Item = (&str, &'static str)> {
        server_settings::without_effect(&self.settings, |name| self.without_effect(name))
    }

    /// Requires that some setting has an effect, if there are any.
    pub(super) fn require_effect(&self, configuration: &Configuration) -> Result<(), String> {
        server_settings::require_effect(configuration, &self.settings, |name| self.without_effect(name))
    }

    /// What an acknowledged request survives, by the server's table of promises.
    pub fn durability(&self) -> DurabilityClass {
        class(self.server, self.request, self.binary_log, |name| self.settings.get(name))
    }
}
