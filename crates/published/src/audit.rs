//! A table judged: every check, and for every number of every row whether it can be believed.

use crate::checks::{self, Judgement, Reading};
use crate::table::{Number, Row, Table};
use serde::Serialize;
use verdict::{Audit, Status};

/// Whether a number can be believed, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Belief {
    /// A check that concerns it failed.
    CannotBeBelieved,
    /// A check that concerns it warns.
    Doubtful,
    /// No check that concerns it had what it takes.
    Unchecked,
    /// Checked, and nothing was found.
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

    const fn of(status: Status) -> Self {
        match status {
            Status::Fail => Self::CannotBeBelieved,
            Status::Warn => Self::Doubtful,
            Status::NotAssessable => Self::Unchecked,
            Status::Pass => Self::CanBeBelieved,
        }
    }
}

/// What can be said of a published table.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The file's name.
    pub source: String,
    /// Columns that nothing was made of, and what the reader had to say: sentences.
    pub remarks: Vec<String>,
    /// One per row, in the file's order.
    pub rows: Vec<RowReport>,
    /// Worst first.
    pub audits: Vec<Audit>,
}

/// What can be said of a row.
#[derive(Clone, Debug, Serialize)]
pub struct RowReport {
    /// What tells it from the others.
    pub label: String,
    /// Where it stands: `line 4`.
    pub place: String,
    /// The worst of its numbers.
    pub belief: Belief,
    /// Why: each reason once, the worst first, each beginning with the check's name.
    pub reasons: Vec<String>,
    /// Its numbers one by one.
    pub numbers: Vec<NumberReport>,
}

/// What can be said of a number.
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
    /// What to do: the worst check's advice; empty where nothing objects.
    pub advice: String,
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
        row_report(row, readings)
    });
    let rows = rows.collect();
    let mut audits: Vec<Audit> = judgements.into_iter().map(|judgement| judgement.audit).collect();
    audits.sort_by_key(|audit| audit.status);
    Report { source: table.source.clone(), remarks: remarks(table), rows, audits }
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

fn row_report(row: &Row, readings: &[(&Judgement, &Reading)]) -> RowReport {
    let numbers: Vec<NumberReport> =
        row.numbers().iter().map(|number| number_report(number, readings)).collect();
    let mut reasons = Vec::new();
    for (judgement, reading) in readings.iter().filter(|(_, reading)| objects(reading)) {
        let reason = format!("{}: {}", judgement.audit.name, reading.text);
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    RowReport {
        label: row.label.clone(),
        place: row.place.clone(),
        belief: numbers.iter().map(|number| number.belief).min().unwrap_or(Belief::Unchecked),
        reasons,
        numbers,
    }
}

fn objects(reading: &Reading) -> bool {
    matches!(reading.status, Status::Warn | Status::Fail)
}

fn number_report(number: &Number, readings: &[(&Judgement, &Reading)]) -> NumberReport {
    let about = || readings.iter().filter(|(_, reading)| reading.concern.covers(number));
    let worst = about().next();
    let mut objecting: Vec<String> = about()
        .filter(|(_, reading)| objects(reading))
        .map(|(judgement, _)| judgement.audit.name.clone())
        .collect();
    objecting.dedup();
    NumberReport {
        name: number.name.clone(),
        figure: number.text.clone(),
        belief: worst.map_or(Belief::Unchecked, |(_, reading)| Belief::of(reading.status)),
        checks: objecting,
        advice: worst
            .filter(|(_, reading)| objects(reading))
            .map(|(judgement, _)| judgement.audit.advice.clone())
            .unwrap_or_default(),
    }
}
