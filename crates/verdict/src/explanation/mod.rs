//! Where the time of operations went, from the traced trials of a run.
//!
//! - **No figure comes from a traced trial.** The latencies beside the segments are those of the other trials.
//! - **Shares are of summed time**: a segment's time in all operations of all traced trials over the time of these
//!   operations. Their range is that of single trials; traced trials are too few for an interval.
//! - **What is not known is counted**: operations that no trace covers, records that the kernel lost, and the time that
//!   the events do not explain, which is a segment.

mod document;
mod sentence;
#[cfg(test)]
mod tests;

pub use document::{Draw, sections};
pub use sentence::{arm_in_words, elapsed, sentence};

use crate::verdict::{StudyVerdict, Verdict};
use model::plan::StudyPlan;
use model::run::Run;
use model::traced::{
    Segment, SegmentTime, Stage, TimeSpent, TracedFamily, TracedKey, TracedOutcome, TracedPhase, TracedTrial,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// Where the time of a study's operations went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    pub study: String,
    /// Why nothing can be traced here, and what would permit it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<String>,
    /// One for each configuration with a traced trial, in the plan's order.
    pub arms: Vec<ExplainedArm>,
}

/// A configuration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExplainedArm {
    /// Index in the study's plan.
    pub configuration: usize,
    /// Its levels of the factors.
    pub label: String,
    /// Trials with a trace.
    pub trials: usize,
    /// Why others have none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<String>,
    /// Events that were kept, over all trials.
    pub events: u64,
    /// Records for which the kernel had no room, over all trials.
    pub lost_records: u64,
    /// Events beyond the limit of what is kept, over all trials.
    pub events_beyond_limit: u64,
    /// Tracepoints that this kernel does not have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_tracepoints: Vec<String>,
    /// Whether a thread may have had several operations in flight: then the segments are what the thread waited for,
    /// and not the way of each request.
    pub is_overlapping: bool,
    /// What the study is about comes first.
    pub families: Vec<ExplainedFamily>,
}

/// The operations of one family of latencies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExplainedFamily {
    /// The family of metrics: `commit_latency`.
    pub family: String,
    /// Name of the phase that was traced.
    pub phase: String,
    /// Mean latency in the trials that were not traced, microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_mean_us: Option<f64>,
    /// Their 99th percentile, microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_p99_us: Option<f64>,
    /// Operations that the traces do not cover: nothing here counts them.
    pub unmatched: u64,
    /// Operations beyond the limit of stamps: nothing here counts them.
    pub unstamped: u64,
    /// All operations that the traces cover.
    pub all: Shares,
    /// The slowest hundredth of each trial's operations.
    pub slowest: Shares,
    /// The slowest operation of all, in the order of time.
    pub slowest_operation: Vec<SegmentTime>,
}

/// What the time of some operations was spent on.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Shares {
    pub operations: u64,
    /// Mean length of an operation while it was traced, microseconds.
    pub traced_mean_us: f64,
    /// Requests of other threads that the device got meanwhile, for each operation.
    pub foreign_requests_per_operation: f64,
    /// The largest first.
    pub parts: Vec<Part>,
}

/// A segment of the mean operation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Part {
    #[serde(flatten)]
    pub segment: Segment,
    /// Time of it in an operation, microseconds.
    pub mean_us: f64,
    /// Share of the time, 0 to 1.
    pub share: f64,
    /// The smallest share in any trial.
    pub share_min: f64,
    /// The largest.
    pub share_max: f64,
}

impl ExplainedFamily {
    /// What an operation of it is called: `commit`.
    pub fn operation(&self) -> String {
        self.family.trim_end_matches("_latency").replace('_', " ")
    }
}

