//! What a check reads off single rows.

use crate::table::{Kind, Number, Row, Table};
pub(super) use model::figure::count;
use std::collections::{BTreeMap, BTreeSet};
use verdict::Status;

/// Sentences of evidence that a person reads; the rest is counted.
const EVIDENCE_MAX: usize = 20;
/// Rows that one sentence names.
const NAMES_MAX: usize = 3;

/// Everything that a latency clock and a counter of operations give.
pub(super) const MEASURED: &[Kind] = &[
    Kind::Rate,
    Kind::Bandwidth,
    Kind::LatencyMean,
    Kind::LatencySd,
    Kind::LatencyExtreme,
    Kind::LatencyPercentile,
];
/// Every latency figure.
pub(super) const LATENCY: &[Kind] =
    &[Kind::LatencyMean, Kind::LatencySd, Kind::LatencyExtreme, Kind::LatencyPercentile];

/// The same with those of syncs and commits.
pub(super) const ANY_LATENCY: &[Kind] = &[
    Kind::LatencyMean,
    Kind::LatencySd,
    Kind::LatencyExtreme,
    Kind::LatencyPercentile,
    Kind::Sync,
    Kind::Commit,
];

/// Which of a row's numbers a reading is about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Concern {
    /// All of these kinds.
    Kinds(&'static [Kind]),
    /// Those with these names.
    Names(BTreeSet<String>),
    /// How the row is compared with others; the number may be right.
    Comparison,
}

impl Concern {
    /// Whether a number is meant.
    pub(crate) fn covers(&self, number: &Number) -> bool {
        match self {
            Self::Kinds(kinds) => kinds.contains(&number.kind),
            Self::Names(names) => names.contains(&number.name),
            Self::Comparison => false,
        }
    }
}

/// One row as one check sees it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reading {
    /// Index of the row.
    pub(crate) row: usize,
    /// Which of its numbers.
    pub(crate) concern: Concern,
    /// Pass, warn or fail.
    pub(crate) status: Status,
    /// The figures, in words; empty if it passed.
    pub(crate) text: String,
}

impl Reading {
    fn is_off(&self) -> bool {
        matches!(self.status, Status::Warn | Status::Fail)
    }
}

/// The rows that a check could read, and the names of those that are off.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readings {
    list: Vec<Reading>,
    names: Vec<String>,
    rows: usize,
}

impl Readings {
    /// Reads every row; rows without what it takes read `None`.
    pub(crate) fn from_rows(
        table: &Table,
        kinds: &'static [Kind],
        read: impl Fn(&Row) -> Option<(Status, String)>,
    ) -> Self {
        let mut readings = Self::default();
        for (index, row) in table.rows.iter().enumerate() {
            if let Some((status, text)) = read(row) {
                readings.add(table, Reading { row: index, concern: Concern::Kinds(kinds), status, text });
            }
        }
        readings
    }

    /// Adds what was read off a row.
    pub(crate) fn add(&mut self, table: &Table, mut reading: Reading) {
        let is_new = self.list.last().is_none_or(|last| last.row != reading.row);
        self.rows += usize::from(is_new);
        if reading.status == Status::Pass {
            reading.text.clear();
        }
        let name = if reading.is_off() { table.rows[reading.row].name() } else { String::new() };
        self.names.push(name);
        self.list.push(reading);
    }

    /// The worst of them.
    pub(crate) fn status(&self) -> Status {
        self.list.iter().map(|reading| reading.status).min().unwrap_or(Status::NotAssessable)
    }

    /// Rows that are off.
    pub(crate) fn off(&self) -> usize {
        let mut rows: Vec<usize> =
            self.list.iter().filter(|reading| reading.is_off()).map(|reading| reading.row).collect();
        rows.dedup();
        rows.len()
    }

    /// `2 of 9 rows`.
    pub(crate) fn share(&self) -> String {
        format!("{} of {}", self.off(), count(self.rows, "row"))
    }

    /// `9 rows`.
    pub(crate) fn read(&self) -> String {
        count(self.rows, "row")
    }

    /// A sentence for each reading that is off; rows of which the same is reported share one.
    pub(crate) fn evidence(&self) -> Vec<String> {
        let off = self.list.iter().zip(&self.names).filter(|(reading, _)| reading.is_off());
        let mut texts: Vec<&str> = Vec::new();
        let mut rows: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (reading, name) in off {
            let same = rows.entry(&reading.text).or_insert_with(|| {
                texts.push(&reading.text);
                Vec::new()
            });
            same.push(name);
        }
        let sentence = |text: &&str| format!("{}: {text}", listed(&rows[*text]));
        let mut sentences: Vec<String> = texts.iter().take(EVIDENCE_MAX).map(sentence).collect();
        if texts.len() > EVIDENCE_MAX {
            sentences.push(format!("… and {} more.", texts.len() - EVIDENCE_MAX));
        }
        sentences
    }

    /// The readings alone.
    pub(crate) fn into_list(self) -> Vec<Reading> {
        self.list
    }
}

/// The first names, and how many more there are.
fn listed(names: &[&str]) -> String {
    if names.len() <= NAMES_MAX {
        return names.join(", ");
    }
    format!("{} and {} more rows", names[..NAMES_MAX - 1].join(", "), names.len() + 1 - NAMES_MAX)
}
