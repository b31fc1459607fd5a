//! What a claim was measured with.

use super::sync::{Sync, System};
use model::IoMode;
use model::durability::DurabilityClass;
use model::suggestion;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Whether bytes come from the file or go to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From the file.
    Read,
    /// To the file.
    Write,
    /// Both.
    Mixed,
}

impl Direction {
    /// Which way the bytes of one of fio's patterns go.
    pub fn from_pattern(rw: &str) -> Result<Self, String> {
        match rw {
            "read" | "randread" => Ok(Self::Read),
            "write" | "randwrite" => Ok(Self::Write),
            "rw" | "readwrite" | "randrw" => Ok(Self::Mixed),
            other => {
                let patterns = ["read", "write", "randread", "randwrite", "rw", "randrw"];
                Err(suggestion::unknown("pattern", other, patterns))
            }
        }
    }
}

/// What of the file was in the page cache when the measurement began, where it was made so and proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    /// Nothing.
    Cold,
    /// All of it: the claim is about memory, and says so.
    Warm,
}

/// What starts the next operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// The end of an earlier one: as many are in flight as possible.
    Closed,
    /// A schedule; the latency counts from the intended start and holds waiting too.
    Open,
}

/// What a claim was measured with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Circumstances {
    /// The access pattern as published: `randread`.
    pub pattern: Option<String>,
    /// Which way the bytes go.
    pub direction: Option<Direction>,
    pub mode: Option<IoMode>,
    /// Bytes of one operation.
    pub block_bytes: Option<u64>,
    /// Operations in flight of each job.
    pub iodepth: Option<u64>,
    pub numjobs: Option<u64>,
    /// Operations that can be in flight at all, where it is published instead of depth and jobs.
    pub in_flight: Option<u64>,
    /// What submits: `io_uring`, `psync`.
    pub engine: Option<String>,
    /// Whether what was written was synced within the measured time.
    pub synced: Option<bool>,
    /// How writes are made durable.
    pub sync: Option<Sync>,
    /// Whether a write's latency ends with its sync even if that is a call of its own, as a database's does.
    pub latency_holds_sync: bool,
    /// What an acknowledged write is reported to survive.
    pub durability: Option<DurabilityClass>,
    pub system: Option<System>,
    /// Whether the figures are stated to be a device's; `Some(false)`: of memory.
    pub said_of_device: Option<bool>,
    /// I/O mode of the log, where `mode` is that of the data beside it.
    pub log_mode: Option<IoMode>,
    /// Reads that each commit was to have.
    pub reads_per_commit: Option<f64>,
    /// Times that the file was read from end to end within a figure.
    pub passes: Option<u64>,
    /// Times that the page cache was dropped for them.
    pub cache_drops: Option<u64>,
    /// Bytes of the file, or files.
    pub file_bytes: Option<u64>,
    /// Memory that the process was capped to.
    pub memory_cap_bytes: Option<u64>,
    /// Memory of the machine.
    pub memory_bytes: Option<u64>,
    /// What was in the page cache at first; `None` if nobody says.
    pub cache: Option<Cache>,
    /// What starts the next operation.
    pub arrivals: Option<Arrivals>,
    /// Further knobs by name. Rows of one command share them.
    pub knobs: Arc<BTreeMap<String, String>>,
    /// Whether these are all the knobs there are, and the facts above follow from them.
    pub knobs_are_complete: bool,
}

