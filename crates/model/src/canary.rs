//! A canary for devices that compress: the same bytes written and read as zeros and as random data, side by side.

use serde::{Deserialize, Serialize};

/// What zeros and random data cost on the device below the files, measured before a run's first trial there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompressionCanary {
    /// Bytes that each figure moved, with direct I/O.
    pub bytes: u64,
    /// Pairs measured next to each other, in alternating order: each is one replicate.
    pub pairs: Vec<CanaryPair>,
}

/// Seconds that one pair took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CanaryPair {
    /// Writing random data and fdatasync.
    pub random_write_s: f64,
    /// Writing zeros and fdatasync.
    pub zero_write_s: f64,
    /// Reading random data back.
    pub random_read_s: f64,
    pub zero_read_s: f64,
}
