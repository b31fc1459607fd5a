//! How good the figures of a disk are, question by question: good, fair or poor against what others publish.
//!
//! There is no composite score: it would hide the reason. Each question has a grade of its own, from one metric of one
//! configuration, by the limits of [`super::scale`], each with its source. A grade claims no more than its interval: if
//! the interval reaches two grades, the rating has both. Memory is not storage, and a place that hides its device is
//! not known to be storage: neither is rated.

use super::choice::{self, Rated};
use super::scale::{Grade, Limits, Question, Reference};
use model::medium::Medium;
use model::run::Run;
use serde::Serialize;
use verdict::{Audit, Basis, Estimate, Status, StudyVerdict, Verdict, failed_for, unproven};

/// One question, its figure and its grade.
#[derive(Clone, Debug, Serialize)]
pub struct Rating {
    pub question: Question,
    /// Full name of the metric that answers it.
    pub metric: &'static str,
    /// The study's place in the verdict.
    pub study: usize,
    /// Index in the study's plan of the configuration.
    pub configuration: usize,
    /// The mean over trials, if it was measured.
    pub estimate: Option<Estimate>,
    /// How good it is.
    pub outcome: RatingOutcome,
    /// Failed audits that its figures rest on.
    pub failed: Vec<String>,
    /// Audits that its figures require and that could not be carried out.
    pub unproven: Vec<String>,
}

/// How good a figure is, as far as that is known.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RatingOutcome {
    /// The grades that the interval reaches.
    Graded {
        /// The best of them.
        best: Grade,
        /// The worst; the same if the interval reaches one grade only.
        worst: Grade,
    },
    /// The files were in memory, which is not storage.
    InMemory,
    /// No device is seen below the files, so the figures are not those of a device. Says which layer hides it, a
    /// clause.
    Unseen(String),
    /// Audits that its figures require failed, or could not be carried out.
    Withheld,
    /// It cannot be rated: a clause that says why.
    NotAssessable(String),
}

/// The ratings of a run, in the order of the questions. A question that no configuration of the plan asks has none.
pub fn ratings(run: &Run, verdict: &Verdict) -> Vec<Rating> {
    Question::ALL.iter().filter_map(|question| rating(run, verdict, *question)).collect()
}

fn rating(run: &Run, verdict: &Verdict, question: Question) -> Option<Rating> {
    let rated = choice::chosen(run, verdict, question)?;
    let Rated { place, study, plan, cell } = rated;
    let metric = question.metric();
    let basis = Basis::new(plan, &study.cells, [cell.configuration], Vec::new(), question.figures());
    let is_condition = |audit: &&Audit| !question.decided_by().contains(&audit.name.as_str());
    let names = |audits: &mut dyn Iterator<Item = &Audit>| -> Vec<String> {
        audits.filter(is_condition).map(|audit| audit.name.clone()).collect()
    };
    let failed = names(&mut failed_for(&study.audits, &basis));
    let unproven = names(&mut unproven(&study.audits, &basis));
    let outcome = match run.medium(plan) {
        Some(Medium::Memory(_)) => RatingOutcome::InMemory,
        Some(Medium::Unseen { what, .. }) => RatingOutcome::Unseen(what),
        Some(Medium::Device) | None => match outcome(question, &rated, &basis) {
            RatingOutcome::Graded { .. } if !(failed.is_empty() && unproven.is_empty()) => {
                RatingOutcome::Withheld
            }
            found => found,
        },
    };
    Some(Rating {
        question,
        metric,
        study: place,
        configuration: cell.configuration,
        estimate: cell.figures.get(metric).map(|figure| figure.mean.clone()),
        failed,
        unproven,
        outcome,
    })
}

fn outcome(question: Question, rated: &Rated<'_>, basis: &Basis) -> RatingOutcome {
    match question.reference() {
        Reference::Limits(limits) => by_limits(&limits, question.metric(), rated),
        Reference::Flushed => by_flushes(question, rated.study, basis),
    }
}

fn by_limits(limits: &Limits, metric: &str, Rated { study, cell, .. }: &Rated<'_>) -> RatingOutcome {
    let Some(figure) = cell.figures.get(metric) else {
        let why = study.failures.first().map_or("not measured", String::as_str);
        return RatingOutcome::NotAssessable(why.to_owned());
    };
    match (&figure.unsupported, figure.mean.interval) {
        (Some(why), _) => RatingOutcome::NotAssessable(why.clone()),
        (None, Some((low, high))) => {
            let (one, other) = (limits.grade(low), limits.grade(high));
            RatingOutcome::Graded { best: one.min(other), worst: one.max(other) }
        }
        (None, None) => {
            let why = figure.mean.reason.as_deref().unwrap_or("no interval");
            RatingOutcome::NotAssessable(why.to_owned())
        }
    }
}

/// Audits decide: they take every trial, where a mean would hide the one that lost its flushes.
fn by_flushes(question: Question, study: &StudyVerdict, basis: &Basis) -> RatingOutcome {
    let decides = |audit: &&Audit| question.decided_by().contains(&audit.name.as_str());
    let all = |grade| RatingOutcome::Graded { best: grade, worst: grade };
    if failed_for(&study.audits, basis).any(|audit| decides(&audit)) {
        return all(Grade::Poor);
    }
    let open = |audit: &&Audit| matches!(audit.status, Status::NotAssessable | Status::NotApplicable);
    let deciding = || study.audits.iter().filter(decides);
    match unproven(&study.audits, basis).find(decides).or_else(|| deciding().find(open)) {
        Some(audit) => RatingOutcome::NotAssessable(audit.summary.clone()),
        None if deciding().next().is_none() => {
            RatingOutcome::NotAssessable("flushes were not counted".to_owned())
        }
        None => all(Grade::Good),
    }
}

#[cfg(test)]
mod tests;
