//! How far an observation is.

use crate::class::Class;
use crate::observation::Latency;

/// How far an observation is.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    pub duration_s: f64,
    /// Since the beginning: reads, writes, syncs.
    pub classes: [ClassProgress; Class::ALL.len()],
    pub processes: usize,
    pub lost_records: u64,
}

/// A class of operations so far.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassProgress {
    pub class: Class,
    pub operations: u64,
    pub bytes: u64,
    /// Now.
    pub in_flight: u64,
    pub latency: Option<Latency>,
    /// `None` if they were not asked for.
    pub spikes: Option<u64>,
}
