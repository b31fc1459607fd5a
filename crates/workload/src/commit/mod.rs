//! WAL group commit beside concurrent random reads: the experiment of page 000.
//!
//! One [`Commit`] is one committer. It keeps `read_depth` page reads in flight. It writes a group of records, syncs it,
//! then acknowledges it. A commit starts when the log is idle and `reads_per_commit` reads have completed since the
//! previous commit started. [`Pacing::Exact`] issues no more reads than that for a commit, so the ratio holds. With
//! [`Pacing::Trigger`] reads continue during write and sync, as on page 000, and the ratio is only a lower bound.

mod definitions;
mod describe;
mod levels;
mod metrics;
mod parameters;
mod schema;

pub use levels::{GroupWrite, Pacing, Sync};
pub use metrics::metrics;
pub use parameters::{Handles, PARAMETERS, Parameters};
pub use schema::SCHEMA;

use driver::{Next, Recorder, Workload};
use model::{BlockKind, BlockOp, Completion, Nanos};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Index of the data file in the trial's file table.
pub const DATA_FILE: u16 = 0;
/// Index of the write-ahead log in the trial's file table.
pub const WAL_FILE: u16 = 1;

const FAMILIES: &[&str] = &["commit_latency", "sync_latency", "write_latency", "read_latency"];
const COMMIT_LATENCY: usize = 0;
const SYNC_LATENCY: usize = 1;
const WRITE_LATENCY: usize = 2;
const READ_LATENCY: usize = 3;

/// What the log is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Log {
    Idle,
    /// Writes in flight: their number, and when the first was submitted.
    Writing {
        outstanding: u32,
        began: Option<Nanos>,
        ended: Nanos,
    },
    /// Every write is done; the sync has not been submitted yet.
    Written {
        began: Nanos,
    },
    /// The sync is in flight.
    Syncing {
        began: Nanos,
    },
}

/// One committer: a log and its reads.
#[derive(Clone, Debug)]
pub struct Commit {
    parameters: Parameters,
    random: Xoshiro256PlusPlus,
    log: Log,
    wal_position: u64,
    /// Set once a limit is reached or the log is full: nothing new starts.
    stopping: bool,
    commits_started: u64,
    commits_acknowledged: u64,
    reads_issued: u64,
    reads_completed: u64,
    /// With `Pacing::Trigger`, completed reads when the last commit started.
    reads_at_start: u64,
    free_reads: Vec<u32>,
}

impl Commit {
    /// A committer of this configuration; the same seed gives the same reads.
    pub fn new(parameters: Parameters, seed: u64) -> Self {
        Self {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            log: Log::Idle,
            wal_position: 0,
            stopping: false,
            commits_started: 0,
            commits_acknowledged: 0,
            reads_issued: 0,
            reads_completed: 0,
            reads_at_start: 0,
            free_reads: (0..parameters.read_depth).rev().collect(),
            parameters,
        }
    }

    pub fn commits(&self) -> u64 {
        self.commits_acknowledged
    }

    /// Page reads completed.
    pub fn reads(&self) -> u64 {
        self.reads_completed
    }

    /// Whether it ended before its limit because the log was full and cannot wrap.
    pub fn log_full(&self) -> bool {
        self.wal_is_full()
    }

    fn wal_is_full(&self) -> bool {
        !self.parameters.wal_layout.is_reusable()
            && self.wal_position + self.parameters.group_bytes() > self.parameters.wal_size
    }

    fn update_limits(&mut self, now: Nanos) {
        let limits = &self.parameters;
        let groups_done = limits.groups > 0 && self.commits_started >= limits.groups;
        let time_over = limits.runtime > Nanos::ZERO && now >= limits.runtime;
        self.stopping = groups_done || time_over || self.wal_is_full();
    }

    /// Number of reads that must be complete before the next commit starts.
    fn may_start_commit(&self) -> bool {
        if self.log != Log::Idle || self.stopping {
            return false;
        }
        if self.parameters.read_depth == 0 {
            return true;
        }
        match self.parameters.pacing {
            Pacing::Exact => {
                self.reads_completed >= (self.commits_started + 1) * self.parameters.reads_per_commit
            }
            Pacing::Trigger => self.reads_completed - self.reads_at_start >= self.parameters.reads_per_commit,
        }
    }

    fn start_commit(&mut self, out: &mut Vec<BlockOp>) {
        let p = &self.parameters;
        let group_bytes = p.group_bytes();
        if self.wal_position + group_bytes > p.wal_size {
            self.wal_position = 0;
        }
        let payload = p.payload_offset(self.commits_started);
        let kind = if p.sync == Sync::Dsync { BlockKind::WriteDsync } else { BlockKind::Write };
        let (writes, length) =
            if p.is_coalesced() { (1, group_bytes) } else { (p.group_size, p.record_size) };
        for index in 0..writes {
            let within = u64::from(index) * length;
            out.push(BlockOp {
                id: p.read_depth + index,
                kind,
                file: WAL_FILE,
                offset: self.wal_position + within,
                length: length as u32,
                buffer: payload + within as u32,
            });
        }
        self.log = Log::Writing { outstanding: writes, began: None, ended: Nanos::ZERO };
        self.wal_position += group_bytes;
        self.commits_started += 1;
        self.reads_at_start = self.reads_completed;
    }

