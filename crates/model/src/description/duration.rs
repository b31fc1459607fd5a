//! How long a trial of a configuration lasts.

use serde::{Deserialize, Serialize};

/// What a trial is asked to last, and what else takes time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Duration {
    /// Seconds that one phase takes by time; 0 if only a count ends it.
    pub phase_s: f64,
    /// Phases of this length.
    pub phases: u32,
    /// Operations that end the trial, over all phases and threads, if they come first; 0 if time alone ends it.
    pub operations: u64,
    /// Operations of a load before those phases.
    pub loaded: u64,
    /// Whether a phase ends at its time, but for what is in flight: not if a sync at its end has to write what memory
    /// took.
    pub ends_on_time: bool,
    /// Seconds that a phase goes on beyond its time at most, because it ends when its work has come round.
    pub extension_max_s: f64,
    /// Seconds that the workload runs after its files are ready and before it is measured.
    pub ramp_s: f64,
    /// Seconds that it runs at least to become steady.
    pub steady_min_s: f64,
    /// Seconds that it runs at most to become steady.
    pub steady_max_s: f64,
    /// Seconds of pauses between the operations that end the trial; 0 if time ends it.
    pub paused_s: f64,
    /// Seconds that the lab waits before it.
    pub idle_s: f64,
    /// Seconds that the files have to be left alone before it.
    pub age_s: f64,
    /// Bytes that are moved whatever the time: files that are looked at, a dataset that is read as often as it has
    /// passes.
    pub moved_bytes: u64,
}

impl Duration {
    /// Seconds that the workload runs unmeasured, at most.
    pub fn unmeasured_max_s(&self) -> f64 {
        self.ramp_s + self.steady_max_s
    }

    /// Whether a phase may end after a number of operations, before its time or because it has none.
    pub fn ends_by_count(&self) -> bool {
        self.phase_s <= 0.0 || self.operations > 0
    }

    /// Whether nothing but a count ends a part of the trial: a load, a pass, or phases without a time.
    pub fn has_no_end_by_time(&self) -> bool {
        self.phase_s <= 0.0 || self.loaded > 0
    }

    /// Seconds of all phases by their time.
    pub fn timed_s(&self) -> f64 {
        self.phase_s * f64::from(self.phases)
    }

    /// Seconds that its phases last at least: what may end by a count may end at once.
    pub fn timed_least_s(&self) -> f64 {
        if self.operations > 0 { 0.0 } else { self.timed_s() }
    }

    /// Seconds that a trial lasts at least beside its phases, if what becomes steady does so at once.
    pub fn beside_least_s(&self) -> f64 {
        self.paused_s + self.ramp_s + self.steady_min_s + self.idle_s
    }
}
