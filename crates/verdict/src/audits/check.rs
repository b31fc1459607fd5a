//! An audit, and its judgement.

use super::bearing::Use;
use super::context::Context;
use crate::basis::{Bearing, Scope};
use crate::explained::{ExplainedFamily, Neighbour};
use crate::verdict::Status;

/// The judgement of an audit; the list has its name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Judgement {
    pub(super) status: Status,
    pub(super) summary: String,
    pub(super) evidence: Vec<String>,
    pub(super) advice: String,
    pub(super) about: Vec<Scope>,
    /// Configurations that could not be judged; `None` if that follows from the status.
    pub(super) unassessed: Option<Vec<usize>>,
}

impl Judgement {
    pub(super) fn pass(summary: impl Into<String>) -> Self {
        Self::new(Status::Pass, summary, "")
    }

    pub(super) fn not_assessable(summary: impl Into<String>) -> Self {
        Self::new(Status::NotAssessable, summary, "")
    }

    /// About the whole study, until [`Judgement::about`] narrows it.
    pub(super) fn new(status: Status, summary: impl Into<String>, advice: impl Into<String>) -> Self {
        let about = match status {
            Status::Fail | Status::Warn => vec![Scope::Study],
            Status::NotAssessable | Status::Pass | Status::NotApplicable => Vec::new(),
        };
        let (summary, advice) = (summary.into(), advice.into());
        Self { status, summary, evidence: Vec::new(), advice, about, unassessed: None }
    }

    /// The same, about only these scopes.
    pub(super) fn about(mut self, reaches: impl IntoIterator<Item = Scope>) -> Self {
        if matches!(self.status, Status::Fail | Status::Warn) {
            self.about = reaches.into_iter().collect();
        }
        self
    }

    /// The same, about only these configurations.
    pub(super) fn at(self, configurations: impl IntoIterator<Item = usize>) -> Self {
        self.about([Scope::Configurations(configurations.into_iter().collect())])
    }

    /// The same, without a judgement about these configurations.
    pub(super) fn unassessed(mut self, configurations: impl IntoIterator<Item = usize>) -> Self {
        self.unassessed = Some(configurations.into_iter().collect());
        self
    }

    pub(super) fn with(mut self, evidence: impl IntoIterator<Item = String>) -> Self {
        self.evidence.extend(evidence);
        self
    }
}

/// What the traced trials of a configuration add to an audit. They ran after the trials that the audit judges, so they
/// are evidence of what is to be blamed, and never a reason to pass or to fail.
pub(super) struct Traced {
    /// The audit's name.
    pub(super) audit: &'static str,
    /// What they show of operations, as a clause.
    pub(super) shown: fn(&ExplainedFamily) -> String,
    /// The share of it that a neighbour caused, and that as a clause.
    pub(super) caused: fn(&Neighbour) -> (f64, String),
    /// What they cannot show, as a sentence.
    pub(super) unseen: &'static str,
}

/// An audit: its name, what it supports, and how it judges.
pub(super) struct Check {
    pub(super) name: &'static str,
    /// How one figure of one configuration depends on it; `None` if its question does not arise.
    pub(super) bearing: fn(&Use<'_>) -> Option<Bearing>,
    /// Why the question does not arise if no figure of a study depends on it, as a sentence. Empty if every figure
    /// does.
    pub(super) moot: &'static str,
    pub(super) judge: fn(&Context<'_>) -> Judgement,
}
