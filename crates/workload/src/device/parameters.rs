//! The device workload's parameters, and what follows from them.

use super::levels::{Advice, Beside, BesideAdvice, BesideEngine, Data, Distribution, Order, Pattern};
use crate::IoEngine;
use crate::steady_ramp::SteadyRamp;
use model::description::FileSet;
use model::durability::DurabilityClass;
use model::parameter::{bytes, count, count_up_to, number};
use model::units::{GIB, KIB, MIB, format_bytes};
use model::{
    BufferPages, Cache, Configuration, IoMode, Layout, LevelError, Levels, Nanos, RangeSync, SizeShare,
    Sizes, Teams, Zones, parameters,
};
use std::ops::Range;

/// Index of the file in the trial's file table.
pub const DATA_FILE: u16 = 0;

/// The workload's name in study files.
pub(super) const WORKLOAD: &str = "device";

parameters! {
    /// One value for every parameter of the device workload.
    pub struct Parameters with part steady_ramp: SteadyRamp;
    /// The device workload's parameters.
    pub const PARAMETERS: Handles;

    /// access pattern, sequential or random; rw and randrw mix reads and writes. trim and randtrim punch holes in the
    /// file, which a file system that is mounted with discard passes on to the device as trims; trimwrite and
    /// randtrimwrite write each block after its trim
    rw: Pattern = "randread",
    /// percent of reads in a mix; no effect if rw is not rw or randrw
    rwmixread: u32 = "50" in count(0..=100),
    /// bytes of one read or write
    bs: u32 = "4KiB" in bytes(512..=64 * MIB),
    /// sizes that operations have at random, with the percentage of each; offsets are multiples of bs; none = all
    /// have bs
    bssplit: Sizes = "none",
    /// sizes of the writes of a mix, as bssplit, which then has those of the reads; none = writes have the sizes of
    /// reads; no effect if rw is not rw or randrw
    bssplit_writes: Sizes = "none",
    /// operations in flight of each job; psync and mmap have one
    iodepth: u32 = "1" in count(1..=4096),
    /// jobs, each a thread with its own ring; sequential jobs have a slice of the file each, random jobs the whole
    /// file
    numjobs: u32 = "1" in count(1..=256),
    /// sequential jobs go through the whole file each, one behind another; false = a slice of it each; no effect on
    /// random jobs
    whole_file: bool = "false",
    /// direction in which sequential jobs go through their part of the file; no effect on random jobs
    order: Order = "forward",
    /// bytes that sequential jobs leave out in the file after hole_every; whole blocks of bs; 0B = none; no effect on
    /// random jobs
    hole: u64 = "0B" in bytes(0..=64 * 1024 * GIB),
    /// bytes that sequential jobs access from one hole to the next; 0B = those of one operation; no effect with
    /// hole = 0B
    hole_every: u64 = "0B" in bytes(0..=64 * 1024 * GIB),
    /// io_uring, or pread and pwrite; no effect with mode = mmap
    ioengine: IoEngine = "uring",
    /// writes that a loss of power does not tear (RWF_ATOMIC, Linux 6.11), if device and file system can; mode is then
    /// direct, and bs a power of two; no effect without writes
    atomic: bool = "false",
    /// register file and buffers with the ring (fio's registerfiles and fixedbufs), which saves the kernel work;
    /// few databases do. No effect without ioengine = uring
    registered: bool = "false",
    /// I/O mode
    mode: IoMode = "buffered",
    /// pages of the buffers: the kernel's base size (4KiB), as databases use by default, or huge pages; verified
    buffer_pages: BufferPages = "small",
    /// bytes of the file
    size: u64 = "1GiB" in bytes(512..=64 * 1024 * GIB),
    /// length of the measurement; 0s = until number_ios
    runtime: Nanos = "2s",
    /// reads and writes of each job; 0 = until runtime
    number_ios: u64 = "0" in count(0..=1_000_000_000_000),
    /// fdatasync after this number of writes of a job, which first waits for its writes in flight; 0 = never; no
    /// effect without writes
    fdatasync: u64 = "0" in count(0..=1_000_000_000),
    /// sync_file_range of what a job wrote since its last one, which begins to write dirty pages, and may wait for
    /// them; nothing is durable after it; no effect without writes
    sync_file_range: Option<RangeSync> = "none",
    /// writes of a job from one sync_file_range to the next; no effect with sync_file_range = none
    sync_file_range_writes: u64 = "1" in count(1..=1_000_000_000),
    /// fsync at the end of a job, inside the measured time; no effect without writes
    end_fsync: bool = "false",
    /// posix_fadvise of the file, with mode = mmap madvise
    advice: Advice = "normal",
    /// how often a random pattern accesses each block; once takes each block once before any a second time, zipf
    /// has hot blocks, scattered over the file, and zoned hot zones; in_zones takes the next block of a random zone of
    /// zone_size bytes, as writers of zoned devices do
    random_distribution: Distribution = "uniform",
    /// exponent of zipf, not 1; no effect with another random_distribution
    zipf_theta: f64 = "1.2" in number(0.01..=10.0),
    /// zones of the file from its beginning: percent of the accesses, and percent of the file; no effect if
    /// random_distribution is not zoned
    zones: Zones = "none",
    /// bytes of a zone, a multiple of bs; each job has zones of its own; no effect if random_distribution is not
    /// in_zones
    zone_size: u64 = "256MiB" in bytes(512..=GIB * 1024),
    /// zones that all jobs access at a time, a multiple of numjobs: a job takes another zone when one is full; 0 = all;
    /// no effect if random_distribution is not in_zones
    open_zones: u64 = "0" in count(0..=1_000_000),
    /// arrivals per second of each job, Poisson: an open loop, whose latencies start when an operation is due
    rate_iops: Option<u64> = "none" in count_up_to(100_000_000),
    /// time in which rate_iops and beside_rate_iops operations arrive: longer than 1s for rates below one a second; no
    /// effect without a rate
    rate_period: Nanos = "1s",
    /// pause of a job in which it has nothing in flight, as a program that works on what it has read; jobs beside
    /// have none
    thinktime: Nanos = "0s",
    /// operations of a job from one pause to the next; no effect with thinktime = 0s
    thinktime_blocks: u64 = "1" in count(1..=1_000_000_000),
    /// reads of other jobs at the same time and with as long a runtime; rw is then write or randwrite
    beside: Beside = "none",
    /// bytes of one read beside; no effect with beside = none
    beside_bs: u32 = "4KiB" in bytes(512..=64 * MIB),
    /// reads in flight of each job beside; no effect with beside = none
    beside_iodepth: u32 = "1" in count(1..=4096),
    /// jobs beside; no effect with beside = none
    beside_numjobs: u32 = "1" in count(1..=256),
    /// arrivals per second of each job beside, as rate_iops; no effect with beside = none
    beside_rate_iops: Option<u64> = "none" in count_up_to(100_000_000),
    /// bytes of a file that the jobs beside have for themselves; 0B = they read the file that is written; no effect
    /// with beside = none
    beside_size: u64 = "0B" in bytes(0..=64 * 1024 * GIB),
    /// io_uring, or pread, of the jobs beside; same = ioengine; no effect with beside = none
    beside_ioengine: BesideEngine = "same",
    /// I/O mode of the jobs beside; same = mode; no effect with beside = none
    beside_mode: Option<IoMode> = "same",
    /// posix_fadvise of the jobs beside; same = advice; no effect with beside = none
    beside_advice: BesideAdvice = "same",
    /// jobs of several kinds at the same time. Each group after the first is a kind: these jobs with other parameters,
    /// and with a file of their own if it names a size. The first group has the name of these jobs. All end when the
    /// first job has done its number_ios, or at runtime. none = jobs of one kind
    teams: Teams = "none",
    /// time for which these jobs do nothing at first
    start_delay: Nanos = "0s",
    /// a job begins this much later than the one before it
    start_delay_step: Nanos = "0s",
    /// share of the operations: kinds of jobs keep to the ratio of their shares; 0 = to none; no effect on jobs of one
    /// kind
    flow: u64 = "0" in count(0..=1_000_000),
    /// content of the writes; a device that compresses or skips zeroes is faster with anything but random
    data: Data = "random",
    /// percent of zeroes in each block; no effect if data is not compressible
    buffer_compress_percentage: u32 = "50" in count(0..=100),
    /// after the measurement read back from the device every block that was written, and compare all its bytes with the
    /// last write; a wrong block fails the trial; no effect without writes
    verify: bool = "false",
    /// the file's pages before the measurement: none cached, all cached, or the state after the previous trial;
    /// verified
    cache: Cache = "cold",
    /// percent of the file's blocks of bs that cache = warm loads into the page cache; below 100 they are scattered
    /// pseudo-randomly; no effect if cache is not warm
    cached_percentage: u64 = "100" in count(0..=100),
    /// time for which the workload runs before it is measured
    ramp_time: Nanos = "0s",
    /// times that the file is overwritten in order, directly and in 1MiB blocks (a shorter rest is left out),
    /// before the measurement
    precondition_passes: u32 = "0" in count(0..=10),
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
        Self::of(&Levels::new(WORKLOAD, configuration))
    }

    /// The file of a trial, and that of the jobs beside if they have one of their own. The first is the same file as a
    /// commit's data file of the same size.
    pub fn files(&self) -> Vec<FileSet> {
        let trims = self.trims();
        let file = |name: &str, size_bytes: u64| FileSet {
            // Holes are filled again before each trial, and no other configuration may meet them.
            name: format!("{name}{}-{}", if trims { "-trimmed" } else { "" }, format_bytes(size_bytes)),
            role: "data".to_owned(),
            layout: Layout::Prefilled,
            size_bytes,
            count: 1,
        };
        let beside = self.has_own_file_beside().then(|| file("beside", self.beside_size));
        let others =
            self.other_files().zip(1_u32..).map(|(size, number)| file(&format!("team-{number}"), size));
        std::iter::once(file("data", self.size)).chain(beside).chain(others).collect()
    }

    /// Whether the jobs beside read a file of their own.
    pub fn has_own_file_beside(&self) -> bool {
        self.beside != Beside::None && self.beside_size > 0
    }

    /// Bytes of all files.
    pub fn data_bytes(&self) -> u64 {
        self.files().iter().map(|file| file.size_bytes).sum()
    }

    /// Whether some operations are reads.
    pub fn reads(&self) -> bool {
        self.rw.reads() || self.beside != Beside::None || self.any_other(Self::reads)
    }

    /// Whether some operations are writes.
    pub fn writes(&self) -> bool {
        self.rw.writes() || self.any_other(Self::writes)
    }

    /// Whether some operations are trims.
    pub fn trims(&self) -> bool {
        self.rw.trims() || self.any_other(Self::trims)
    }

    /// Whether it holds for jobs of another kind.
    fn any_other(&self, holds: fn(&Self) -> bool) -> bool {
        self.has_others()
            && self.others().is_ok_and(|others| others.iter().any(|kind| holds(&kind.parameters)))
    }

    /// Whether reads, writes and trims are not all of one way: in one job, or in jobs beside each other.
    pub fn mixes(&self) -> bool {
        let ways = [self.reads(), self.writes(), self.trims()];
        ways.into_iter().filter(|is_taken| *is_taken).count() > 1
    }

    /// The jobs beside, as jobs of their own.
    pub fn readers(&self) -> Option<Self> {
        let rw = self.beside.pattern()?;
        Some(Self {
            rw,
            bs: self.beside_bs,
            bssplit: Sizes::default(),
            bssplit_writes: Sizes::default(),
            iodepth: self.beside_iodepth,
            numjobs: self.beside_numjobs,
            rate_iops: self.beside_rate_iops,
            size: if self.beside_size > 0 { self.beside_size } else { self.size },
            ioengine: self.beside_ioengine.beside(self.ioengine),
            mode: self.beside_mode.unwrap_or(self.mode),
            advice: self.beside_advice.beside(self.advice),
            atomic: false,
            whole_file: false,
            order: Order::Forward,
            hole: 0,
            fdatasync: 0,
            sync_file_range: None,
            end_fsync: false,
            random_distribution: Distribution::Uniform,
            thinktime: Nanos::ZERO,
            start_delay: Nanos::ZERO,
            start_delay_step: Nanos::ZERO,
            verify: false,
            ..self.alone()
        })
    }

    /// Whether the file of these jobs is compared with what they wrote.
    pub fn verifies(&self) -> bool {
        self.verify && self.rw.writes()
    }

    /// Arrivals per second of each job, in an open loop.
    pub fn rate_per_s(&self) -> Option<f64> {
        self.rate_iops.map(|rate| rate as f64 / self.rate_period.seconds())
    }

    /// Bytes of a read on average.
    pub fn read_bytes_mean(&self) -> u64 {
        match (self.beside, self.bssplit.is_empty()) {
            (Beside::Read | Beside::RandRead, _) => u64::from(self.beside_bs),
            (Beside::None, false) => self.bssplit.mean_bytes(),
            (Beside::None, true) => u64::from(self.bs),
        }
    }

    /// Bytes of a write of these jobs on average.
    pub fn written_bytes_mean(&self) -> u64 {
        match self.written_sizes() {
            sizes if sizes.is_empty() => u64::from(self.bs),
            sizes => sizes.mean_bytes(),
        }
    }

    /// Bytes of the largest operation of these jobs.
    pub fn bs_max(&self) -> u32 {
        let largest = |sizes: &Sizes| sizes.iter().last().map_or(self.bs, |size| size.bytes as u32);
        if self.sizes_differ() {
            largest(&self.bssplit).max(largest(&self.bssplit_writes))
        } else {
            largest(&self.bssplit)
        }
    }

    /// Whether reads and writes of a mix have sizes of their own.
    pub fn sizes_differ(&self) -> bool {
        self.rw.is_mix() && !self.bssplit_writes.is_empty()
    }

    /// What the writes draw their sizes from; empty if all have `bs`.
    pub(super) fn written_sizes(&self) -> &Sizes {
        if self.sizes_differ() { &self.bssplit_writes } else { &self.bssplit }
    }

    /// Bytes of the reads, or of the writes, of these jobs, smallest first, and how often each comes.
    pub fn sizes(&self, of_writes: bool) -> Vec<SizeShare> {
        let sizes = if of_writes { self.written_sizes() } else { &self.bssplit };
        if sizes.is_empty() {
            return vec![SizeShare { bytes: u64::from(self.bs), percent: 100 }];
        }
        sizes.iter().collect()
    }

    /// The maximum number of bytes of reads that all jobs have in flight.
    pub fn read_bytes_in_flight_max(&self) -> u64 {
        let readers = self.kinds().into_iter().map(|kind| kind.parameters).filter(|kind| kind.rw.reads());
        let bytes =
            |kind: Self| u64::from(kind.numjobs) * kind.in_flight_max() as u64 * u64::from(kind.bs_max());
        readers.map(bytes).sum()
    }

    /// Whether there are syncs that make writes durable; as in fio, there are none without writes.
    pub fn syncs(&self) -> bool {
        self.rw.writes() && (self.fdatasync > 0 || self.end_fsync) || self.any_other(Self::syncs)
    }

    /// Whether there are calls of `sync_file_range`, which make nothing durable.
    pub fn syncs_ranges(&self) -> bool {
        self.writes() && self.sync_file_range.is_some()
    }

    /// The maximum number of operations that one job has in flight; a sync is one beside its reads and writes.
    pub fn in_flight_max(&self) -> usize {
        (self.iodepth + u32::from(self.syncs() || self.syncs_ranges())) as usize
    }

    /// Whole blocks in the file; the rest after the last one is never accessed.
    pub fn blocks(&self) -> u64 {
        self.size / u64::from(self.bs)
    }

    /// Bytes of one job's buffer arena: if there are reads, a block for each operation in flight; if there are writes,
    /// then the payload. Reads never overwrite the payload. An arena is never empty.
    pub fn arena_bytes(&self) -> usize {
        self.payload().end.max(1)
    }

    /// The part of one job's arena that writes take their payload from, to be filled as [`Parameters::data`] says;
    /// empty without writes.
    pub fn payload(&self) -> Range<usize> {
        let bs = self.bs_max() as usize;
        let start = if self.reads() { self.iodepth as usize * bs } else { 0 };
        let length = if self.writes() { self.payload_blocks() as usize * bs } else { 0 };
        start..start + length
    }

    pub(super) fn payload_blocks(&self) -> u64 {
        (PAYLOAD_BYTES_MAX / u64::from(self.bs_max())).max(1)
    }

    /// What a write survives when its job starts the next one, as declared; an audit checks whether the drive honours
    /// it.
    ///
    /// Written and not synced, data is in the page cache, or with direct I/O in the drive's cache: both survive a
    /// killed process, neither survives a power loss. With a sync after several writes, or only at the end, a job has
    /// started writes that no sync covers yet. Only a sync after every write makes each write durable. Reads have
    /// nothing to lose and count as writes without a sync.
    pub fn durability(&self) -> DurabilityClass {
        let others = self.others().unwrap_or_default();
        let kinds = others.iter().map(|kind| &kind.parameters).filter(|kind| kind.rw.writes());
        if self.fdatasync == 1 && kinds.into_iter().all(|kind| kind.fdatasync == 1) {
            DurabilityClass::Power
        } else {
            DurabilityClass::Process
        }
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

    /// Overwrites the whole file sequentially `precondition_passes` times before the measurement, with direct I/O in
    /// blocks of 1 MiB (a smaller file in one block); `None` for no passes. Leaves out a rest that is smaller than a
    /// block.
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
            rw: Pattern::Write,
            bs: bs as u32,
            bssplit: Sizes::default(),
            bssplit_writes: Sizes::default(),
            iodepth: match ioengine {
                IoEngine::Uring => PRECONDITION_DEPTH,
                IoEngine::Psync => 1,
            },
            numjobs: 1,
            order: Order::Forward,
            hole: 0,
            ioengine,
            mode: IoMode::Direct,
            atomic: false,
            runtime: Nanos::ZERO,
            number_ios: u64::from(self.precondition_passes) * (self.size / bs),
            fdatasync: 0,
            sync_file_range: None,
            end_fsync: false,
            advice: Advice::Normal,
            random_distribution: Distribution::Uniform,
            rate_iops: None,
            thinktime: Nanos::ZERO,
            verify: false,
            start_delay: Nanos::ZERO,
            start_delay_step: Nanos::ZERO,
            ramp_time: Nanos::ZERO,
            precondition_passes: 0,
            ..self.alone()
        })
    }
}
