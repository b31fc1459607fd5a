//! How far an observation is.

use crate::class::Class;
use crate::observation::Latency;

/// How far an observation is.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    pub duration_s: f64,
    /// Since the beginning: reads, writes, syncs.
    pub classes: [ClassProgress; Class::ALL.len()],
    /// The share of the time in which calls were recorded.
    pub recorded_share: f64,
    pub processes: usize,
    pub lost_records: u64,
}

/// A class of operations so far.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassProgress {
    pub class: Class,
    /// For how long they were recorded.
    pub seen_s: f64,
    /// Those that were seen.
    pub operations: u64,
    pub bytes: u64,
    /// Now.
    pub in_flight: u64,
    pub latency: Option<Latency>,
    /// `None` if they were not asked for.
    pub spikes: Option<u64>,
}