/// What the traced trials of each study show; studies without any are left out.
pub fn explanations(
    run: &Run,
    verdict: &Verdict,
    traced: &BTreeMap<TracedKey, TracedTrial>,
) -> Vec<Explanation> {
    let of_study = |study: &StudyPlan| {
        let trials: Vec<&TracedTrial> =
            traced.values().filter(|trial| trial.key.study == study.name).collect();
        let figures = verdict.studies.iter().find(|found| found.name == study.name);
        (!trials.is_empty()).then(|| explanation(study, figures, &trials))
    };
    run.plan.studies.iter().filter_map(of_study).collect()
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
    let mut found: Vec<(&str, &str)> = Vec::new();
    for phase in trials.iter().copied().flatten() {
        for family in &phase.families {
            let name = (phase.name.as_str(), family.family.as_str());
            if family.all.operations > 0 && !found.contains(&name) {
                found.push(name);
            }
        }
    }
    // `commit_latency_p99_us` is about the family, and so is `commits_per_s`.
    let is_asked = |family: &str| {
        let prefixes = [format!("{family}_"), format!("{}s_", family.trim_end_matches("_latency"))];
        study.responses.iter().any(|response| prefixes.iter().any(|prefix| response.starts_with(prefix)))
    };
    let asked: Vec<_> = found.iter().copied().filter(|(_, family)| is_asked(family)).collect();
    let shown = if asked.is_empty() { found.into_iter().take(1).collect() } else { asked };
    let cell = figures.and_then(|study| study.cells.iter().find(|cell| cell.configuration == configuration));
    let measured =
        |family: &str, statistic: &str| cell?.figures.get(&format!("{family}_{statistic}_us"))?.mean.point;
    shown
        .into_iter()
        .map(|(phase, family)| {
            let own: Vec<&TracedFamily> = trials
                .iter()
                .copied()
                .flatten()
                .filter(|traced| traced.name == phase)
                .flat_map(|traced| traced.families.iter().filter(|traced| traced.family == family))
                .collect();
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
            }
        })
        .collect()
}

/// The shares of the summed time of all trials.
fn shares(trials: &[&TimeSpent]) -> Shares {
    let sum = |of: fn(&TimeSpent) -> u64| trials.iter().map(|spent| of(spent)).fold(0, u64::saturating_add);
    let (operations, foreign) = (sum(|spent| spent.operations), sum(|spent| spent.foreign_requests));
    // Records may be a stranger's: a duration that is not the sum of its segments is not believed.
    let whole =
        |spent: &TimeSpent| -> f64 { spent.segments.iter().map(|time| time.duration_ns as f64).sum() };
    let whole_ns: f64 = trials.iter().map(|spent| whole(spent)).sum();
    let of_segment = |spent: &TimeSpent, segment: Segment| -> f64 {
        let own = spent.segments.iter().filter(|time| time.segment == segment);
        own.map(|time| time.duration_ns as f64).fold(0.0, |sum, ns| sum + ns)
    };
    let count = (operations as f64).max(1.0);
    let part = |segment: Segment| {
        let ns: f64 = trials.iter().map(|spent| of_segment(spent, segment)).sum();
        let of_trials = trials
            .iter()
            .filter(|spent| whole(spent) > 0.0)
            .map(|spent| of_segment(spent, segment) / whole(spent));
        Part {
            segment,
            mean_us: ns / count / 1e3,
            share: ns / whole_ns.max(f64::MIN_POSITIVE),
            share_min: of_trials.clone().fold(1.0, f64::min),
            share_max: of_trials.fold(0.0, f64::max),
        }
    };
    let segments =
        Stage::ALL.into_iter().flat_map(|stage| [false, true].map(|journal| Segment { stage, journal }));
    let mut parts: Vec<Part> = segments.map(part).filter(|part| part.mean_us > 0.0).collect();
    parts.sort_by(|one, other| other.share.total_cmp(&one.share));
    Shares {
        operations,
        traced_mean_us: whole_ns / count / 1e3,
        foreign_requests_per_operation: foreign as f64 / count,
        parts,
    }
}
