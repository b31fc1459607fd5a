//! Where the time of operations went, from the traced trials of a run.
//!
//! - **No figure comes from a traced trial.** The latencies beside the segments are those of the other trials.
//! - **Shares are of summed time**: a segment's time in all operations of all traced trials over the time of these
//!   operations. Their range is that of single trials.
//! - **A finding gets the segments that differ** between its sides, with intervals over the traced trials.
//! - **What is not known is counted**: operations that no trace covers, records that the kernel lost, and the time that
//!   the events do not explain, which is a segment.

mod difference;
mod document;
mod families;
mod sentence;
#[cfg(test)]
mod tests;

pub use crate::explained::{ExplainedArm, ExplainedFamily, Explanation, Neighbour, Part, Shares};
pub use document::{Draw, sections};
pub use sentence::{arm_in_words, sentence};

use crate::audits;
use crate::verdict::{StudyVerdict, Verdict};
use model::plan::StudyPlan;
use model::run::Run;
use model::traced::{
    Segment, Stage, TimeSpent, TracedFamily, TracedKey, TracedOutcome, TracedPhase, TracedTrial,
};
use std::collections::BTreeMap;

/// What the traced trials of each study show; studies without any are left out. The findings of the verdict get where
/// the time of their sides differs, and audits get evidence. Nothing else in it changes: no figure comes from a traced
/// trial, and none is believed or doubted because of one.
pub fn explain(
    run: &Run,
    verdict: &mut Verdict,
    traced: &BTreeMap<TracedKey, TracedTrial>,
) -> Vec<Explanation> {
    let mut explanations = Vec::new();
    for study in &run.plan.studies {
        let trials: Vec<&TracedTrial> =
            traced.values().filter(|trial| trial.key.study == study.name).collect();
        if trials.is_empty() {
            continue;
        }
        let found = verdict.studies.iter_mut().find(|found| found.name == study.name);
        let explanation = explanation(study, found.as_deref(), &trials);
        if let Some(StudyVerdict { findings, cells, audits, .. }) = found {
            for finding in findings {
                finding.traced = difference::between_sides(study, cells, finding, &trials);
            }
            audits::add_traced(audits, &explanation.arms);
        }
        explanations.push(explanation);
    }
    explanations
}

fn explanation(study: &StudyPlan, figures: Option<&StudyVerdict>, trials: &[&TracedTrial]) -> Explanation {
    let unsupported = trials.iter().find_map(|trial| match &trial.outcome {
        TracedOutcome::Unsupported(why) => Some(why.clone()),
        TracedOutcome::Traced(_) | TracedOutcome::Failed(_) => None,
    });
    let arm = |configuration: usize| {
        let own: Vec<&TracedTrial> =
            trials.iter().copied().filter(|trial| trial.key.configuration == configuration).collect();
        let is_known = own.iter().any(|trial| !matches!(trial.outcome, TracedOutcome::Unsupported(_)));
        is_known.then(|| explained_arm(study, figures, configuration, &own))
    };
    Explanation {
        study: study.name.clone(),
        unsupported,
        arms: (0..study.configurations.len()).filter_map(arm).collect(),
    }
}

fn explained_arm(
    study: &StudyPlan,
    figures: Option<&StudyVerdict>,
    configuration: usize,
    trials: &[&TracedTrial],
) -> ExplainedArm {
    let mut failures = Vec::new();
    let mut traced: Vec<&[TracedPhase]> = Vec::new();
    for trial in trials {
        match &trial.outcome {
            TracedOutcome::Traced(phases) => traced.push(phases),
            TracedOutcome::Failed(why) => failures.push(why.clone()),
            TracedOutcome::Unsupported(_) => {}
        }
    }
    let phases = || traced.iter().copied().flatten();
    let mut missing_tracepoints: Vec<String> =
        phases().flat_map(|phase| phase.missing_tracepoints.clone()).collect();
    missing_tracepoints.sort();
    missing_tracepoints.dedup();
    let description = study.description(configuration);
    let is_overlapping =
        description.is_some_and(|description| description.in_flight_max > description.threads.max(1));
    ExplainedArm {
        configuration,
        label: study.label(configuration),
        trials: traced.len(),
        failures,
        events: phases().map(|phase| phase.events).fold(0, u64::saturating_add),
        lost_records: phases().map(|phase| phase.lost_records).fold(0, u64::saturating_add),
        events_beyond_limit: phases().map(|phase| phase.events_beyond_limit).fold(0, u64::saturating_add),
        missing_tracepoints,
        is_overlapping,
        families: families(study, figures, configuration, &traced),
    }
}

