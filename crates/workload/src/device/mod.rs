//! Reads, writes and trims of one file, in order or at random: what a fio job does, and page 001's experiments.
//!
//! One [`Device`] is one job. A closed loop keeps `iodepth` operations in flight. An open loop starts each operation at
//! its own time and measures from there, so that a stall of the device shows in the latency of every operation that
//! waited. After every `fdatasync` writes a job stops, waits for its writes in flight, syncs and continues; after every
//! `thinktime_blocks` operations it waits for all in flight and pauses.

mod blocks;
mod definitions;
mod describe;
mod kinds;
mod lengths;
mod levels;
mod metrics;
mod moved;
mod parameters;
mod pause;
mod permutation;
mod schema;
mod syncs;
mod together;
mod written;

pub use kinds::{Kind, OF_KINDS};
pub use levels::{Advice, Beside, BesideAdvice, BesideEngine, Data, Distribution, Order, Pattern};
pub use metrics::metrics;
pub use parameters::{DATA_FILE, Handles, PARAMETERS, Parameters};
pub use schema::SCHEMA;
pub use written::{LastWrite, Written};

use crate::arrivals::Arrivals;
use blocks::Blocks;
use driver::{Next, Recorder, Workload};
use lengths::{Length, Lengths};
use model::{BlockKind, BlockOp, Completion, Nanos};
use moved::Moved;
use pause::Pause;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::ops::Range;
use std::sync::Arc;
use syncs::{State, Syncs};
use together::Together;

/// The last two only if there is such an operation, or if there are several kinds of jobs.
const FAMILIES: &[&str] = &[
    "completion_latency",
    "read_latency",
    "write_latency",
    "sync_latency",
    "sync_file_range_latency",
    "trim_latency",
];
const COMPLETION_LATENCY: usize = 0;
const READ_LATENCY: usize = 1;
const WRITE_LATENCY: usize = 2;
const SYNC_LATENCY: usize = 3;
const SYNC_FILE_RANGE_LATENCY: usize = 4;
const TRIM_LATENCY: usize = 5;

/// With several kinds of jobs also the latency of each kind's operations, as far as there are names.
const FAMILIES_OF_KINDS: &[&str] = &[
    "completion_latency",
    "read_latency",
    "write_latency",
    "sync_latency",
    "sync_file_range_latency",
    "trim_latency",
    "kind_1_latency",
    "kind_2_latency",
    "kind_3_latency",
    "kind_4_latency",
    "kind_5_latency",
    "kind_6_latency",
    "kind_7_latency",
    "kind_8_latency",
];

/// The family of a kind's latencies in the sidecar, by the kind's place from 0; `None` beyond the names.
pub fn family_of_kind(kind: usize) -> Option<&'static str> {
    FAMILIES_OF_KINDS.get(FAMILIES.len() + kind).copied()
}

/// What an operation does that is not a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Read,
    Write,
    Trim,
}

/// The state of a read, write or trim in flight, and afterwards of the last one that had its place.
#[derive(Clone, Copy, Debug)]
struct Slot {
    way: Way,
    length: u32,
    /// Its first block.
    block: u64,
    /// When it should start; not used in a closed loop.
    intended: Nanos,
}

/// One job.
#[derive(Clone, Debug)]
pub struct Device {
    parameters: Parameters,
    blocks: Blocks,
    lengths: Lengths,
    /// Those of the writes, if they differ.
    written_lengths: Option<Lengths>,
    /// Decides which operations of a mix are reads. It is separate from `blocks`, so that a mix takes the same blocks
    /// as a pure pattern.
    mix: Xoshiro256PlusPlus,
    /// Whether reads and writes have latencies of their own.
    separates: bool,
    /// The place of its kind among those of the trial.
    kind: usize,
    /// What it shares with jobs of other kinds; `None` without such, or if they are readers beside.
    together: Option<Arc<Together>>,
    families: &'static [&'static str],
    /// When it begins.
    begins: Nanos,
    /// `None` in a closed loop.
    arrivals: Option<Arrivals>,
    slots: Vec<Slot>,
    /// Bytes of the arena that each read has: those of the largest.
    slot_bytes: u32,
    free: Vec<u32>,
    /// The part of the arena that writes take their payload from, and the place of the next write's payload.
    payload: Range<usize>,
    payload_next: usize,
    /// A limit is reached: nothing new starts.
    stopping: bool,
    syncs: Syncs,
    syncs_completed: u64,
    end_synced: bool,
    pause: Pause,
    started: u64,
    writes_in_flight: u32,
    reads: Moved,
    writes: Moved,
    trims: Moved,
    /// What is compared with the file at the end; `None` if nothing is.
    written: Option<Written>,
}

