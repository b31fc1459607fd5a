//! How good the figures of a disk are, question by question: good, fair or poor against what others publish.
//!
//! There is no composite score: it would hide the reason. Each question has a grade of its own, from one metric of one
//! configuration, by the limits of [`scale`], each with its source. A grade claims no more than its interval: if the interval
//! reaches two grades, the rating has both. Memory is not storage and is never rated.

mod choice;
mod scale;

pub use choice::are_random_reads;
pub use scale::{Grade, Limits, Question, Reference, Source};

use choice::Rated;
use model::medium::Medium;
use model::plan::StudyPlan;
use model::run::Run;
use serde::Serialize;
use verdict::{Audit, Estimate, Status, Verdict, failed_for, unproven};

/// One question, its figure and its grade.
#[derive(Clone, Debug, Serialize)]
pub struct Rating {
    /// The question.
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
    pub outcome: Outcome,
    /// Failed audits that it rests on: with any of them it is not to be relied on.
    pub failed: Vec<String>,
    /// Audits that it requires and that could not be carried out: without them it is not proven.
    pub unproven: Vec<String>,
}

/// How good a figure is, as far as that is known.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The grades that the interval reaches.
    Graded {
        /// The best of them.
        best: Grade,
        /// The worst; the same if the interval reaches one grade only.
        worst: Grade,
    },
    /// The files were in memory, which is not storage.
    InMemory,
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
    let basis = study.basis(plan, cell.configuration, metric);
    let names = |audits: &mut dyn Iterator<Item = &Audit>| audits.map(|audit| audit.name.clone()).collect();
    let outcome = if is_in_memory(run, plan) { Outcome::InMemory } else { outcome(question, &rated) };
    Some(Rating {
        question,
        metric,
        study: place,
        configuration: cell.configuration,
        estimate: cell.figures.get(metric).map(|figure| figure.mean.clone()),
        failed: names(&mut failed_for(&study.audits, &basis)),
        unproven: names(&mut unproven(&study.audits, &basis)),
        outcome,
    })
}

fn is_in_memory(run: &Run, plan: &StudyPlan) -> bool {
    let mut placements =
        run.of_study(plan).filter_map(|record| Some(&record.measurement.as_ref()?.placement));
    placements.any(|placement| matches!(placement.medium(), Medium::Memory(_)))
}

fn outcome(question: Question, rated: &Rated<'_>) -> Outcome {
    match question.reference() {
        Reference::Limits(limits) => by_limits(&limits, question.metric(), rated),
        Reference::Flushed => by_flushes(rated),
    }
}

fn by_limits(limits: &Limits, metric: &str, Rated { study, cell, .. }: &Rated<'_>) -> Outcome {
    let Some(figure) = cell.figures.get(metric) else {
        let why = study.failures.first().map_or("not measured", String::as_str);
        return Outcome::NotAssessable(why.to_owned());
    };
    match (&figure.unsupported, figure.mean.interval) {
        (Some(why), _) => Outcome::NotAssessable(why.clone()),
        (None, Some((low, high))) => {
            let (one, other) = (limits.grade(low), limits.grade(high));
            Outcome::Graded { best: one.min(other), worst: one.max(other) }
        }
        (None, None) => {
            let why = figure.mean.reason.as_deref().unwrap_or("no interval");
            Outcome::NotAssessable(why.to_owned())
        }
    }
}

/// The audit `volatile-cache` decides: it takes every trial, where a mean would hide the one that lost its flushes.
fn by_flushes(Rated { study, plan, cell, .. }: &Rated<'_>) -> Outcome {
    const AUDIT: &str = "volatile-cache";
    let basis = study.basis(plan, cell.configuration, Question::DurableCommits.metric());
    let refuted = failed_for(&study.audits, &basis).any(|audit| audit.name == AUDIT);
    let open = unproven(&study.audits, &basis).find(|audit| audit.name == AUDIT);
    let all = |grade| Outcome::Graded { best: grade, worst: grade };
    match open {
        _ if refuted => all(Grade::Poor),
        Some(audit) => Outcome::NotAssessable(audit.summary.clone()),
        None => match study.audits.iter().find(|audit| audit.name == AUDIT).map(|audit| audit.status) {
            Some(Status::Pass | Status::Warn | Status::Fail) => all(Grade::Good),
            Some(Status::NotAssessable | Status::NotApplicable) | None => {
                Outcome::NotAssessable("flushes were not counted".to_owned())
            }
        },
    }
}

#[cfg(test)]
mod tests;
