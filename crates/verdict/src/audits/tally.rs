//! One check, trial by trial, summed up by configuration.
//!
//! How many failed trials a configuration may have depends on what one of them means, and every audit says which
//! [`Rule`] it follows and why. A share of trials is judged by its exact binomial bound: "more than half" would leave a
//! promise standing that three of six trials refute.

use super::{Context, Judgement, Trial};
use crate::basis::Scope;
use crate::phrase::count;
use crate::verdict::Status;
use stats::Count;

/// A configuration of whose trials more than this share fails is no sample of what it says, as for the audit
/// `failed-trials`.
const SHARE_MAX: f64 = 0.1;
/// Confidence that they do.
const LEVEL: f64 = 0.95;

/// When a configuration fails, given that some of its trials do. What does not fail and is off is a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// One failed trial is enough: what is checked holds of every trial or does not hold, and no chance can make a trial
    /// look worse than it is.
    AnyTrial,
    /// A sound trial may fail by chance, or be disturbed: a configuration fails if all of its trials do, or if more than
    /// a tenth are proven to (3 of 6, 4 of 10, 5 of 20).
    MoreThanATenth,
}

impl Rule {
    fn is_broken(self, failed: usize, checked: usize) -> bool {
        match self {
            Self::AnyTrial => failed > 0,
            Self::MoreThanATenth => {
                let count = Count { of: failed, n: checked };
                failed > 0 && (failed == checked || count.share_at_least(LEVEL) > SHARE_MAX)
            }
        }
    }
}

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
    has_failed: bool,
    worst: Reading,
}

/// Readings by configuration.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    rows: Vec<Row>,
    /// Configurations of which any trial that counts could not be read.
    unread: Vec<usize>,
}

impl Tally {
    /// Reads every trial that counts; trials without what it takes read `None`.
    pub(super) fn read(
        context: &Context<'_>,
        rule: Rule,
        read: impl Fn(&Trial<'_>) -> Option<Reading>,
    ) -> Self {
        let mut tally = Self { rows: Vec::new(), unread: Vec::new() };
        for (configuration, trials) in context.trials.iter().enumerate() {
            let readings: Vec<Reading> = trials.iter().filter_map(&read).collect();
            if readings.len() < trials.len() {
                tally.unread.push(configuration);
            }
            let label = context.observations.plan.label(configuration);
            tally.rows.extend(Row::from_readings(rule, configuration, label, readings));
        }
        tally
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

    /// Fail where a configuration breaks the rule, warn where any trial is off.
    pub(super) fn status(&self) -> Status {
        if self.rows.is_empty() {
            Status::NotAssessable
        } else if self.rows.iter().any(|row| row.has_failed) {
            Status::Fail
        } else if self.off() > 0 {
            Status::Warn
        } else {
            Status::Pass
        }
    }

    /// The judgement with what it is about, what it says nothing of, and the figures behind it.
    pub(super) fn tell(&self, judgement: Judgement) -> Judgement {
        judgement.about(self.about()).unassessed(self.unread.iter().copied()).with(self.evidence())
    }

    /// The configurations that the outcome is about: those that fail, or where none does, those that are off.
    pub(super) fn about(&self) -> [Scope; 1] {
        let has_failed = self.rows.iter().any(|row| row.has_failed);
        let of = self.rows.iter().filter(|row| if has_failed { row.has_failed } else { row.off > 0 });
        [Scope::Configurations(of.map(|row| row.configuration).collect())]
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
    fn from_readings(
        rule: Rule,
        configuration: usize,
        label: String,
        readings: Vec<Reading>,
    ) -> Option<Self> {
        let with = |status| readings.iter().filter(|reading| reading.status == status).count();
        let (checked, failed, passed) = (readings.len(), with(Status::Fail), with(Status::Pass));
        // The first of equals: rounds in order.
        let worst = readings
            .into_iter()
            .reduce(|worst, reading| if reading.severity > worst.severity { reading } else { worst })?;
        let has_failed = rule.is_broken(failed, checked);
        Some(Self { configuration, label, checked, off: checked - passed, has_failed, worst })
    }

    fn name(&self) -> &str {
        if self.label.is_empty() { "the only configuration" } else { &self.label }
    }

    fn sentence(&self) -> String {
        let trials = count(self.checked, "trial");
        format!("{}: {} of {trials}; furthest off: {}.", self.name(), self.off, self.worst.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three of six trials without a flush were a warning: "more than half of an arm's trials" had not failed.
    #[test]
    fn a_promise_is_refuted_by_one_trial_and_a_disturbance_by_more_than_a_tenth() {
        let least =
            |rule: Rule, checked: usize| (0..=checked).find(|failed| rule.is_broken(*failed, checked));
        for checked in [1, 6, 10, 60] {
            assert_eq!(least(Rule::AnyTrial, checked), Some(1));
        }
        for (checked, failed) in [(1, 1), (2, 2), (3, 2), (6, 3), (10, 4), (20, 5)] {
            assert_eq!(least(Rule::MoreThanATenth, checked), Some(failed), "of {checked}");
        }
        assert_eq!((least(Rule::AnyTrial, 0), least(Rule::MoreThanATenth, 0)), (None, None));
    }
}