impl Device {
    /// Job number `job` of this configuration. The same seed gives the same operations; the jobs of one seed draw from
    /// streams that do not overlap.
    pub fn new(mut parameters: Parameters, job: u32, seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        for _ in 0..job {
            random.long_jump();
        }
        let mut stream = || {
            let stream = random.clone();
            random.jump();
            stream
        };
        let (blocks, mix, arrivals, lengths) = (stream(), stream(), stream(), stream());
        let depth = parameters.iodepth;
        let separates = parameters.mixes();
        parameters = parameters.alone();
        let begins = begins(&parameters, job);
        let families = match (parameters.rw.trims(), parameters.sync_file_range.is_some()) {
            (true, _) => FAMILIES,
            (false, true) => &FAMILIES[..TRIM_LATENCY],
            (false, false) => &FAMILIES[..SYNC_FILE_RANGE_LATENCY],
        };
        Self {
            separates,
            kind: 0,
            together: None,
            families,
            begins,
            blocks: Blocks::new(&parameters, job, blocks),
            written_lengths: parameters
                .sizes_differ()
                .then(|| Lengths::new(&parameters.bssplit_writes, parameters.bs, lengths.clone())),
            lengths: Lengths::new(&parameters.bssplit, parameters.bs, lengths),
            mix,
            arrivals: parameters.rate_per_s().map(|rate| Arrivals::new(rate, arrivals).from(begins)),
            slots: vec![Slot { way: Way::Read, length: 0, block: 0, intended: Nanos::ZERO }; depth as usize],
            slot_bytes: parameters.bs_max(),
            free: (0..depth).rev().collect(),
            payload: parameters.payload(),
            payload_next: parameters.payload().start,
            stopping: false,
            syncs: Syncs::new(&parameters),
            syncs_completed: 0,
            end_synced: false,
            pause: Pause::new(&parameters),
            started: 0,
            writes_in_flight: 0,
            reads: Moved::default(),
            writes: Moved::default(),
            trims: Moved::default(),
            written: Written::new(&parameters),
            parameters,
        }
    }

    /// All jobs of a trial, kind by kind.
    pub fn team(parameters: &Parameters, seed: u64) -> Vec<Self> {
        let kinds = parameters.kinds();
        let weights = kinds.iter().map(|kind| kind.parameters.flow);
        let together = parameters.has_others().then(|| Arc::new(Together::new(weights)));
        let of_kinds = &FAMILIES_OF_KINDS[..FAMILIES_OF_KINDS.len().min(FAMILIES.len() + kinds.len())];
        let separates = parameters.mixes();
        let jobs = |(kind, Kind { parameters: own, .. }): (usize, Kind)| {
            // The order of blocks differs from kind to kind.
            let other =
                seed.rotate_left(32) ^ u64::from(parameters.numjobs) ^ ((kind.max(1) as u64 - 1) << 32);
            let seed = if kind == 0 { seed } else { other };
            let together = together.clone();
            (0..own.numjobs).map(move |job| {
                let alone = Self::new(own.clone(), job, seed);
                let families = if together.is_some() { of_kinds } else { alone.families };
                Self { separates, kind, together: together.clone(), families, ..alone }
            })
        };
        kinds.into_iter().enumerate().flat_map(jobs).collect()
    }

    /// The same job with other limits: its blocks continue where they were and its counts start at zero. The job that
    /// is measured is the one that ramped up, and a sequential job does not read again what it has just read.
    #[must_use]
    pub fn go_on(self, mut parameters: Parameters) -> Self {
        let own = parameters.kinds().into_iter().nth(self.kind);
        parameters = own.map_or_else(|| parameters.alone(), |own| own.parameters);
        let arrivals =
            self.arrivals.zip(parameters.rate_per_s()).map(|(arrivals, rate)| arrivals.begin_anew(rate));
        Self {
            arrivals,
            stopping: false,
            syncs: Syncs::new(&parameters),
            syncs_completed: 0,
            end_synced: false,
            pause: Pause::new(&parameters),
            started: 0,
            writes_in_flight: 0,
            reads: Moved::default(),
            writes: Moved::default(),
            trims: Moved::default(),
            parameters,
            ..self
        }
    }

    /// Whether it counts the bytes of its operations, which may differ from `bs` times their number.
    fn counts_bytes(&self) -> bool {
        self.lengths.are_drawn() || self.written_lengths.is_some() || self.together.is_some()
    }

