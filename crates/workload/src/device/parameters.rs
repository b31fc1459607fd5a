//! A device configuration, typed.

use super::definitions::DEFINITIONS;
use super::levels::{Advice, Beside, Data, Distribution, Pattern, RangeSyncs};
use crate::IoEngine;
use crate::steady_ramp::SteadyRamp;
use model::buffer::BUFFER_PAGES;
use model::description::FileSet;
use model::durability::DurabilityClass;
use model::units::{KIB, MIB, format_bytes};
use model::{BufferPages, Cache, Configuration, IoMode, Layout, LevelError, Levels, Nanos, SizeShare, Sizes};
use std::ops::Range;

/// Index of the file in the trial's file table.
pub const DATA_FILE: u16 = 0;

/// One value for every parameter of the device workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The access pattern.
    pub pattern: Pattern,
    /// Share of reads in a mix, in percent.
    pub rwmixread: u32,
    /// Bytes of one operation, unless `bssplit` has sizes; offsets are multiples of it.
    pub bs: u32,
    /// Bytes of operations and how often each comes; empty if all have `bs`.
    pub bssplit: Sizes,
    /// Operations in flight of each job.
    pub iodepth: u32,
    /// Jobs, each a thread with its own backend.
    pub numjobs: u32,
    /// Which backend submits; no effect if `mode` is [`IoMode::Mmap`].
    pub ioengine: IoEngine,
    /// How the page cache takes part.
    pub mode: IoMode,
    /// How long it runs unmeasured until it is steady; `None` if the measurement starts at once.
    pub steady_ramp: Option<SteadyRamp>,
    /// Whether a ring gets the file and the buffers registered.
    pub registered: bool,
    /// The pages of the buffers' memory.
    pub buffer_pages: BufferPages,
    /// Bytes of the file.
    pub size: u64,
    /// Length of the measurement; zero = no limit.
    pub runtime: Nanos,
    /// Reads and writes of each job; 0 = no limit.
    pub number_ios: u64,
    /// A job calls `fdatasync` after this number of writes; 0 = never.
    pub fdatasync: u64,
    /// Calls of `sync_file_range` between writes.
    pub range_sync: Option<RangeSyncs>,
    /// Whether each job ends with an `fsync`, inside the measured time.
    pub end_fsync: bool,
    /// What the program declares to the kernel about the order of accesses.
    pub advice: Advice,
    /// How often a random pattern takes each block.
    pub distribution: Distribution,
    /// Arrivals per second of each job in an open loop; `None` is a closed loop.
    pub rate_iops: Option<u64>,
    /// How long a job pauses; zero = never.
    pub thinktime: Nanos,
    /// Reads and writes of a job from one pause to the next.
    pub thinktime_blocks: u64,
    /// Jobs that read while these write.
    pub beside: Option<Beside>,
    /// The content of writes.
    pub data: Data,
    /// Page cache state before the measurement.
    pub cache: Cache,
    /// Percent of the file's blocks that a warm cache holds.
    pub cached_percentage: u64,
    /// How long the workload runs before it is measured.
    pub ramp_time: Nanos,
    /// Times that the file is overwritten before the measurement.
    pub precondition_passes: u32,
}

/// The maximum number of payload bytes that writes take their blocks from in turn; at least one block is used. A device
/// that deduplicates finds equal blocks only at this distance.
const PAYLOAD_BYTES_MAX: u64 = 4 * MIB;
const PRECONDITION_BLOCK_BYTES: u64 = MIB;
const PRECONDITION_DEPTH: u32 = 8;
/// No drive needs a larger alignment for direct I/O than this (bytes).
const DIRECT_ALIGNMENT_BYTES: u64 = 4 * KIB;

