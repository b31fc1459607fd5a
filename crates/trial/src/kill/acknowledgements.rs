//! How many entries each thread has acknowledged, in memory that outlives the process.

use crate::refusal::Refusal;
use disk::shared_counters::SharedCounters;
use model::trial::TrialSpec;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use workload::append::Progress;

/// Counters of one thread, on their own cache lines: acknowledged, written.
const STRIDE: usize = 16;

/// The counters of a trial's threads.
pub(super) struct Acknowledgements(SharedCounters);

impl Acknowledgements {
    /// Creates the counters, all zero, in place of those that an earlier trial left.
    pub(super) fn create(spec: &TrialSpec, threads: u32) -> Result<Self, Refusal> {
        Self::remove(spec);
        let counters = SharedCounters::create(&path(spec), threads as usize * STRIDE);
        counters.map(Self).map_err(Refusal::failed)
    }

    /// Opens the counters that another process created.
    pub(super) fn open(spec: &TrialSpec) -> Result<Self, Refusal> {
        SharedCounters::open(&path(spec)).map(Self).map_err(Refusal::failed)
    }

    /// Removes their file, if there is one.
    pub(super) fn remove(spec: &TrialSpec) {
        let _ = fs::remove_file(path(spec));
    }

    pub(super) fn by_thread(&self) -> impl Iterator<Item = u64> {
        self.0.counters().iter().step_by(STRIDE).map(|counter| counter.load(Ordering::Acquire))
    }

    /// Where each thread publishes.
    pub(super) fn progress(&self) -> impl Iterator<Item = Progress<'_>> {
        let threads = self.0.counters().chunks_exact(STRIDE);
        threads.map(|counters| Progress { acknowledged: &counters[0], written_bytes: &counters[STRIDE / 2] })
    }
}

fn path(spec: &TrialSpec) -> PathBuf {
    spec.work_directory.join("acknowledged")
}
