//! What the ranks of one launch measured together on storage that they share.

use crate::trial::TrialKey;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How far the clock of a rank is ahead of the clock of rank 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClockOffset {
    pub rank: u32,
    /// Its `CLOCK_MONOTONIC` minus that of rank 0, seconds.
    pub offset_s: f64,
    /// How far off that is at most, seconds: half of the shortest round trip (Cristian 1989, "Probabilistic clock
    /// synchronization"), and half of what the clock has drifted if it was compared twice.
    pub uncertainty_s: f64,
}

/// One trial on all ranks that measured it: a line of `shared.jsonl`, beside the records of rank 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SharedTrial {
    /// Format of this line ([`crate::FORMAT_VERSION`]).
    pub format_version: u32,
    pub key: TrialKey,
    /// Ranks that measured; the others waited.
    pub ranks: u32,
    /// The clocks of all ranks beside the first in the middle of the turns: compared right before the first and right
    /// after the last.
    pub clocks: Vec<ClockOffset>,
    /// Slices in which all ranks measured.
    pub slices: u32,
    /// Slices that all ranks measured, but not at the same time: nothing else here counts them.
    pub apart: u32,
    /// Seconds in which all ranks measured, over all slices.
    pub common_s: f64,
    /// What all ranks together did per second of those seconds, by metric: the sum of their own. A rate that one of
    /// them lacks is absent, and so is one of a phase in which they took no turns.
    pub rates: BTreeMap<String, f64>,
    /// Seconds from the first rank's start to the last one's.
    pub start_skew: Skew,
    /// Seconds from the end of the first rank that was done to the end of the last.
    pub end_skew: Skew,
    /// The 99th percentile of each family of latencies over the operations of all ranks, microseconds: their histograms
    /// are added. A family with too few operations is absent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub latency_p99_us: BTreeMap<String, f64>,
    /// What each rank did, in order.
    pub by_rank: Vec<RankShare>,
}

/// How far apart ranks were, over the slices of a trial.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Skew {
    /// Mean, seconds.
    pub mean_s: f64,
    /// Largest, seconds.
    pub max_s: f64,
    /// How far off each of the two is at most, because clocks are compared by messages: the uncertainties of two ranks,
    /// seconds.
    pub uncertainty_s: f64,
}

/// The share of one rank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankShare {
    pub rank: u32,
    /// What it did per second while all ranks measured, by metric: its own figure, times what it completed per second
    /// in that time of the metric's phase over what it completed per second in its windows there.
    pub rates: BTreeMap<String, f64>,
    /// Slices in which it was the last to be done.
    pub last_done: u32,
    /// The 99th percentile of each family of its latencies, microseconds. A family with too few operations is absent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub latency_p99_us: BTreeMap<String, f64>,
}