impl Parameters {
    /// Reads a complete configuration.
    pub fn read(configuration: &Configuration) -> Result<Self, LevelError> {
        let levels = Levels::new(&DEFINITIONS, configuration);
        Ok(Self {
            pattern: levels.level("rw")?,
            rwmixread: levels.count("rwmixread")? as u32,
            bs: levels.bytes("bs")? as u32,
            bssplit: levels.sizes("bssplit")?,
            iodepth: levels.count("iodepth")? as u32,
            numjobs: levels.count("numjobs")? as u32,
            ioengine: levels.level("ioengine")?,
            mode: levels.level("mode")?,
            steady_ramp: SteadyRamp::read(&levels)?,
            registered: levels.flag("registered")?,
            buffer_pages: levels.level(BUFFER_PAGES)?,
            size: levels.bytes("size")?,
            runtime: levels.duration("runtime")?,
            number_ios: levels.count("number_ios")?,
            fdatasync: levels.count("fdatasync")?,
            range_sync: RangeSyncs::read(&levels)?,
            end_fsync: levels.flag("end_fsync")?,
            advice: levels.level("advice")?,
            distribution: Distribution::read(&levels)?,
            rate_iops: levels.optional_count("rate_iops")?,
            thinktime: levels.duration("thinktime")?,
            thinktime_blocks: levels.count("thinktime_blocks")?,
            beside: Beside::read(&levels)?,
            data: Data::read(&levels)?,
            cache: levels.level("cache")?,
            cached_percentage: levels.count("cached_percentage")?,
            ramp_time: levels.duration("ramp_time")?,
            precondition_passes: levels.count("precondition_passes")? as u32,
        })
    }

    /// The one file of a trial. It is the same file as a commit's data file of the same size.
    pub fn files(&self) -> Vec<FileSet> {
        vec![FileSet {
            name: format!("data-{}", format_bytes(self.size)),
            role: "data".to_owned(),
            layout: Layout::Prefilled,
            size_bytes: self.size,
            count: 1,
        }]
    }

    /// Whether some operations are reads.
    pub fn reads(&self) -> bool {
        self.pattern.reads() || self.beside.is_some()
    }

    /// Whether some operations are writes.
    pub fn writes(&self) -> bool {
        self.pattern.writes()
    }

    /// Whether there are both reads and writes: in one job, or in jobs beside each other.
    pub fn mixes(&self) -> bool {
        self.pattern.is_mix() || self.beside.is_some()
    }

    /// What each job does by itself: first these jobs, then those beside them.
    pub fn jobs(&self) -> Vec<Self> {
        let own = Self { beside: None, ..self.clone() };
        let mut jobs = vec![own; self.numjobs as usize];
        if let Some(readers) = self.readers() {
            jobs.extend(vec![readers.clone(); readers.numjobs as usize]);
        }
        jobs
    }

    /// The jobs beside, as jobs of their own.
    pub fn readers(&self) -> Option<Self> {
        let beside = self.beside.as_ref()?;
        Some(Self {
            pattern: beside.pattern,
            bs: beside.bs,
            bssplit: Sizes::default(),
            iodepth: beside.iodepth,
            numjobs: beside.numjobs,
            rate_iops: beside.rate_iops,
            fdatasync: 0,
            range_sync: None,
            end_fsync: false,
            distribution: Distribution::Uniform,
            thinktime: Nanos::ZERO,
            beside: None,
            ..self.clone()
        })
    }

    /// Bytes of the largest read.
    pub fn read_bytes_max(&self) -> u32 {
        self.beside.as_ref().map_or_else(|| self.bs_max(), |beside| beside.bs)
    }

    /// Bytes of a read on average.
    pub fn read_bytes_mean(&self) -> u64 {
        match (&self.beside, self.bssplit.is_empty()) {
            (Some(beside), _) => u64::from(beside.bs),
            (None, false) => self.bssplit.mean_bytes(),
            (None, true) => u64::from(self.bs),
        }
    }

    /// Bytes of the largest operation of these jobs.
    pub fn bs_max(&self) -> u32 {
        self.bssplit.iter().last().map_or(self.bs, |size| size.bytes as u32)
    }

    /// Bytes of operations of these jobs, smallest first, and how often each comes.
    pub fn sizes(&self) -> Vec<SizeShare> {
        if self.bssplit.is_empty() {
            return vec![SizeShare { bytes: u64::from(self.bs), percent: 100 }];
        }
        self.bssplit.iter().collect()
    }

    /// The maximum number of reads that all jobs have in flight.
    pub fn reads_in_flight_max(&self) -> u64 {
        match &self.beside {
            Some(beside) => u64::from(beside.numjobs) * u64::from(beside.iodepth),
            None => u64::from(self.numjobs) * self.in_flight_max() as u64,
        }
    }

    /// Whether there are syncs that make writes durable; as in fio, there are none without writes.
    pub fn syncs(&self) -> bool {
        self.writes() && (self.fdatasync > 0 || self.end_fsync)
    }

