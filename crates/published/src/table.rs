//! What was published, in one form whatever it was read from. Everything is optional: pages leave things out.

use crate::latency::{Latency, time};
use model::IoMode;
use model::units::{format_bytes_approximate, format_significant};
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
}

/// Whether bytes come from the file or go to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From the file.
    Read,
    /// To the file.
    Write,
    /// Both.
    Mixed,
}

/// What of the file was in the page cache when the measurement began, where it was made so and proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    /// Nothing.
    Cold,
    /// All of it: the row is about memory, and says so.
    Warm,
}

/// Who decides when the next operation starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// The end of an earlier one: as many are in flight as possible.
    Closed,
    /// A schedule; the latency counts from the intended start and holds waiting too.
    Open,
}

/// One line of a table: one configuration, measured once or several times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// What tells it from the others.
    pub label: String,
    /// Where it stands: `line 4`.
    pub place: String,
    /// What it was measured with.
    pub setting: Setting,
    /// Operations completed per second.
    pub operations_per_s: Option<f64>,
    /// Bytes per second.
    pub bandwidth_bytes_per_s: Option<f64>,
    /// From an operation's submission to its end.
    pub latency: Latency,
    /// Operations in flight by Little's law where the row is a mean of several runs: the mean of each run's rate ×
    /// mean latency.
    pub in_flight_accounted: Option<f64>,
    /// Share of the bytes read that the page cache gave, where it was measured.
    pub page_cache_hit_share: Option<f64>,
    /// fio's completion latency (submission itself left out), where both are published.
    pub completion: Option<Latency>,
    /// Published figures with a spread between runs.
    pub estimates: Vec<Estimate>,
    /// Repetitions behind each figure; never operations.
    pub n: Option<u64>,
    /// Operations behind a percentile.
    pub operations: Option<u64>,
    /// Time measured, seconds.
    pub runtime_s: Option<f64>,
    /// Latency histogram: (ns, operations), ascending.
    pub bins: Vec<(f64, u64)>,
}

/// What a row was measured with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setting {
    /// The access pattern as published: `randread`.
    pub pattern: Option<String>,
    /// Which way the bytes go.
    pub direction: Option<Direction>,
    /// Buffered, direct …
    pub mode: Option<IoMode>,
    /// Bytes of one operation.
    pub block_bytes: Option<u64>,
    /// Operations in flight of each job.
    pub iodepth: Option<u64>,
    /// Jobs.
    pub numjobs: Option<u64>,
    /// Operations that can be in flight at all, where it is published instead of depth and jobs.
    pub in_flight: Option<u64>,
    /// What submits: `io_uring`, `psync`.
    pub engine: Option<String>,
    /// Whether what was written was synced within the measured time.
    pub synced: Option<bool>,
    /// Bytes of the file, or files.
    pub file_bytes: Option<u64>,
    /// Memory that the process was capped to.
    pub memory_cap_bytes: Option<u64>,
    /// Memory of the machine.
    pub memory_bytes: Option<u64>,
    /// What was in the page cache at first; `None` where nobody says.
    pub cache: Option<Cache>,
    /// Who decides when the next operation starts.
    pub arrivals: Option<Arrivals>,
    /// Further knobs by name.
    pub knobs: BTreeMap<String, String>,
}

impl Setting {
    /// Operations that can be in flight at once.
    pub fn in_flight_possible(&self) -> Option<u64> {
        self.in_flight.or_else(|| self.iodepth?.checked_mul(self.numjobs?))
    }

    /// Memory that can cache the file: the cap, or the machine's.
    pub fn cache_bytes(&self) -> Option<u64> {
        [self.memory_cap_bytes, self.memory_bytes].into_iter().flatten().min()
    }

    /// Whether the row writes.
    pub fn writes(&self) -> Option<bool> {
        self.direction.map(|direction| matches!(direction, Direction::Write | Direction::Mixed))
    }
}

/// What a published spread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpreadKind {
    /// Half the width of an interval, or an unexplained ±.
    HalfWidth,
    /// Standard deviation between runs.
    StandardDeviation,
}

/// How far runs lie apart, as published.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// Its column.
    pub column: String,
    /// What it is.
    pub kind: SpreadKind,
    /// The figure, in its column's unit.
    pub value: f64,
    /// Step of the last digit printed; 0 where the figure was not rounded.
    pub resolution: f64,
}

/// A published figure with a spread between runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Its column.
    pub column: String,
    /// Whether the row has the same figure among its own (rate, latency), under this name.
    pub same_as: Option<String>,
    /// The figure, in its column's unit.
    pub value: Option<f64>,
    /// Its spread.
    pub spread: Option<Spread>,
}

/// What kind of thing a number is: a check concerns some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Operations per second.
    Rate,
    /// Bytes per second.
    Bandwidth,
    /// Mean of latencies.
    LatencyMean,
    /// Standard deviation of latencies.
    LatencySd,
    /// Smallest or largest latency.
    LatencyExtreme,
    /// A percentile.
    LatencyPercentile,
    /// Any other published figure.
    Figure,
    /// An interval's half width or a standard deviation between runs.
    Spread,
}

/// One published number of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// `iops`, `latency p99`, or its column.
    pub name: String,
    /// What kind of thing it is.
    pub kind: Kind,
    /// The figure with its unit.
    pub text: String,
}

impl Row {
    /// Label and place: `direct (line 4)`.
    pub fn name(&self) -> String {
        if self.label.is_empty() { self.place.clone() } else { format!("{} ({})", self.label, self.place) }
    }

    /// Operations in flight that rate and mean latency imply, by Little's law.
    pub fn in_flight_implied(&self) -> Option<f64> {
        let of_means = || Some(self.operations_per_s? * self.latency.mean_ns? / 1e9);
        self.in_flight_accounted.or_else(of_means)
    }

    /// Every number that was published of this row.
    pub fn numbers(&self) -> Vec<Number> {
        let mut numbers = Vec::new();
        let mut add = |name: String, kind, text| numbers.push(Number { name, kind, text });
        if let Some(rate) = self.operations_per_s {
            add("iops".to_owned(), Kind::Rate, format!("{}/s", format_significant(rate)));
        }
        if let Some(bandwidth) = self.bandwidth_bytes_per_s {
            let text = format!("{}/s", format_bytes_approximate(bandwidth));
            add("bandwidth".to_owned(), Kind::Bandwidth, text);
        }
        let completion = self.completion.as_ref().map(|latency| ("completion latency", latency));
        for (name, latency) in std::iter::once(("latency", &self.latency)).chain(completion) {
            for (what, kind, value) in [
                ("mean", Kind::LatencyMean, latency.mean_ns),
                ("sd", Kind::LatencySd, latency.sd_ns),
                ("min", Kind::LatencyExtreme, latency.min_ns),
                ("max", Kind::LatencyExtreme, latency.max_ns),
            ] {
                if let Some(value) = value {
                    add(format!("{name} {what}"), kind, time(value));
                }
            }
            for percentile in &latency.percentiles {
                let text = time(percentile.value_ns);
                add(format!("{name} {}", percentile.name()), Kind::LatencyPercentile, text);
            }
        }
        for estimate in &self.estimates {
            if let (Some(value), None) = (estimate.value, &estimate.same_as) {
                add(estimate.column.clone(), Kind::Figure, format_significant(value));
            }
            if let Some(spread) = &estimate.spread {
                add(spread.column.clone(), Kind::Spread, format!("±{}", format_significant(spread.value)));
            }
        }
        numbers
    }
}
