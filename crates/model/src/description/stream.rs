//! The operations of a configuration.

use crate::IoMode;
use serde::{Deserialize, Serialize};

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From the device.
    Read,
    /// To the device.
    Write,
}

/// Operations of one kind: in one direction, on files of one role, of one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stream {
    /// Which way bytes go.
    pub direction: Direction,
    /// The role of the file that they move: `data`, `wal`, `log`.
    pub role: String,
    /// How the page cache takes part.
    pub mode: IoMode,
    /// Whether offsets come at random; `None` if an engine decides them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_random: Option<bool>,
    /// Bytes of one operation; `None` if an engine decides them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_bytes: Option<u64>,
    /// The share of operations in this direction that have as many bytes; `None` if all have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Operations of this kind that may be in flight at a time, over all threads; `None` if an engine decides them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_flight_max: Option<u64>,
    /// The parameter that sets those bytes, if they must suit the device's alignment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_parameter: Option<String>,
    /// Bytes that a trial moves at most, with what it loads first; `None` if that follows from its operations or its
    /// time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial_bytes_max: Option<u64>,
}

impl Stream {
    /// Whether the page cache is left out.
    pub fn is_direct(&self) -> bool {
        self.mode == IoMode::Direct
    }
}

/// What is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Bytes that do not compress.
    #[default]
    Random,
    Zero,
    /// Bytes that compress.
    Compressible,
}

/// Operations that each thread keeps in flight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Depth {
    pub parameter: String,
    pub operations: u64,
}

/// The arrivals of an open loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arrivals {
    /// The parameter that sets their rate.
    pub parameter: String,
    /// Arrivals per second over all threads.
    pub per_s: f64,
    /// Metrics of what was completed, each of the phase that reports it.
    pub rates: Vec<String>,
}

/// Operations of one kind that come with each operation of another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationRatio {
    pub parameter: String,
    pub level: u64,
    /// The metric that reports the realised value.
    pub realised: String,
    /// Whether the workload waits to hold it; otherwise it is a lower bound.
    pub is_held: bool,
}
