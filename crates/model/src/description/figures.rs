//! Which metrics say what: what the verdict asks before it reads a record's figures.

use super::{Flushes, Hits, Load, Multiple, Timed};
use serde::{Deserialize, Serialize};

/// Which metrics of a trial say what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Figures {
    /// Latency families whose curves are drawn. The first counts what a trial does, so its series is the throughput.
    pub families: Vec<String>,
    /// Latencies, and shares of them, that time a part of the work only.
    pub timed: Vec<Timed>,
    /// Whether trials count the operations in flight beside rates and latencies of the same phase.
    pub counts_in_flight: bool,
    /// Operations with a rate and a latency each, which together are what is in flight; none if that is unknown.
    pub loads: Vec<Load>,
    /// Metrics that are multiples of others, and compare as those do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub multiples: Vec<Multiple>,
    /// What asks for flushes, and how flushes are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flushes: Option<Flushes>,
    /// Which metric tells how much of what was read came from the page cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hits: Option<Hits>,
    /// Metrics of what an engine's files take, per byte of data, and of how much of them is cached when the data was
    /// read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store_cache: Option<(String, String)>,
    /// Metric of the bytes that reached the device per byte written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached_device: Option<String>,
}
