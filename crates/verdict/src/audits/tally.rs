//! One check, trial by trial, summarised by configuration.
//!
//! The number of failed trials that a configuration may have depends on their meaning. Every audit chooses a [`Rule`]
//! and gives the reason. A share of trials is judged by its exact binomial bound: "more than half" would confirm a
//! guarantee that three of six trials refute.

use super::{Context, Judgement, Trial};
use crate::basis::Scope;
use crate::phrase::count;
use crate::verdict::Status;
use laws::{Claim, Law};
use stats::Count;
use std::cmp::Ordering;

/// If more than this share of a configuration's trials fail, they are not a sample of the configuration, as in the
/// audit `failed-trials`.
const SHARE_MAX: f64 = 0.1;
/// Confidence that more than that share fails.
const LEVEL: f64 = 0.95;

/// When a configuration fails, given that some of its trials fail. Otherwise such trials are a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// One failed trial is enough: the checked property holds in every trial or not at all, and chance cannot make a
    /// trial look worse than it is.
    AnyTrial,
    /// A sound trial may fail by chance or be disturbed. A configuration fails if all of its trials fail, or if more
    /// than a tenth are proven to fail (3 of 6, 4 of 10, 5 of 20).
    MoreThanATenth,
    /// The same for what disturbs trials from outside, which comes and goes: a few trials that are off without failing
    /// are evidence and no warning, by the same bound.
    Disturbance,
}

impl Rule {
    /// Whether a configuration warns if this number of its trials is off, the failed ones included.
    fn warns(self, off: usize, failed: usize, checked: usize) -> bool {
        match self {
            Self::AnyTrial | Self::MoreThanATenth => off > 0,
            Self::Disturbance => failed > 0 || self.is_broken(off, checked),
        }
    }

    fn is_broken(self, failed: usize, checked: usize) -> bool {
        match self {
            Self::AnyTrial => failed > 0,
            Self::MoreThanATenth | Self::Disturbance => {
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
    /// How far off; the audit reports the largest of a configuration.
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

    fn is_worse_than(&self, other: &Self) -> bool {
        match self.status.cmp(&other.status) {
            Ordering::Equal => self.severity > other.severity,
            order => order == Ordering::Less,
        }
    }
}

#[derive(Clone, Debug)]
struct Row {
    configuration: usize,
    label: String,
    checked: usize,
    off: usize,
    has_failed: bool,
    has_warned: bool,
    worst: Reading,
}

/// LawResult by configuration.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    rows: Vec<Row>,
    /// Configurations with an analysed trial that could not be read.
    unread: Vec<usize>,
}

impl Tally {
    /// Reads every analysed trial; a trial without the needed data reads `None`.
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

    /// Holds a law against what every analysed trial claims; the worst of its claims is its reading.
    pub(super) fn by_law<C: IntoIterator<Item = Claim>>(
        context: &Context<'_>,
        rule: Rule,
        law: &Law,
        claims: impl Fn(&Trial<'_>) -> C,
    ) -> Self {
        Self::read(context, rule, |trial| {
            let claims: Vec<Claim> = claims(trial).into_iter().collect();
            let readings =
                law.read(&claims).into_iter().map(|laws::Reading { status, severity, text, .. }| Reading {
                    status,
                    severity,
                    text: text.trim_end_matches('.').to_owned(),
                });
            readings.reduce(|worst, reading| if reading.is_worse_than(&worst) { reading } else { worst })
        })
    }

    /// Trials that could be read.
    pub(super) fn checked(&self) -> usize {
        self.rows.iter().map(|row| row.checked).sum()
    }

    /// Trials that failed or warned.
    pub(super) fn off(&self) -> usize {
        self.rows.iter().map(|row| row.off).sum()
    }

    /// `7 of 40 trials`.
    pub(super) fn share(&self) -> String {
        format!("{} of {}", self.off(), count(self.checked(), "trial"))
    }

    /// Fail if a configuration breaks the rule, warn if one warns.
    pub(super) fn status(&self) -> Status {
        if self.rows.is_empty() {
            Status::NotAssessable
        } else if self.rows.iter().any(|row| row.has_failed) {
            Status::Fail
        } else if self.rows.iter().any(|row| row.has_warned) {
            Status::Warn
        } else {
            Status::Pass
        }
    }

    /// The judgement with its scope, the configurations without a judgement, and the figures behind it.
    pub(super) fn tell(&self, judgement: Judgement) -> Judgement {
        judgement.about(self.about()).unassessed(self.unread.iter().copied()).with(self.evidence())
    }

    /// The configurations that the outcome is about: those that fail, or if none fails, those that warn.
    pub(super) fn about(&self) -> [Scope; 1] {
        let has_failed = self.rows.iter().any(|row| row.has_failed);
        let of = self.rows.iter().filter(|row| if has_failed { row.has_failed } else { row.has_warned });
        [Scope::Configurations(of.map(|row| row.configuration).collect())]
    }

    /// The configurations that are off, with their worst trial; if none is, the worst of all.
    pub(super) fn evidence(&self) -> Vec<String> {
        let off: Vec<String> = self.rows.iter().filter(|row| row.off > 0).map(Row::sentence).collect();
        if !off.is_empty() {
            return off;
        }
        let severest = self.rows.iter().max_by(|a, b| a.worst.severity.total_cmp(&b.worst.severity));
        severest
            .filter(|row| !row.worst.text.is_empty())
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
        // The first of equal ones, in the order of rounds.
        let worst = readings
            .into_iter()
            .reduce(|worst, reading| if reading.is_worse_than(&worst) { reading } else { worst })?;
        let (off, has_failed) = (checked - passed, rule.is_broken(failed, checked));
        let has_warned = rule.warns(off, failed, checked);
        Some(Self { configuration, label, checked, off, has_failed, has_warned, worst })
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

    /// Three of six trials without a flush were only a warning, because not more than half of an arm's trials had
    /// failed.
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

    /// One trial in ten that waited a little for a CPU read like all of them.
    #[test]
    fn a_few_disturbed_trials_do_not_warn() {
        let disturbed = |off, failed| Rule::Disturbance.warns(off, failed, 10);
        assert_eq!((disturbed(1, 0), disturbed(3, 0)), (false, false));
        assert_eq!((disturbed(4, 0), disturbed(1, 1)), (true, true));
        assert!(Rule::MoreThanATenth.warns(1, 0, 10));
    }
}
