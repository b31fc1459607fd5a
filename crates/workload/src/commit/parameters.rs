//! A commit configuration, typed.

use super::definitions::{DEFINITIONS, SAME};
use super::levels::{GroupWrite, Pacing, Sync};
use crate::IoEngine;
use crate::steady_ramp::SteadyRamp;
use model::buffer::BUFFER_PAGES;
use model::description::FileSet;
use model::durability::DurabilityClass;
use model::units::format_bytes;
use model::{BufferPages, Cache, Configuration, IoMode, Layout, LevelError, Levels, Nanos};

/// One value for every parameter of the commit workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// I/O mode of page reads.
    pub data_mode: IoMode,
    /// I/O mode of the log.
    pub wal_mode: IoMode,
    /// How a group becomes durable.
    pub sync: Sync,
    /// Whether a group is one write.
    pub coalesced: bool,
    /// Layout of the log.
    pub layout: Layout,
    /// Which backend submits.
    pub ioengine: IoEngine,
    /// Independent committers, each with a log and reads of its own.
    pub committers: u32,
    /// Page cache state before the measurement.
    pub cache: Cache,
    /// How reads and commits are paced.
    pub pacing: Pacing,
    /// Records in a group.
    pub group_size: u32,
    /// Bytes in a record.
    pub record_size: u64,
    /// Page reads per commit.
    pub reads_per_commit: u64,
    /// Page reads in flight; 0 = no reads.
    pub read_depth: u32,
    /// Commits of each committer; 0 = no limit.
    pub groups: u64,
    /// Length of the measurement; zero = no limit.
    pub runtime: Nanos,
    /// Bytes of the data file.
    pub data_size: u64,
    /// Bytes of each committer's log.
    pub wal_size: u64,
    /// Bytes of one page read.
    pub page_size: u32,
    /// How long it runs unmeasured until it is steady; `None` if the measurement starts at once.
    pub steady_ramp: Option<SteadyRamp>,
    /// Whether a ring gets the files and the buffers registered.
    pub registered: bool,
    /// The pages of the buffers' memory.
    pub buffer_pages: BufferPages,
}

/// The maximum number of payload bytes, which are written repeatedly and should stay in the CPU's cache.
const PAYLOAD_BYTES_MAX: u64 = 1 << 20;
const PAYLOAD_GROUPS_MAX: u64 = 64;

impl Parameters {
    /// Reads a complete configuration.
    pub fn read(configuration: &Configuration) -> Result<Self, LevelError> {
        let levels = Levels::new(&DEFINITIONS, configuration);
        let mode = |own: &str| levels.level(if levels.choice(own)? == SAME { "mode" } else { own });
        Ok(Self {
            data_mode: mode("data_mode")?,
            wal_mode: mode("wal_mode")?,
            sync: levels.level("sync")?,
            coalesced: levels.level::<GroupWrite>("group_write")? == GroupWrite::Coalesced,
            layout: levels.level("wal_layout")?,
            ioengine: levels.level("ioengine")?,
            committers: levels.count("committers")? as u32,
            cache: levels.level("cache")?,
            pacing: levels.level("pacing")?,
            group_size: levels.count("group_size")? as u32,
            record_size: levels.bytes("record_size")?,
            reads_per_commit: levels.count("reads_per_commit")?,
            read_depth: levels.count("read_depth")? as u32,
            groups: levels.count("groups")?,
            runtime: levels.duration("runtime")?,
            data_size: levels.bytes("data_size")?,
            wal_size: levels.bytes("wal_size")?,
            page_size: levels.bytes("page_size")? as u32,
            steady_ramp: SteadyRamp::read(&levels)?,
            registered: levels.flag("registered")?,
            buffer_pages: levels.level(BUFFER_PAGES)?,
        })
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
            name: format!("wal-{committer}-{}-{}", self.layout, format_bytes(self.wal_size)),
            role: "wal".to_owned(),
            layout: self.layout,
            size_bytes: self.wal_size,
            count: 1,
        };
        (self.read_depth > 0).then_some(data).into_iter().chain((0..self.committers).map(log)).collect()
    }

    /// Writes of one group.
    pub fn writes_of_group(&self) -> u64 {
        if self.coalesced { 1 } else { u64::from(self.group_size) }
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