/// The families that the study asks about, or the first one of each phase if it asks about none.
fn families(
    study: &StudyPlan,
    figures: Option<&StudyVerdict>,
    configuration: usize,
    trials: &[&[TracedPhase]],
) -> Vec<ExplainedFamily> {
    let phases = || trials.iter().copied().flatten();
    let found = families::found(phases());
    let is_asked = |family: &str| study.responses.iter().any(|response| families::is_about(response, family));
    let asked: Vec<_> = found.iter().copied().filter(|(_, family)| is_asked(family)).collect();
    let shown = if asked.is_empty() { found.into_iter().take(1).collect() } else { asked };
    let cell = figures.and_then(|study| study.cells.iter().find(|cell| cell.configuration == configuration));
    let measured =
        |family: &str, statistic: &str| cell?.figures.get(&format!("{family}_{statistic}_us"))?.mean.point;
    shown
        .into_iter()
        .map(|(phase, family)| {
            let own: Vec<&TracedFamily> = families::at(phases(), (phase, family)).collect();
            let time = |family: &&TracedFamily| -> u64 {
                family.slowest_operation.iter().map(|time| time.duration_ns).fold(0, u64::saturating_add)
            };
            ExplainedFamily {
                family: family.to_owned(),
                phase: phase.to_owned(),
                latency_mean_us: measured(family, "mean"),
                latency_p99_us: measured(family, "p99"),
                unmatched: own.iter().map(|family| family.unmatched).fold(0, u64::saturating_add),
                unstamped: own.iter().map(|family| family.unstamped).fold(0, u64::saturating_add),
                all: shares(&own.iter().map(|family| &family.all).collect::<Vec<_>>()),
                slowest: shares(&own.iter().map(|family| &family.slowest).collect::<Vec<_>>()),
                slowest_operation: own
                    .iter()
                    .copied()
                    .max_by_key(time)
                    .map(|family| family.slowest_operation.clone())
                    .unwrap_or_default(),
                neighbours: neighbours(&own),
            }
        })
        .collect()
}

/// The programs beside the operations of all trials.
fn neighbours(trials: &[&TracedFamily]) -> Vec<Neighbour> {
    let waiting = Segment::all().filter(|segment| segment.stage == Stage::RunQueue);
    let waiting_ns: f64 =
        waiting.flat_map(|segment| trials.iter().map(move |trial| trial.all.segment_ns(segment))).sum();
    let requests: f64 = trials.iter().map(|trial| trial.all.foreign_requests as f64).sum();
    let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for neighbour in trials.iter().flat_map(|trial| &trial.neighbours) {
        let sum = sums.entry(&neighbour.program).or_default();
        *sum = (sum.0 + neighbour.ran_ns as f64, sum.1 + neighbour.requests as f64);
    }
    let named = sums.into_iter().filter(|(program, _)| !program.is_empty());
    let shares = |(program, (ran_ns, sent)): (&str, (f64, f64))| Neighbour {
        program: program.to_owned(),
        waiting_share: ran_ns / waiting_ns.max(1.0),
        requests_share: sent / requests.max(1.0),
    };
    named.map(shares).collect()
}

/// The shares of the summed time of all trials.
fn shares(trials: &[&TimeSpent]) -> Shares {
    let sum = |of: fn(&TimeSpent) -> u64| trials.iter().map(|spent| of(spent)).fold(0, u64::saturating_add);
    let (operations, foreign) = (sum(|spent| spent.operations), sum(|spent| spent.foreign_requests));
    let whole_ns: f64 = trials.iter().map(|spent| spent.segments_ns()).sum();
    let count = (operations as f64).max(1.0);
    let part = |segment: Segment| {
        let ns: f64 = trials.iter().map(|spent| spent.segment_ns(segment)).sum();
        let of_trials = trials
            .iter()
            .filter(|spent| spent.segments_ns() > 0.0)
            .map(|spent| spent.segment_ns(segment) / spent.segments_ns());
        Part {
            segment,
            mean_us: ns / count / 1e3,
            share: ns / whole_ns.max(f64::MIN_POSITIVE),
            share_min: of_trials.clone().fold(1.0, f64::min),
            share_max: of_trials.fold(0.0, f64::max),
        }
    };
    let mut parts: Vec<Part> = Segment::all().map(part).filter(|part| part.mean_us > 0.0).collect();
    parts.sort_by(|one, other| other.share.total_cmp(&one.share));
    Shares {
        operations,
        traced_mean_us: whole_ns / count / 1e3,
        foreign_requests_per_operation: foreign as f64 / count,
        parts,
    }
}
