//! What a phase of a trial did, whatever its workload names its metrics: operations in flight, and flushes.

use crate::description::SyncUnit;
use serde::{Deserialize, Serialize};

/// Operations of one kind: how many completed per second, and how long each was in flight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredStream {
    /// Latencies recorded per second.
    pub latencies_per_s: f64,
    /// Mean latency, seconds.
    pub latency_mean_s: f64,
    /// Their standard deviation, seconds; `None` in records of before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_sd_s: Option<f64>,
    /// Operations behind one latency, at most.
    pub overlapping_max: u64,
}

/// What asked for flushes, and the flushes that the device counted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredFlushes {
    pub unit: SyncUnit,
    /// Units in the phase, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<f64>,
    /// Flushes per unit; `None` if the device does not count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_unit: Option<f64>,
    /// Whether every write asked the drive to force it to media, if it can (FUA).
    pub is_forced: bool,
}
