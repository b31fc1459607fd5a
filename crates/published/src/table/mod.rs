//! What was published, in one form whatever it was read from. Everything is optional: pages leave things out.

mod estimate;
mod number;
mod setting;
mod sync;

pub use estimate::{Estimate, Median, Spread, SpreadKind};
pub use number::{Kind, Number};
pub(crate) use setting::is_engine;
pub use setting::{Arrivals, Cache, Direction, Setting};
pub use sync::{Sync, System};

use crate::device_file::Disk;
use crate::latency::Latency;
use crate::number::Printed;
use std::collections::BTreeMap;

/// Rows that somebody published, and where they came from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The file's name.
    pub source: String,
    /// Columns that were understood: the column's name and the role it plays.
    pub columns: Vec<(String, String)>,
    /// Columns that nothing was made of.
    pub unknown_columns: Vec<String>,
    /// What the reader has to say: sentences.
    pub remarks: Vec<String>,
    /// The rows, in the file's order.
    pub rows: Vec<Row>,
    /// Figures of disks in files for a scheduler, which have checks of their own.
    pub disks: Vec<Disk>,
}

/// What a latency is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timed {
    /// A read or a write, from its submission to its end.
    Operation,
    /// `fsync` or `fdatasync` alone.
    Sync,
    /// A whole commit: its write and its sync.
    Commit,
}

impl Timed {
    /// What its numbers' names begin with.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Operation => "latency",
            Self::Sync => "sync latency",
            Self::Commit => "commit latency",
        }
    }
}

/// One line of a table: one configuration, measured once or several times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// What tells it from the others.
    pub label: String,
    /// Where it stands: `line 4`.
    pub place: String,
    /// The study it belongs to, if there are several: rows of different studies answer different questions and are not
    /// compared.
    pub study: Option<String>,
    /// What it was measured with.
    pub setting: Setting,
    /// Operations completed per second.
    pub operations_per_s: Option<f64>,
    /// Bytes per second.
    pub bandwidth_bytes_per_s: Option<f64>,
    /// From an operation's submission to its end.
    pub latency: Latency,
    /// For `fsync` or `fdatasync` alone.
    pub sync: Latency,
    /// For a whole commit: its write and its sync.
    pub commit: Latency,
    /// Commits per second, where `operations_per_s` counts the reads beside them.
    pub commits_per_s: Option<f64>,
    /// Syncs under way at a time: syncs per second × their mean latency. Their time is in no operation's.
    pub syncs_under_way: Option<f64>,
    /// Step of the last digit that a number was printed with, in its unit, by the number's name; none if it was not
    /// rounded.
    pub steps: BTreeMap<String, f64>,
    /// Operations in flight by Little's law where the row is a mean of several runs: the mean of each run's rate ×
    /// mean latency.
    pub in_flight_accounted: Option<f64>,
    /// Share of the bytes read that the page cache gave, where it was measured.
    pub page_cache_hit_share: Option<f64>,
    /// fio's completion latency (submission itself left out), where both are published.
    pub completion: Option<Latency>,
    /// Published figures with a spread between runs.
    pub estimates: Vec<Estimate>,
    /// Its place in a ranking that is published with it.
    pub rank: Option<u64>,
    /// Repetitions behind each figure; never operations.
    pub n: Option<u64>,
    /// Operations behind a percentile.
    pub operations: Option<u64>,
    /// Time measured, seconds.
    pub runtime_s: Option<f64>,
    /// Latency histogram: (ns, operations), ascending.
    pub bins: Vec<(f64, u64)>,
}

/// The study and the access pattern.
pub(crate) type Comparison<'a> = (Option<&'a str>, Option<&'a str>);

impl Row {
    /// Label and place: `direct (line 4)`.
    pub fn name(&self) -> String {
        if self.label.is_empty() { self.place.clone() } else { format!("{} ({})", self.label, self.place) }
    }

    /// What rows have in common that are taken to be compared.
    pub(crate) fn comparison(&self) -> Comparison<'_> {
        (self.study.as_deref(), self.setting.pattern.as_deref())
    }

    /// One of the row's latencies.
    pub fn latency_of(&self, timed: Timed) -> &Latency {
        match timed {
            Timed::Operation => &self.latency,
            Timed::Sync => &self.sync,
            Timed::Commit => &self.commit,
        }
    }

    pub(crate) fn latency_of_mut(&mut self, timed: Timed) -> &mut Latency {
        match timed {
            Timed::Operation => &mut self.latency,
            Timed::Sync => &mut self.sync,
            Timed::Commit => &mut self.commit,
        }
    }

    /// Keeps how far the number of this name was rounded.
    pub(crate) fn measured(&mut self, name: &str, figure: Printed) -> f64 {
        self.steps.insert(name.to_owned(), figure.step);
        figure.value
    }

    /// How far the number of this name may lie from what was measured, in its unit: the step of its last digit, as people
    /// both round and cut.
    pub(crate) fn step(&self, name: &str) -> f64 {
        self.steps.get(name).copied().unwrap_or(0.0)
    }

    /// The same as a share of its value, at most 1.
    pub(crate) fn rounding(&self, name: &str, value: f64) -> f64 {
        let share = self.step(name) / value;
        if share.is_finite() { share.min(1.0) } else { 0.0 }
    }

    /// Operations in flight that rate and mean latency imply, by Little's law.
    pub fn in_flight_implied(&self) -> Option<f64> {
        let of_means = || Some(self.operations_per_s? * self.latency.mean_ns? / 1e9);
        self.in_flight_accounted.or_else(of_means)
    }
}