    /// Whether there are calls of `sync_file_range`, which make nothing durable.
    pub fn syncs_ranges(&self) -> bool {
        self.writes() && self.range_sync.is_some()
    }

    /// The maximum number of operations that one job has in flight; a sync is one beside its reads and writes.
    pub fn in_flight_max(&self) -> usize {
        (self.iodepth + u32::from(self.syncs() || self.syncs_ranges())) as usize
    }

    /// Whole blocks in the file; the rest after the last one is never accessed.
    pub fn blocks(&self) -> u64 {
        self.size / u64::from(self.bs)
    }

    /// Bytes of one job's buffer arena: if there are reads, a block for each operation in flight; if there are writes, then
    /// the payload. Reads never overwrite the payload.
    pub fn arena_bytes(&self) -> usize {
        self.payload().end
    }

    /// The part of one job's arena that writes take their payload from, to be filled with [`Parameters::data`]; empty
    /// without writes.
    pub fn payload(&self) -> Range<usize> {
        let bs = self.bs_max() as usize;
        let start = if self.reads() { self.iodepth as usize * bs } else { 0 };
        let length = if self.writes() { self.payload_blocks() as usize * bs } else { 0 };
        start..start + length
    }

    pub(super) fn payload_blocks(&self) -> u64 {
        (PAYLOAD_BYTES_MAX / u64::from(self.bs_max())).max(1)
    }

    /// What a write survives when its job starts the next one, as declared; an audit checks whether the drive honours it.
    ///
    /// Written and not synced, data is in the page cache, or with direct I/O in the drive's cache: both survive a killed
    /// process, neither survives a power loss. With a sync after several writes, or only at the end, a job has started
    /// writes that no sync covers yet. Only a sync after every write makes each write durable. Reads have nothing to lose
    /// and count as writes without a sync.
    pub fn durability(&self) -> DurabilityClass {
        if self.fdatasync == 1 { DurabilityClass::Power } else { DurabilityClass::Process }
    }

    /// The same workload for one interval, to run unmeasured.
    #[must_use]
    pub fn for_interval(&self, interval: Nanos) -> Self {
        Self {
            runtime: interval,
            number_ios: 0,
            ramp_time: Nanos::ZERO,
            precondition_passes: 0,
            ..self.clone()
        }
    }

    /// The same workload for `ramp_time`, to run unmeasured before the measurement; `None` if `ramp_time` is zero.
    pub fn ramp(&self) -> Option<Self> {
        (self.ramp_time > Nanos::ZERO).then(|| Self {
            runtime: self.ramp_time,
            number_ios: 0,
            end_fsync: false,
            ramp_time: Nanos::ZERO,
            precondition_passes: 0,
            ..self.clone()
        })
    }

    /// Overwrites the whole file sequentially `precondition_passes` times before the measurement, with direct I/O in blocks
    /// of 1 MiB (a smaller file in one block); `None` for no passes. Leaves out a rest that is smaller than a block.
    pub fn precondition(&self) -> Option<Self> {
        if self.precondition_passes == 0 {
            return None;
        }
        // Memory is read and written without a ring, which may not be permitted here.
        let ioengine = if self.mode == IoMode::Mmap { IoEngine::Psync } else { self.ioengine };
        let aligned = self.size - self.size % DIRECT_ALIGNMENT_BYTES;
        let whole = if aligned > 0 { aligned } else { self.size };
        let bs = PRECONDITION_BLOCK_BYTES.min(whole);
        Some(Self {
            pattern: Pattern::Write,
            bs: bs as u32,
            bssplit: Sizes::default(),
            iodepth: match ioengine {
                IoEngine::Uring => PRECONDITION_DEPTH,
                IoEngine::Psync => 1,
            },
            numjobs: 1,
            ioengine,
            mode: IoMode::Direct,
            runtime: Nanos::ZERO,
            number_ios: u64::from(self.precondition_passes) * (self.size / bs),
            fdatasync: 0,
            range_sync: None,
            end_fsync: false,
            advice: Advice::Normal,
            distribution: Distribution::Uniform,
            rate_iops: None,
            thinktime: Nanos::ZERO,
            beside: None,
            ramp_time: Nanos::ZERO,
            precondition_passes: 0,
            ..self.clone()
        })
    }
}
