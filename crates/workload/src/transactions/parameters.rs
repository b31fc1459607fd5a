//! The transactions workload's parameters, and what follows from them.

use super::cycle;
use super::durability::durability;
use super::levels::{Checkpoints, Subject, WalSegments};
use super::size::{BYTES_OF_SCALE, SCALE_MAX, shared_buffers_bytes};
use super::without_effect::without_effect;
use crate::server_settings;
use model::parameter::{count, count_up_to};
use model::{Configuration, DurabilityClass, LevelError, Levels, Nanos, Script, Settings, parameters};
use std::borrow::Cow;
use std::path::PathBuf;

/// The workload's name in study files.
pub(super) const WORKLOAD: &str = "transactions";

parameters! {
    /// One value for every parameter of the transactions workload.
    pub struct Parameters;
    /// The transactions workload's parameters.
    pub const PARAMETERS: Handles;

    /// the server that the clients are connected to
    subject: Subject = "postgres",
    /// what each client does again and again; the first three are pgbench's
    script: Script = "tpcb_like",
    /// connections, each with one transaction at a time, and a thread for each
    clients: u32 = "1" in count(1..=256),
    /// pgbench's scale: 100000 accounts for each unit, 15 MB; beyond shared_buffers, transactions read and write
    /// the files
    scale: u32 = "4" in count(1..=SCALE_MAX),
    /// each client prepares its statements once (pgbench -M prepared); otherwise it sends their text (pgbench -M
    /// simple)
    prepared: bool = "true",
    /// arrivals per second of all clients together, Poisson: an open loop, whose latencies count from the intended
    /// start
    rate: Option<u64> = "none" in count_up_to(10_000_000),
    /// length of the measurement
    runtime: Nanos = "2s",
    /// the server's settings, over PostgreSQL's defaults and those that keep trials apart
    settings: Settings = "none",
    /// directory of another server's programs postgres and initdb; none = those of the run
    programs: Option<PathBuf> = "none",
    /// directory on another file system for the server's files; none = that of the run
    directory: Option<PathBuf> = "none",
    /// none: no checkpoint while a trial is measured, and every page has been written to the log whole before;
    /// cycle: whole cycles, from the beginning of a checkpoint to the beginning of a later one
    checkpoints: Checkpoints = "none",
    /// with checkpoints = cycle, the server's max_wal_size and min_wal_size are those of its settings divided by
    /// this number, so that cycles take seconds; 1 = as they are
    cycle_scale: u32 = "64" in count(1..=1024),
    /// prefilled: the log's segments are there before the measurement; fresh: each is made when it is needed, 1 MiB
    /// large
    wal_segments: WalSegments = "prefilled",
    /// each client stays on a CPU, and the server process that serves it on the next one: equal servers then differ
    /// less, but a setting that moves work to other processes is not measured as it would run
    pinned: bool = "false",
}

/// Memory of a process that serves a connection.
const CONNECTION_BYTES: u64 = 8 << 20;

impl Parameters {
    /// Reads a complete configuration.
    pub fn read(configuration: &Configuration) -> Result<Self, LevelError> {
        Self::of(&Levels::new(WORKLOAD, configuration))
    }

    /// Bytes of the tables and their indexes, about.
    pub fn data_bytes(&self) -> u64 {
        u64::from(self.scale) * BYTES_OF_SCALE
    }

    /// Bytes of memory that the server takes for itself, about. Buffers that no page of the tables fills take none.
    pub(super) fn memory_bytes(&self) -> u64 {
        let at_most = self.data_bytes().max(shared_buffers_bytes([]));
        let buffers = shared_buffers_bytes(self.settings_with_effect()).min(at_most);
        buffers + u64::from(self.clients) * CONNECTION_BYTES
    }

    fn without_effect(&self, name: &str) -> Option<&'static str> {
        without_effect(self.script, self.checkpoints, self.wal_segments, name)
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
