//! An audit, and what it finds.

use super::bearing::Use;
use super::context::Context;
use crate::basis::{Bearing, Scope};
use crate::verdict::Status;

/// What an audit finds; its name is in the list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Judgement {
    pub(super) status: Status,
    pub(super) summary: String,
    pub(super) evidence: Vec<String>,
    pub(super) advice: String,
    pub(super) about: Vec<Scope>,
    /// Configurations that could not be judged; `None` where that follows from the status.
    pub(super) unassessed: Option<Vec<usize>>,
}

impl Judgement {
    pub(super) fn pass(summary: impl Into<String>) -> Self {
        Self::new(Status::Pass, summary, "")
    }

    pub(super) fn not_assessable(summary: impl Into<String>) -> Self {
        Self::new(Status::NotAssessable, summary, "")
    }

    /// About the whole study, until [`Judgement::about`] says otherwise.
    pub(super) fn new(status: Status, summary: impl Into<String>, advice: impl Into<String>) -> Self {
        let about = match status {
            Status::Fail | Status::Warn => vec![Scope::Study],
            Status::NotAssessable | Status::Pass | Status::NotApplicable => Vec::new(),
        };
        let (summary, advice) = (summary.into(), advice.into());
        Self { status, summary, evidence: Vec::new(), advice, about, unassessed: None }
    }

    /// The same, about this and nothing else.
    pub(super) fn about(mut self, reaches: impl IntoIterator<Item = Scope>) -> Self {
        if matches!(self.status, Status::Fail | Status::Warn) {
            self.about = reaches.into_iter().collect();
        }
        self
    }

    /// The same, about these configurations alone.
    pub(super) fn at(self, configurations: impl IntoIterator<Item = usize>) -> Self {
        self.about([Scope::Configurations(configurations.into_iter().collect())])
    }

    /// The same, which says nothing of these configurations.
    pub(super) fn unassessed(mut self, configurations: impl IntoIterator<Item = usize>) -> Self {
        self.unassessed = Some(configurations.into_iter().collect());
        self
    }

    pub(super) fn with(mut self, evidence: impl IntoIterator<Item = String>) -> Self {
        self.evidence.extend(evidence);
        self
    }
}

/// An audit: what it is called, what it vouches for, and how it judges.
pub(super) struct Check {
    pub(super) name: &'static str,
    /// How one figure of one configuration leans on it; `None` where its question does not arise.
    pub(super) bearing: fn(&Use<'_>) -> Option<Bearing>,
    /// Why the question does not arise where no figure of a study leans on it: a sentence. Empty where every figure does.
    pub(super) moot: &'static str,
    pub(super) judge: fn(&Context<'_>) -> Judgement,
}
