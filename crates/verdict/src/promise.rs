//! What is known about each durability class's promise, as data.

use model::durability::DurabilityClass;
use serde::Serialize;

/// What a durability class promises, and what the trials that declare it say about that.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Promise {
    /// The class.
    pub class: DurabilityClass,
    /// The device's counters, for a class that promises to survive power loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flushes: Option<Flushes>,
    /// What kills say; `None` if no trial ended with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kills: Option<Kills>,
}

/// Whether the device saw as many flushes as acknowledgements need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Flushes {
    /// Trials of the class.
    pub trials: usize,
    /// Those of which it is known.
    pub known: usize,
    /// Those with fewer flushes, and without forced writes: each refutes the promise.
    pub too_few: usize,
}

/// How kills ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Kills {
    /// All of them.
    pub kills: usize,
    /// Those that left no result: their trial is lost, or failed.
    pub without_result: usize,
    /// Those after which an acknowledged entry was missing.
    pub losing: usize,
    /// Most entries that were missing after one.
    pub entries_max: f64,
    /// The largest share of kills that could lose an entry, at 95 %.
    pub share_losing_at_most: f64,
}
