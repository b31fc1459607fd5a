//! One check, trial by trial, summed up by configuration.
//!
//! A single trial off its mark is a warning; a configuration is off when more than half of its trials are, so that one
//! disturbed trial among many does not condemn a run.

use super::{Context, Trial};
use crate::attribution::Reach;
use crate::phrase::count;
use crate::verdict::Status;

/// What one trial shows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reading {
    /// Pass, warn or fail.
    pub(super) status: Status,
    /// How far off; the largest of a configuration is told.
    pub(super) severity: f64,
    /// The figures, in words.
    pub(super) text: String,
}

impl Reading {
    /// Judges a severity by two limits.
    pub(super) fn judged(severity: f64, warn_above: f64, fail_above: f64, text: String) -> Self {
        let status = if severity > fail_above {
            Status::Fail
        } else if severity > warn_above {
            Status::Warn
        } else {
            Status::Pass
        };
        Self { status, severity, text }
    }
}

#[derive(Clone, Debug)]
struct Row {
    configuration: usize,
    label: String,
    checked: usize,
    off: usize,
    failed: usize,
    worst: Reading,
}

/// Readings by configuration.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    rows: Vec<Row>,
}

impl Tally {
    /// Reads every trial that counts; trials without what it takes read `None`.
    pub(super) fn of(context: &Context<'_>, read: impl Fn(&Trial<'_>) -> Option<Reading>) -> Self {
        let row = |(configuration, trials): (usize, &Vec<Trial<'_>>)| {
            let readings: Vec<Reading> = trials.iter().filter_map(&read).collect();
            Row::of(configuration, context.observations.plan.label(configuration), readings)
        };
        Self { rows: context.trials.iter().enumerate().filter_map(row).collect() }
    }

    /// Trials that could be read.
    pub(super) fn checked(&self) -> usize {
        self.rows.iter().map(|row| row.checked).sum()
    }

    /// Trials that were off.
    pub(super) fn off(&self) -> usize {
        self.rows.iter().map(|row| row.off).sum()
    }

    /// `7 of 40 trials`.
    pub(super) fn share(&self) -> String {
        format!("{} of {}", self.off(), count(self.checked(), "trial"))
    }

    /// Fail where more than half of a configuration's trials fail, warn where any trial is off.
    pub(super) fn status(&self) -> Status {
        if self.rows.is_empty() {
            Status::NotAssessable
        } else if self.rows.iter().any(Row::has_failed) {
            Status::Fail
        } else if self.off() > 0 {
            Status::Warn
        } else {
            Status::Pass
        }
    }

    /// The configurations that the outcome is about: those that fail, or where none does, those that are off.
    pub(super) fn about(&self) -> [Reach; 1] {
        let has_failed = self.rows.iter().any(Row::has_failed);
        let of = self.rows.iter().filter(|row| if has_failed { row.has_failed() } else { row.off > 0 });
        [Reach::Configurations(of.map(|row| row.configuration).collect())]
    }

    /// The configurations that are off, with their worst trial; where none is, the worst of all.
    pub(super) fn evidence(&self) -> Vec<String> {
        let off: Vec<String> = self.rows.iter().filter(|row| row.off > 0).map(Row::sentence).collect();
        if !off.is_empty() {
            return off;
        }
        let severest = self.rows.iter().max_by(|a, b| a.worst.severity.total_cmp(&b.worst.severity));
        severest
            .map(|row| format!("Closest to the limit, {}: {}.", row.name(), row.worst.text))
            .into_iter()
            .collect()
    }
}

impl Row {
    fn of(configuration: usize, label: String, readings: Vec<Reading>) -> Option<Self> {
        let with = |status| readings.iter().filter(|reading| reading.status == status).count();
        let (checked, failed, passed) = (readings.len(), with(Status::Fail), with(Status::Pass));
        // The first of equals: rounds in order.
        let worst = readings
            .into_iter()
            .reduce(|worst, reading| if reading.severity > worst.severity { reading } else { worst })?;
        Some(Self { configuration, label, checked, off: checked - passed, failed, worst })
    }

    fn has_failed(&self) -> bool {
        2 * self.failed > self.checked
    }

    fn name(&self) -> &str {
        if self.label.is_empty() { "the only configuration" } else { &self.label }
    }

    fn sentence(&self) -> String {
        let trials = count(self.checked, "trial");
        format!("{}: {} of {trials}; furthest off: {}.", self.name(), self.off, self.worst.text)
    }
}
