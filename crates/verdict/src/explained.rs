//! Where the time of a study's operations went, by configuration: what its traced trials show together.

use model::traced::{Segment, SegmentTime, Stage};
use serde::Serialize;

/// Where the time of a study's operations went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    pub study: String,
    /// Why nothing can be traced here, and what would permit it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<String>,
    /// One for each configuration with a traced trial, in the plan's order.
    pub arms: Vec<ExplainedArm>,
}

/// A configuration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExplainedArm {
    /// Index in the study's plan.
    pub configuration: usize,
    /// Its levels of the factors.
    pub label: String,
    /// Trials with a trace.
    pub trials: usize,
    /// Why others have none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<String>,
    /// Events that were kept, over all trials.
    pub events: u64,
    /// Records for which the kernel had no room, over all trials.
    pub lost_records: u64,
    /// Events beyond the limit of what is kept, over all trials.
    pub events_beyond_limit: u64,
    /// Tracepoints that this kernel does not have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_tracepoints: Vec<String>,
    /// Whether a thread may have had several operations in flight: then the segments are what the thread waited for,
    /// and not the way of each request.
    pub is_overlapping: bool,
    /// What the study is about comes first.
    pub families: Vec<ExplainedFamily>,
}

/// The operations of one family of latencies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExplainedFamily {
    /// The family of metrics: `commit_latency`.
    pub family: String,
    /// Name of the phase that was traced.
    pub phase: String,
    /// Mean latency in the trials that were not traced, microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_mean_us: Option<f64>,
    /// Their 99th percentile, microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_p99_us: Option<f64>,
    /// Operations that the traces do not cover: nothing here counts them.
    pub unmatched: u64,
    /// Operations beyond the limit of stamps: nothing here counts them.
    pub unstamped: u64,
    /// All operations that the traces cover.
    pub all: Shares,
    /// The slowest hundredth of each trial's operations.
    pub slowest: Shares,
    /// The slowest operation of all, in the order of time.
    pub slowest_operation: Vec<SegmentTime>,
    /// The programs beside the operations whose names are known, in no order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub neighbours: Vec<Neighbour>,
}

/// A program beside operations.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Neighbour {
    pub program: String,
    /// Share of the operations' waiting to run while which it had the CPU, 0 to 1.
    pub waiting_share: f64,
    /// Share of the requests of other threads that were its, 0 to 1.
    pub requests_share: f64,
}

/// What the time of some operations was spent on.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Shares {
    pub operations: u64,
    /// Mean length of an operation while it was traced, microseconds.
    pub traced_mean_us: f64,
    /// Requests of other threads that the device got meanwhile, for each operation.
    pub foreign_requests_per_operation: f64,
    /// The largest first.
    pub parts: Vec<Part>,
}

/// A segment of the mean operation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Part {
    #[serde(flatten)]
    pub segment: Segment,
    /// Time of it in an operation, microseconds.
    pub mean_us: f64,
    /// Share of the time, 0 to 1.
    pub share: f64,
    /// The smallest share in any trial.
    pub share_min: f64,
    /// The largest.
    pub share_max: f64,
}

impl Shares {
    /// The share of a stage, for data and for the journal.
    pub fn of_stage(&self, stage: Stage) -> f64 {
        self.parts.iter().filter(|part| part.segment.stage == stage).map(|part| part.share).sum()
    }
}

impl ExplainedFamily {
    /// What an operation of it is called: `commit`.
    pub fn operation(&self) -> String {
        operation(&self.family)
    }
}

/// What an operation of a family of latencies is called: `commit` for `commit_latency`.
pub(crate) fn operation(family: &str) -> String {
    family.trim_end_matches("_latency").replace('_', " ")
}
