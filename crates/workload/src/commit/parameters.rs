//! The commit workload's parameters, and what follows from them.

use super::levels::{GroupWrite, Pacing, Sync};
use crate::IoEngine;
use crate::steady_ramp::SteadyRamp;
use model::description::FileSet;
use model::durability::DurabilityClass;
use model::parameter::{bytes, count, one_of};
use model::units::{GIB, KIB, MIB, format_bytes};
use model::{BufferPages, Cache, Configuration, IoMode, Layout, LevelError, Levels, Nanos, parameters};

/// The workload's name in study files.
pub(super) const WORKLOAD: &str = "commit";

parameters! {
    /// One value for every parameter of the commit workload.
    pub struct Parameters with part steady_ramp: SteadyRamp;
    /// The commit workload's parameters.
    pub const PARAMETERS: Handles;

    /// I/O mode of page reads and of the log
    mode: IoMode = "buffered" in one_of(IoMode::SYSTEM_CALL_NAMES),
    /// I/O mode of page reads alone; same = mode
    data_mode: Option<IoMode> = "same",
    /// I/O mode of the log alone; same = mode
    wal_mode: Option<IoMode> = "same",
    /// how a group becomes durable; dsync is RWF_DSYNC on every write, which waits by itself
    sync: Sync = "fdatasync",
    /// one write per record, or one per group
    group_write: GroupWrite = "each",
    /// the log's blocks at the start: none, unwritten extents, or written; only a prefilled log wraps around
    wal_layout: Layout = "prefilled",
    /// io_uring, or pwrite and fdatasync (needs read_depth = 0)
    ioengine: IoEngine = "uring",
    /// register files and buffers with the ring, which saves the kernel work; few databases do. No effect without
    /// ioengine = uring
    registered: bool = "false",
    /// independent committers, each a thread with its own log and reads
    committers: u32 = "1" in count(1..=64),
    /// the data file's pages before the measurement: none cached, or all cached; verified
    cache: Cache = "cold" in one_of(Cache::PROVEN_NAMES),
    /// exact keeps reads_per_commit; trigger lets reads continue during the sync, as page 000 did
    pacing: Pacing = "exact",
    /// records in a group
    group_size: u32 = "1" in count(1..=256),
    /// bytes in a record
    record_size: u64 = "512B" in bytes(512..=MIB),
    /// page reads for each commit; no effect if read_depth is 0
    reads_per_commit: u64 = "4" in count(1..=1000),
    /// page reads in flight (fio's iodepth); 0 = the log alone
    read_depth: u32 = "32" in count(0..=4096),
    /// commits of each committer; 0 = until runtime
    groups: u64 = "0" in count(0..=1_000_000_000),
    /// length of the measurement; 0s = until groups
    runtime: Nanos = "2s",
    /// bytes of the file that pages are read from
    data_size: u64 = "1GiB" in bytes(MIB..=64 * 1024 * GIB),
    /// bytes of each committer's log; an append or fallocated log ends the trial when it is full
    wal_size: u64 = "256MiB" in bytes(64 * KIB..=1024 * GIB),
    /// bytes of one page read
    page_size: u32 = "4KiB" in bytes(512..=MIB),
    /// pages of the buffers: the kernel's base size (4KiB), as databases use by default, or huge pages; verified
    buffer_pages: BufferPages = "small",
}

/// The maximum number of payload bytes, which are written repeatedly and should stay in the CPU's cache.
const PAYLOAD_BYTES_MAX: u64 = 1 << 20;
const PAYLOAD_GROUPS_MAX: u64 = 64;

impl Parameters {
    /// Reads a complete configuration.
    pub fn read(configuration: &Configuration) -> Result<Self, LevelError> {
        Self::of(&Levels::new(WORKLOAD, configuration))
    }

    /// I/O mode of page reads.
    pub fn data_mode(&self) -> IoMode {
        self.data_mode.unwrap_or(self.mode)
    }

    /// I/O mode of the log.
    pub fn wal_mode(&self) -> IoMode {
        self.wal_mode.unwrap_or(self.mode)
    }

    /// Whether a group is one write.
    pub fn is_coalesced(&self) -> bool {
        self.group_write == GroupWrite::Coalesced
    }

    /// The files of a trial: the data file first, if there are reads, then one log for each committer.
    pub fn files(&self) -> Vec<FileSet> {
        let data = FileSet {
            name: format!("data-{}", format_bytes(self.data_size)),
            role: "data".to_owned(),
            layout: Layout::Prefilled,
            size_bytes: self.data_size,
            count: 1,
        };
        let log = |committer| FileSet {
            name: format!("wal-{committer}-{}-{}", self.wal_layout, format_bytes(self.wal_size)),
            role: "wal".to_owned(),
            layout: self.wal_layout,
            size_bytes: self.wal_size,
            count: 1,
        };
        (self.read_depth > 0).then_some(data).into_iter().chain((0..self.committers).map(log)).collect()
    }

    /// Writes of one group.
    pub fn writes_of_group(&self) -> u64 {
        if self.is_coalesced() { 1 } else { u64::from(self.group_size) }
    }

    /// Commits of all committers; 0 = no limit.
    pub fn groups_of_all(&self) -> u64 {
        self.groups.saturating_mul(u64::from(self.committers))
    }

    /// Bytes of one group.
    pub fn group_bytes(&self) -> u64 {
        u64::from(self.group_size) * self.record_size
    }

    fn payload_groups(&self) -> u64 {
        (PAYLOAD_BYTES_MAX / self.group_bytes()).clamp(1, PAYLOAD_GROUPS_MAX)
    }

    /// Bytes of the buffer arena: one page per read in flight, then the pre-generated groups.
    pub fn arena_bytes(&self) -> usize {
        (self.read_buffer_bytes() + self.payload_groups() * self.group_bytes()) as usize
    }

    fn read_buffer_bytes(&self) -> u64 {
        u64::from(self.read_depth) * u64::from(self.page_size)
    }

    /// The place of this commit's payload in the arena.
    pub(super) fn payload_offset(&self, commit: u64) -> u32 {
        (self.read_buffer_bytes() + commit % self.payload_groups() * self.group_bytes()) as u32
    }

    /// What an acknowledged group survives, as declared; an audit checks whether the drive honours it.
    pub fn durability(&self) -> DurabilityClass {
        match self.sync {
            Sync::Fdatasync | Sync::Fsync | Sync::Dsync => DurabilityClass::Power,
            Sync::None => DurabilityClass::Process,
        }
    }
}