/// Engines that have one operation in flight for each job, whatever `iodepth` says (fio HOWTO, `iodepth`); fio's
/// default on Linux is `psync`.
const SYNCHRONOUS: &[&str] =
    &["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "pread", "pwrite", "read", "write"];

/// Engines of fio that keep several in flight.
const ASYNCHRONOUS: &[&str] = &[
    "libaio",
    "io_uring",
    "io_uring_cmd",
    "posixaio",
    "windowsaio",
    "solarisaio",
    "sg",
    "nvme",
    "spdk",
    "xnvme",
];

/// Whether this is one of fio's engines; other columns of that name tell engines of another kind.
pub fn is_engine(name: &str) -> bool {
    SYNCHRONOUS.contains(&name) || ASYNCHRONOUS.contains(&name)
}

/// Takes what another value has if this one is missing, and keeps the name of what was taken.
macro_rules! take {
    ($ours:expr, $theirs:expr, $taken:expr, $name:literal) => {
        if $ours.is_none() && $theirs.is_some() {
            $ours = $theirs;
            $taken.push($name);
        }
    };
}

impl Circumstances {
    /// Takes from another what this one does not say; the roles' names of what it took.
    pub fn fill(&mut self, other: Self) -> Vec<&'static str> {
        let mut taken = Vec::new();
        let is_same_way = self.direction.is_none() || self.direction == other.direction;
        if is_same_way {
            take!(self.pattern, other.pattern, taken, "rw");
            self.direction = self.direction.or(other.direction);
        }
        take!(self.mode, other.mode, taken, "mode");
        take!(self.block_bytes, other.block_bytes, taken, "block_bytes");
        if self.iodepth.is_none() && self.numjobs.is_none() {
            take!(self.in_flight, other.in_flight, taken, "in_flight");
        }
        if self.in_flight.is_none() {
            take!(self.iodepth, other.iodepth, taken, "iodepth");
            take!(self.numjobs, other.numjobs, taken, "numjobs");
        }
        take!(self.engine, other.engine, taken, "ioengine");
        if self.synced.is_none() {
            take!(self.sync, other.sync, taken, "sync");
        }
        take!(self.durability, other.durability, taken, "durability");
        take!(self.system, other.system, taken, "system");
        take!(self.said_of_device, other.said_of_device, taken, "said_of");
        take!(self.passes, other.passes, taken, "passes");
        take!(self.cache_drops, other.cache_drops, taken, "cache_drops");
        take!(self.file_bytes, other.file_bytes, taken, "file_bytes");
        take!(self.memory_cap_bytes, other.memory_cap_bytes, taken, "memory_cap_bytes");
        take!(self.memory_bytes, other.memory_bytes, taken, "memory_bytes");
        taken
    }

    /// Operations that can be in flight at once.
    pub fn in_flight_possible(&self) -> Option<u64> {
        let depth = if self.is_synchronous() { Some(1) } else { self.iodepth };
        self.in_flight.or_else(|| depth?.checked_mul(self.numjobs?))
    }

    /// Whether its engine waits for each operation before the next; false if no engine is reported.
    pub fn is_synchronous(&self) -> bool {
        self.engine.as_deref().is_some_and(|engine| SYNCHRONOUS.contains(&engine))
    }

    /// What an acknowledged write survives: as it is reported, or as its way to sync makes it.
    pub fn survives(&self) -> Option<DurabilityClass> {
        let is_flushed = |sync: Sync| self.system.is_none_or(|system| sync.empties_cache(system));
        let by_sync = |sync: Sync| {
            if sync.is_each_write() && is_flushed(sync) {
                DurabilityClass::Power
            } else {
                DurabilityClass::Process
            }
        };
        self.durability.or_else(|| self.sync.map(by_sync))
    }

    /// Whether what was written was synced within the measured time: as it is reported, or by its way to sync.
    pub fn is_synced(&self) -> Option<bool> {
        self.synced.or_else(|| self.sync.map(|sync| sync != Sync::Never))
    }

    /// Memory that can cache the file: the cap, or the machine's.
    pub fn cache_bytes(&self) -> Option<u64> {
        [self.memory_cap_bytes, self.memory_bytes].into_iter().flatten().min()
    }

    /// Whether anything is written.
    pub fn writes(&self) -> Option<bool> {
        self.direction.map(|direction| matches!(direction, Direction::Write | Direction::Mixed))
    }
}
