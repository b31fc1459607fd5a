//! A table judged: every check, and for every number of every row whether it can be believed.

use crate::checks::{self, Judgement, Looks, Reading};
use crate::table::{Kind, Number, Row, Table};
use serde::Serialize;
use std::collections::BTreeSet;
use verdict::{Audit, Status};

/// Whether a number can be believed, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Belief {
    /// A check that concerns it failed.
    CannotBeBelieved,
    /// A check that concerns it warns.
    Doubtful,
    /// No check of figures that concerns it had what it takes.
    Unchecked,
    /// A check of figures that concerns it applied, and nothing was found.
    CanBeBelieved,
}

impl Belief {
    /// In words, for a table.
    pub const fn words(self) -> &'static str {
        match self {
            Self::CannotBeBelieved => "cannot be believed",
            Self::Doubtful => "doubtful",
            Self::Unchecked => "not checked",
            Self::CanBeBelieved => "can be believed",
        }
    }

    pub(crate) const fn from_status(status: Status) -> Self {
        match status {
            Status::Fail => Self::CannotBeBelieved,
            Status::Warn => Self::Doubtful,
            Status::NotAssessable | Status::NotApplicable => Self::Unchecked,
            Status::Pass => Self::CanBeBelieved,
        }
    }
}

/// How many of the checks had what they take; the others found nothing because they looked at nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Applied {
    /// Checks that could be made.
    pub applied: usize,
    /// Checks there are.
    pub of: usize,
}

impl Applied {
    pub(crate) fn among(audits: &[Audit]) -> Self {
        let applied = audits
            .iter()
            .filter(|audit| !matches!(audit.status, Status::NotAssessable | Status::NotApplicable))
            .count();
        Self { applied, of: audits.len() }
    }
}

/// What is known about a published table.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The file's name.
    pub source: String,
    /// Columns that nothing was made of, and what the reader had to say: sentences.
    pub remarks: Vec<String>,
    /// One per row, in the file's order.
    pub rows: Vec<RowReport>,
    /// How many checks applied to any row.
    pub checks: Applied,
    /// Worst first.
    pub audits: Vec<Audit>,
}

/// What is known about a row.
#[derive(Clone, Debug, Serialize)]
pub struct RowReport {
    /// What tells it from the others.
    pub label: String,
    /// Where it stands: `line 4`.
    pub place: String,
    /// The worst of its numbers; a spread that nothing looked at does not count.
    pub belief: Belief,
    /// How many checks applied to it.
    pub checks: Applied,
    /// Why: each reason once, the worst first, each beginning with the check's name.
    pub reasons: Vec<String>,
    /// Its numbers one by one.
    pub numbers: Vec<NumberReport>,
}

/// What is known about a number.
#[derive(Clone, Debug, Serialize)]
pub struct NumberReport {
    /// `iops`, `latency p99`, or its column.
    pub name: String,
    /// The figure with its unit.
    pub figure: String,
    /// Whether it can be believed.
    pub belief: Belief,
    /// Names of the checks that object, worst first.
    pub checks: Vec<String>,
    /// What to do: the worst check's advice; empty if nothing objects.
    pub advice: String,
}

impl Report {
    pub(crate) fn new(
        source: String,
        remarks: Vec<String>,
        rows: Vec<RowReport>,
        mut audits: Vec<Audit>,
    ) -> Self {
        audits.sort_by_key(|audit| audit.status);
        Self { source, remarks, rows, checks: Applied::among(&audits), audits }
    }
}

/// Judges a table.
pub fn audit(table: &Table) -> Report {
    let judgements = checks::all(table);
    let mut by_row: Vec<Vec<(&Judgement, &Reading)>> = vec![Vec::new(); table.rows.len()];
    for judgement in &judgements {
        for reading in &judgement.readings {
            by_row[reading.row].push((judgement, reading));
        }
    }
    let rows = table.rows.iter().zip(&mut by_row).map(|(row, readings)| {
        // Stable: checks that end alike stay in the list's order.
        readings.sort_by_key(|(_, reading)| reading.status);
        row_report(row, readings, judgements.len())
    });
    let rows = rows.collect();
    let audits = judgements.into_iter().map(|judgement| judgement.audit).collect();
    Report::new(table.source.clone(), remarks(table), rows, audits)
}

fn remarks(table: &Table) -> Vec<String> {
    let mut remarks = table.remarks.clone();
    if !table.unknown_columns.is_empty() {
        remarks.push(format!(
            "Nothing was made of the columns {}: tell what they are with --columns ROLE=COLUMN.",
            table.unknown_columns.join(", ")
        ));
    }
    remarks
}

fn row_report(row: &Row, readings: &[(&Judgement, &Reading)], of: usize) -> RowReport {
    let numbers: Vec<NumberReport> =
        row.numbers().iter().map(|number| number_report(number, readings)).collect();
    let mut reasons = Vec::new();
    for (judgement, reading) in readings.iter().filter(|(_, reading)| objects(reading)) {
        let reason = format!("{}: {}", judgement.audit.name, reading.text);
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    let applied: BTreeSet<&str> =
        readings.iter().map(|(judgement, _)| judgement.audit.name.as_str()).collect();
    RowReport {
        label: row.label.clone(),
        place: row.place.clone(),
        checks: Applied { applied: applied.len(), of },
        belief: belief(row, &numbers),
        reasons,
        numbers,
    }
}

/// The worst of its numbers. A spread that nothing looked at leaves the row as its figures are.
fn belief(row: &Row, numbers: &[NumberReport]) -> Belief {
    let is_spread = |number: &Number| number.kind == Kind::Spread;
    let counts = |(number, report): &(Number, &NumberReport)| {
        !(is_spread(number) && report.belief == Belief::Unchecked)
    };
    let judged = row.numbers().into_iter().zip(numbers).filter(counts);
    judged.map(|(_, report)| report.belief).min().unwrap_or(Belief::Unchecked)
}

fn objects(reading: &Reading) -> bool {
    matches!(reading.status, Status::Warn | Status::Fail)
}

fn number_report(number: &Number, readings: &[(&Judgement, &Reading)]) -> NumberReport {
    let about = || readings.iter().filter(|(_, reading)| reading.concern.covers(number));
    let worst = about().next().filter(|(_, reading)| objects(reading));
    let is_checked = about().any(|(judgement, _)| judgement.looks == Looks::AtFigures);
    let unobjected = if is_checked { Belief::CanBeBelieved } else { Belief::Unchecked };
    let mut objecting: Vec<String> = about()
        .filter(|(_, reading)| objects(reading))
        .map(|(judgement, _)| judgement.audit.name.clone())
        .collect();
    objecting.dedup();
    NumberReport {
        name: number.name.clone(),
        figure: number.text.clone(),
        belief: worst.map_or(unobjected, |(_, reading)| Belief::from_status(reading.status)),
        checks: objecting,
        advice: worst.map(|(judgement, _)| judgement.audit.advice.clone()).unwrap_or_default(),
    }
}