    fn start_sync(&mut self, began: Nanos, out: &mut Vec<BlockOp>) {
        let kind =
            if self.parameters.sync == Sync::Fsync { BlockKind::FullSync } else { BlockKind::DataSync };
        let id = self.parameters.read_depth + self.parameters.group_size;
        out.push(BlockOp { id, kind, file: WAL_FILE, offset: 0, length: 0, buffer: 0 });
        self.log = Log::Syncing { began };
    }

    fn issue_reads(&mut self, out: &mut Vec<BlockOp>) {
        let p = &self.parameters;
        let allowance = match p.pacing {
            // The next commit's reads may run beside the current commit; after the last commit there are none.
            Pacing::Exact => {
                let commits = self.commits_started + 1;
                let commits = if p.groups > 0 { commits.min(p.groups) } else { commits };
                commits * p.reads_per_commit
            }
            Pacing::Trigger => u64::MAX,
        };
        let pages = p.data_size / u64::from(p.page_size);
        while self.reads_issued < allowance {
            let Some(id) = self.free_reads.pop() else { return };
            // Lemire's multiply-shift: uniform to within 2⁻⁶⁴ × pages, without a division.
            let page = ((u128::from(self.random.next_u64()) * u128::from(pages)) >> 64) as u64;
            out.push(BlockOp {
                id,
                kind: BlockKind::Read,
                file: DATA_FILE,
                offset: page * u64::from(p.page_size),
                length: p.page_size,
                buffer: id * p.page_size,
            });
            self.reads_issued += 1;
        }
    }

    fn acknowledge(&mut self, began: Nanos, ended: Nanos, recorder: &mut Recorder) {
        recorder.latency(COMMIT_LATENCY, began, ended);
        self.commits_acknowledged += 1;
        self.log = Log::Idle;
    }

    fn complete_write(&mut self, completion: &Completion, recorder: &mut Recorder) {
        let Log::Writing { outstanding, began, ended } = self.log else { return };
        let completed = completion.ended();
        let submitted = completed - completion.latency();
        let began = began.map_or(submitted, |earlier| earlier.min(submitted));
        let ended = ended.max(completed);
        if outstanding > 1 {
            self.log = Log::Writing { outstanding: outstanding - 1, began: Some(began), ended };
            return;
        }
        recorder.latency(WRITE_LATENCY, began, ended);
        match self.parameters.sync {
            Sync::Fdatasync | Sync::Fsync => self.log = Log::Written { began },
            Sync::Dsync | Sync::None => self.acknowledge(began, ended, recorder),
        }
    }
}

impl Workload for Commit {
    type Op = BlockOp;

    fn poll(&mut self, now: Nanos, out: &mut Vec<BlockOp>) -> Next {
        self.update_limits(now);
        if let Log::Written { began } = self.log {
            self.start_sync(began, out);
        }
        if self.may_start_commit() {
            self.start_commit(out);
            self.update_limits(now);
        }
        let reads_run_on = self.parameters.pacing == Pacing::Trigger && self.log != Log::Idle;
        if !self.stopping || reads_run_on {
            self.issue_reads(out);
        }
        if self.stopping && self.log == Log::Idle { Next::Done } else { Next::Wait }
    }

    fn complete_started(&mut self, _: Nanos, out: &mut Vec<BlockOp>) -> Next {
        match self.log {
            Log::Idle => return Next::Done,
            Log::Written { began } => self.start_sync(began, out),
            Log::Writing { .. } | Log::Syncing { .. } => {}
        }
        Next::Wait
    }

    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        if completion.id < self.parameters.read_depth {
            recorder.latency(READ_LATENCY, completion.began(), completion.ended());
            self.reads_completed += 1;
            self.free_reads.push(completion.id);
        } else if completion.id < self.parameters.read_depth + self.parameters.group_size {
            self.complete_write(completion, recorder);
        } else if let Log::Syncing { began } = self.log {
            recorder.latency(SYNC_LATENCY, completion.began(), completion.ended());
            self.acknowledge(began, completion.ended(), recorder);
        }
    }

    fn in_flight_max(&self) -> usize {
        (self.parameters.read_depth + self.parameters.group_size + 1) as usize
    }

    fn families(&self) -> &'static [&'static str] {
        FAMILIES
    }
}

#[cfg(test)]
mod tests;
