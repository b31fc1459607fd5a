//! Which metrics count a configuration's operations.

use serde::{Deserialize, Serialize};

/// How often something happens in a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rate {
    /// Once for this number of operations of a rate per second.
    Every { metric: String, operations: u64 },
    /// This number of times in a trial.
    Times(u64),
}

impl Rate {
    /// With each operation of a rate.
    pub fn each(metric: &str) -> Self {
        Self::Every { metric: metric.to_owned(), operations: 1 }
    }

    /// Once for this number of operations of a rate.
    pub fn every(operations: u64, metric: &str) -> Self {
        Self::Every { metric: metric.to_owned(), operations }
    }
}

/// Operations that one latency times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// The role of the file whose bytes they move: that of a [`super::Stream`]. A sync moves none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// How often it is recorded: the sum of these.
    pub rates: Vec<Rate>,
    pub latency: String,
    /// Operations behind one latency, at most: several that are submitted together are in flight once at least and each
    /// of them at most.
    pub overlapping_max: u64,
}

impl Load {
    /// One latency for each operation of a rate.
    pub fn each(metric: &str, latency: &str) -> Self {
        Self { role: None, rates: vec![Rate::each(metric)], latency: latency.to_owned(), overlapping_max: 1 }
    }

    /// The same for operations that move bytes of a file of this role.
    pub fn moving(role: &str, metric: &str, latency: &str) -> Self {
        Self { role: Some(role.to_owned()), ..Self::each(metric, latency) }
    }
}

/// What is acknowledged as durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SyncUnit {
    Commit,
    Sync,
    Entry,
}

impl SyncUnit {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Sync => "sync",
            Self::Entry => "entry",
        }
    }
}

/// A metric that counts per operation, and the operations of one unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    pub metric: String,
    /// Operations of one unit.
    pub operations: u64,
}

/// What asks for flushes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flushes {
    pub unit: SyncUnit,
    /// How often it happens: the sum of these.
    pub rates: Vec<Rate>,
    /// The metric of flushes; `None` takes the device's own count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<Counted>,
    /// Whether every write asks the drive to force it to media, if it can (FUA).
    pub is_forced: bool,
    /// Whether only trials that declare to survive a power loss ask for any.
    pub if_declared: bool,
    /// The metric family that times a sync by itself, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync_latency: Option<String>,
    /// The metric family that times a write until it is acknowledged as durable, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged_latency: Option<String>,
}

impl Flushes {
    /// Whether any latency ends with an acknowledgement.
    pub const fn has_latency(&self) -> bool {
        self.sync_latency.is_some() || self.acknowledged_latency.is_some()
    }
}

/// How much of what was read came from the page cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hits {
    /// A metric of bytes that the device gave per read of this number of bytes.
    Fetched {
        metric: String,
        /// Bytes of a read.
        read_bytes: u64,
    },
    /// A metric of the share; if readahead leaves it none, from the counters and the rate of reads of this number of
    /// bytes.
    Share {
        metric: String,
        /// The rate of reads.
        reads: String,
        /// Bytes of a read.
        read_bytes: u64,
    },
    /// A share for each pass over the data.
    OfPasses,
}

/// A metric that is another one times a constant of the configuration, by definition. The two compare alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Multiple {
    pub metric: String,
    pub of: String,
    pub times: f64,
}

impl Multiple {
    /// `metric = times × of`.
    pub fn new(metric: &str, times: f64, of: &str) -> Self {
        Self { metric: metric.to_owned(), of: of.to_owned(), times }
    }
}
