//! Checks that a published number can be believed, one file each. To add one: its file and its line in [`CHECKS`].

mod bandwidth;
mod buffered_writes_without_fsync;
mod duplicated_latency;
mod impossible_order;
mod latency_comb;
mod littles_law;
mod n_hidden;
mod not_direct;
mod quantised_intervals;
mod readings;
mod same_knobs;
mod too_few_repeats;
mod too_short;
mod working_set;

pub(crate) use readings::{Concern, Reading, Readings};

use crate::table::{Kind, Table};
use verdict::{Audit, Reach, Status};

/// What a check finds; its name is in the list.
#[derive(Clone, Debug)]
pub(crate) struct Judgement {
    pub(crate) audit: Audit,
    pub(crate) readings: Vec<Reading>,
}

/// What a check has to say, by outcome.
struct Words {
    /// Where nothing was found.
    pass: String,
    /// Where something was.
    off: String,
    /// What to do then.
    advice: &'static str,
    /// Where no row has what it takes.
    missing: &'static str,
}

/// A check's name and what it does.
type Check = (&'static str, fn(&Table) -> Judgement);

const CHECKS: &[Check] = &[
    ("littles-law", littles_law::check),
    ("quantised-intervals", quantised_intervals::check),
    ("duplicated-latency", duplicated_latency::check),
    ("impossible-order", impossible_order::check),
    ("bandwidth", bandwidth::check),
    ("not-direct", not_direct::check),
    ("buffered-writes-without-fsync", buffered_writes_without_fsync::check),
    ("working-set", working_set::check),
    ("same-knobs", same_knobs::check),
    ("too-short", too_short::check),
    ("too-few-repeats", too_few_repeats::check),
    ("n-hidden", n_hidden::check),
    ("latency-comb", latency_comb::check),
];

/// Every check of a table, in the list's order.
pub(crate) fn all(table: &Table) -> Vec<Judgement> {
    let run = |(name, check): &Check| {
        let mut judgement = check(table);
        (*name).clone_into(&mut judgement.audit.name);
        judgement
    };
    CHECKS.iter().map(run).collect()
}

impl Judgement {
    fn new(status: Status, summary: impl Into<String>, advice: &str) -> Self {
        let silent = matches!(status, Status::Pass | Status::NotAssessable);
        let audit = Audit {
            name: String::new(),
            status,
            summary: summary.into(),
            evidence: Vec::new(),
            advice: if silent { String::new() } else { advice.to_owned() },
            about: if silent { Vec::new() } else { vec![Reach::Study] },
        };
        Self { audit, readings: Vec::new() }
    }

    fn with(mut self, evidence: impl IntoIterator<Item = String>) -> Self {
        self.audit.evidence.extend(evidence);
        self
    }

    /// A judgement from rows that were read one by one.
    fn of(readings: Readings, words: Words) -> Self {
        let status = readings.status();
        let summary = match status {
            Status::Pass => words.pass,
            Status::NotAssessable => words.missing.to_owned(),
            Status::Warn | Status::Fail => words.off,
        };
        let evidence = readings.evidence();
        Self { readings: readings.into_list(), ..Self::new(status, summary, words.advice).with(evidence) }
    }
}

/// A number with its noun: `1 row`, `3 rows`.
fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Everything that a latency clock and a counter of operations give.
const MEASURED: &[Kind] = &[
    Kind::Rate,
    Kind::Bandwidth,
    Kind::LatencyMean,
    Kind::LatencySd,
    Kind::LatencyExtreme,
    Kind::LatencyPercentile,
];
/// Every latency figure.
const LATENCY: &[Kind] = &[Kind::LatencyMean, Kind::LatencySd, Kind::LatencyExtreme, Kind::LatencyPercentile];

#[cfg(test)]
mod tests;
