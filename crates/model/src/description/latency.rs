//! Latencies that time a part of the work only.

use serde::{Deserialize, Serialize};

/// A latency, or a share made of one, and the part of the work that it times. Arms in which it times different parts do
/// not compare.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timed {
    pub family: String,
    /// The parameter that decides the part.
    pub parameter: String,
    /// What this configuration times.
    pub part: Part,
    /// What holds all of the work.
    pub instead: Whole,
}

/// A part of the work of making something durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The device has the data before the sync begins.
    WrittenBeforeSync,
    /// The sync writes the data.
    WrittenBySync,
    /// The write itself makes the data durable.
    DurableByWrite,
    /// A sync after the write does.
    DurableBySync,
    /// A worker of the kernel syncs; the way there is timed too.
    SyncedByWorker,
    /// The thread that asked for it syncs.
    SyncedByCaller,
    /// A write ends when the device has the data.
    UntilDevice,
    /// A write ends when memory has the data.
    UntilMemory,
}

/// A metric that holds all of the work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Whole {
    pub metric: String,
    /// A parameter, and the level that it needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<(String, String)>,
}