    /// The place of its kind in [`Parameters::kinds`].
    pub fn kind(&self) -> usize {
        self.kind
    }

    pub fn reads(&self) -> u64 {
        self.reads.operations
    }

    pub fn writes(&self) -> u64 {
        self.writes.operations
    }

    /// Holes that it punched.
    pub fn trims(&self) -> u64 {
        self.trims.operations
    }

    /// What it wrote last, if that is to be compared with the file.
    pub fn written(&self) -> Option<&Written> {
        self.written.as_ref()
    }

    pub fn syncs(&self) -> u64 {
        self.syncs_completed
    }

    /// Reads, writes and trims started.
    pub fn started(&self) -> u64 {
        self.started
    }

    /// For an open loop, the number of operations that were due when the runtime ended and had not started, because the
    /// device did not keep up with the rate. The first of them is known, the others are expected. 0 for a closed loop.
    pub fn unserved(&self, runtime: Nanos) -> u64 {
        let number_ios = self.parameters.number_ios;
        let left_max = if number_ios > 0 { number_ios - self.started } else { u64::MAX };
        Arrivals::unserved(self.arrivals.as_ref(), runtime, left_max)
    }

    fn update_limits(&mut self, now: Nanos) {
        let limits = &self.parameters;
        let all_started = limits.number_ios > 0 && self.started >= limits.number_ios;
        let time_over = limits.runtime > Nanos::ZERO && now >= limits.runtime;
        self.stopping = all_started || time_over;
        if let Some(together) = &self.together {
            if all_started {
                together.end();
            }
            self.stopping |= together.has_ended();
        }
    }

    /// Starts the operations that are due, as far as there is room.
    #[inline]
    fn start_due(&mut self, now: Nanos, out: &mut Vec<BlockOp>) -> Next {
        let p = &self.parameters;
        let limit = if p.number_ios > 0 { p.number_ios } else { u64::MAX };
        let end = if p.runtime > Nanos::ZERO { p.runtime } else { Nanos(u64::MAX) };
        if now < self.begins {
            return Next::At(self.begins.min(end));
        }
        while self.started < limit && self.syncs.state() == State::No {
            if self.together.as_ref().is_some_and(|together| !together.may_start(self.kind)) {
                return Next::At((now + together::LOOK_AGAIN).min(end));
            }
            if self.pause.is_on() {
                match self.pause.end(now, self.free.len() == self.slots.len()) {
                    None => return Next::Wait,
                    Some(at) if at > now => return Next::At(at.min(end)),
                    Some(_) => {}
                }
            }
            let Some(&id) = self.free.last() else { break };
            let intended = match &mut self.arrivals {
                None => now,
                Some(arrivals) if arrivals.next() <= now => arrivals.take(),
                Some(arrivals) => return Next::At(arrivals.next().min(end)),
            };
            self.free.pop();
            self.start(id, intended, out);
        }
        Next::Wait
    }

    #[inline]
    fn start(&mut self, id: u32, intended: Nanos, out: &mut Vec<BlockOp>) {
        let last = self.slots[id as usize];
        let way = self.next_way(last.way);
        let (length, block) = if way == Way::Write && self.parameters.rw.trims() {
            // What was trimmed is written, and the trim is complete.
            (last.length, last.block)
        } else {
            let lengths = match &mut self.written_lengths {
                Some(lengths) if way == Way::Write => lengths,
                Some(_) | None => &mut self.lengths,
            };
            let Length { bytes, blocks } = lengths.next();
            (bytes, self.blocks.next(u64::from(blocks)))
        };
        self.slots[id as usize] = Slot { way, length, block, intended };
        self.started += 1;
        if let Some(together) = &self.together {
            together.count(self.kind);
        }
        self.pause.count();
        let offset = block * u64::from(self.parameters.bs);
        let (kind, buffer) = match way {
            Way::Read => (BlockKind::Read, id * self.slot_bytes),
            Way::Write => {
                let kind = if self.parameters.atomic { BlockKind::WriteAtomic } else { BlockKind::Write };
                (kind, self.start_write(block, offset, length))
            }
            Way::Trim => (BlockKind::PunchHole, 0),
        };
        out.push(BlockOp { id, kind, file: DATA_FILE, offset, length, buffer });
    }

