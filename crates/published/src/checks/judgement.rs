//! What a check finds, and the words that it has for it.

use super::readings::{Reading, Readings};
use verdict::{Audit, Scope, Status};

/// What a check finds; its name is in the list.
#[derive(Clone, Debug)]
pub(crate) struct Judgement {
    pub(crate) audit: Audit,
    pub(crate) looks: Looks,
    pub(crate) readings: Vec<Reading>,
}

/// What a check has to say, by outcome.
pub(super) struct Words {
    /// If nothing was found.
    pub(super) pass: String,
    /// Where something was.
    pub(super) off: String,
    /// What to do then.
    pub(super) advice: &'static str,
    /// If no row has what it takes.
    pub(super) missing: &'static str,
}

/// What a check looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looks {
    /// Whether figures can be what they are stated to be: one that passes was checked.
    AtFigures,
    /// How much is stated about them: a figure that passes may still be wrong.
    AtTelling,
}

impl Judgement {
    pub(super) fn new(status: Status, summary: impl Into<String>, advice: &str) -> Self {
        let silent = matches!(status, Status::Pass | Status::NotAssessable | Status::NotApplicable);
        let audit = Audit {
            name: String::new(),
            status,
            summary: summary.into(),
            evidence: Vec::new(),
            advice: if silent { String::new() } else { advice.to_owned() },
            about: if silent { Vec::new() } else { vec![Scope::Study] },
            unassessed: Vec::new(),
        };
        Self { audit, looks: Looks::AtFigures, readings: Vec::new() }
    }

    pub(super) fn with(mut self, evidence: impl IntoIterator<Item = String>) -> Self {
        self.audit.evidence.extend(evidence);
        self
    }

    /// A judgement from rows that were read one by one.
    pub(super) fn from_readings(readings: Readings, words: Words) -> Self {
        let status = readings.status();
        let summary = match status {
            Status::Pass => words.pass,
            Status::NotAssessable | Status::NotApplicable => words.missing.to_owned(),
            Status::Warn | Status::Fail => words.off,
        };
        let evidence = readings.evidence();
        Self { readings: readings.into_list(), ..Self::new(status, summary, words.advice).with(evidence) }
    }
}
