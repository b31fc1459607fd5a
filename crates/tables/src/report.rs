//! What is known about something published: for every number whether it can be believed, and why.

use crate::shared_text::SharedText;
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
    /// No check of figures that concerns it had what it takes.
    Unchecked,
    /// A row: some of its numbers can be believed, and no check of figures concerns the others.
    PartlyChecked,
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
            Self::PartlyChecked => "checked in part",
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
    pub source: String,
    /// Columns that nothing was made of, and what the reader had to say: sentences.
    pub remarks: Vec<String>,
    /// Roles of what neither a column nor the text states and checks need: a reader can add it.
    pub unstated: Vec<&'static str>,
    /// One per row, in the file's order.
    pub rows: Vec<RowReport>,
    /// How many checks applied to any row.
    pub checks: Applied,
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
    pub checks: Vec<SharedText>,
    /// What to do: the worst check's advice; empty if nothing objects.
    pub advice: SharedText,
}

impl Report {
    pub(crate) fn new(
        source: String,
        remarks: Vec<String>,
        rows: Vec<RowReport>,
        mut audits: Vec<Audit>,
    ) -> Self {
        audits.sort_by_key(|audit| audit.status);
        Self { source, remarks, unstated: Vec::new(), rows, checks: Applied::among(&audits), audits }
    }
}