    #[inline]
    fn next_way(&mut self, last: Way) -> Way {
        match self.parameters.rw {
            Pattern::Read | Pattern::RandRead => Way::Read,
            Pattern::Write | Pattern::RandWrite => Way::Write,
            Pattern::ReadWrite | Pattern::RandReadWrite => {
                // Lemire's multiply-shift again: 0…99.
                let percent = (u128::from(self.mix.next_u64()) * 100) >> 64;
                if percent < u128::from(self.parameters.rwmixread) { Way::Read } else { Way::Write }
            }
            Pattern::TrimWrite | Pattern::RandTrimWrite if last == Way::Trim => Way::Write,
            Pattern::Trim | Pattern::RandTrim | Pattern::TrimWrite | Pattern::RandTrimWrite => Way::Trim,
        }
    }

    /// Counts a write and returns the place of its payload.
    #[inline]
    fn start_write(&mut self, block: u64, offset: u64, length: u32) -> u32 {
        self.writes_in_flight += 1;
        self.syncs.count(offset, length);
        let fits = self.payload_next + length as usize <= self.payload.end;
        let place = if fits { self.payload_next } else { self.payload.start };
        self.payload_next = place + length as usize;
        if let Some(written) = &mut self.written {
            written.begin(block, place);
        }
        place as u32
    }

    /// Starts nothing more except the sync at the end, after the last operation.
    fn finish(&mut self, out: &mut Vec<BlockOp>) -> Next {
        let p = &self.parameters;
        if !p.end_fsync || !p.writes() || self.end_synced {
            return Next::Done;
        }
        if self.free.len() == self.slots.len() {
            out.push(self.syncs.start(BlockKind::FullSync, p.iodepth));
            self.end_synced = true;
        }
        Next::Wait
    }
}

impl Workload for Device {
    type Op = BlockOp;

    fn poll(&mut self, now: Nanos, out: &mut Vec<BlockOp>) -> Next {
        self.update_limits(now);
        let next = match self.syncs.state() {
            State::UnderWay(_) | State::Due => self.complete_started(now, out),
            State::No if self.stopping => self.finish(out),
            State::No => self.start_due(now, out),
        };
        match next {
            Next::At(at) if self.together.is_some() => Next::At(at.min(now + together::SLEEP_MAX)),
            next => next,
        }
    }

    fn complete_started(&mut self, _: Nanos, out: &mut Vec<BlockOp>) -> Next {
        match self.syncs.state() {
            State::No => return Next::Done,
            State::Due if self.writes_in_flight == 0 => {
                out.push(self.syncs.start_due(self.parameters.iodepth));
            }
            State::Due | State::UnderWay(_) => {}
        }
        Next::Wait
    }

    #[inline]
    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        let Some(slot) = self.slots.get(completion.id as usize) else {
            let is_of_range = matches!(self.syncs.state(), State::UnderWay(BlockKind::RangeSync(_)));
            let family = if is_of_range { SYNC_FILE_RANGE_LATENCY } else { SYNC_LATENCY };
            recorder.latency(family, completion.began(), completion.ended());
            self.syncs_completed += 1;
            self.syncs.end();
            return;
        };
        let ended = completion.ended();
        let began = if self.arrivals.is_some() { slot.intended } else { completion.began() };
        recorder.latency(COMPLETION_LATENCY, began, ended);
        if self.separates {
            let family = match slot.way {
                Way::Read => READ_LATENCY,
                Way::Write => WRITE_LATENCY,
                Way::Trim => TRIM_LATENCY,
            };
            recorder.latency(family, began, ended);
        }
        if self.together.is_some() && FAMILIES.len() + self.kind < self.families.len() {
            recorder.latency(FAMILIES.len() + self.kind, began, ended);
        }
        let moved = match slot.way {
            Way::Read => &mut self.reads,
            Way::Write => &mut self.writes,
            Way::Trim => &mut self.trims,
        };
        moved.operations += 1;
        if self.lengths.are_drawn() || self.written_lengths.is_some() || self.together.is_some() {
            moved.add_bytes(slot.length, recorder.counts(ended));
        }
        self.writes_in_flight -= u32::from(slot.way == Way::Write);
        if let Some(written) = self.written.as_mut().filter(|_| slot.way == Way::Write) {
            written.end(slot.block);
        }
        self.free.push(completion.id);
    }

    fn in_flight_max(&self) -> usize {
        self.parameters.in_flight_max()
    }

    fn families(&self) -> &'static [&'static str] {
        self.families
    }
}

/// When a job begins.
fn begins(parameters: &Parameters, job: u32) -> Nanos {
    Nanos(
        parameters.start_delay.0.saturating_add(parameters.start_delay_step.0.saturating_mul(u64::from(job))),
    )
}

#[cfg(test)]
mod tests;
