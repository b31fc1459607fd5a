//! Two runs compared: kernels, disks, mount options, days. Like everything in this crate, a pure function of the
//! records.
//!
//! Each configuration is compared with itself. Any other parameter that was set differently must be allowed by name.
//! The differences around the runs are the subject of the comparison, and come first.
//!
//! A side is one run or several. What runs of one thing differ by is inside every interval: measured by the runs if
//! there are enough of them, otherwise assumed.

mod between_runs;
pub(crate) mod change;
mod comparison;
mod document;
mod gate;
mod pairing;
mod reason;
mod refusal;
mod rows;
mod several;
mod surroundings;
#[cfg(test)]
mod tests;

pub use between_runs::BetweenRuns;
pub use comparison::{Comparison, Difference, Row, RunFacts, Side, SideAudit, StudyComparison};
pub use document::Plots;
pub use gate::{Gate, Held, LimitOutcome, Ruling, Unjudged, metric_named};
pub use reason::{ComparisonRemark, Doubts, Lone, Machines, RowReason};
pub use refusal::Refusal;
pub use several::Joined;
pub(crate) use surroundings::all as facts_around;

use self::pairing::Pairing;
use crate::verdict::Verdict;
use model::run::Run;

/// Which studies of two runs are compared, and their permitted differences.
#[derive(Clone, Debug)]
pub struct Comparable {
    knobs: Vec<Difference>,
    /// The study's index in A's plan and in B's.
    studies: Vec<(usize, usize, Pairing)>,
}

/// Whether two runs can be compared, decided from their plans before any analysis. Every parameter that was set
/// differently must be among `allowed`.
///
/// # Errors
/// [`Refusal`], which names the differences and the options that would allow them.
pub fn comparable(a: &Run, b: &Run, allowed: &[String]) -> Result<Comparable, Refusal> {
    if is_same_run(a, b) {
        return Err(Refusal::SameRun { created_at: a.plan.created_at.clone() });
    }
    pairing::known(a, b, allowed)?;
    let mut knobs = pairing::of_plans(&a.plan, &b.plan);
    let mut studies = Vec::new();
    for (place, plan) in a.plan.studies.iter().enumerate() {
        let Some(other) = b.plan.studies.iter().position(|study| study.name == plan.name) else {
            continue;
        };
        let pairing = pairing::pair(plan, &b.plan.studies[other], allowed)?;
        knobs.extend(pairing.knobs.iter().cloned());
        studies.push((place, other, pairing));
    }
    if studies.is_empty() {
        let names = |run: &Run| run.plan.studies.iter().map(|study| study.name.clone()).collect();
        return Err(Refusal::NoStudyInCommon { a: names(a), b: names(b) });
    }
    let is_allowed = |knob: &Difference| allowed.iter().any(|name| name == knob.knob());
    let (knobs, refused): (Vec<_>, Vec<_>) = knobs.into_iter().partition(is_allowed);
    if !refused.is_empty() {
        return Err(Refusal::Knobs(refused));
    }
    Ok(Comparable { knobs, studies })
}

/// Compares two runs, B with A: the metrics that either study asks about, and these further `metrics`, by full name.
pub fn compare(a: Side<'_>, b: Side<'_>, comparable: Comparable, metrics: &[String]) -> Comparison {
    let between_runs = BetweenRuns::of(a.begun, b.begun);
    let studies = comparable.studies.iter().filter_map(|(place, other, pairing)| {
        let sides = [rows::Sides::at(a, *place)?, rows::Sides::at(b, *other)?];
        Some(rows::study(&sides[0], &sides[1], pairing, metrics, between_runs))
    });
    Comparison {
        between_runs,
        studies: studies.collect(),
        machines: surroundings::machines(a.run, b.run),
        surroundings: surroundings::differences(a.run, b.run),
        knobs: comparable.knobs,
        remarks: remarks(a, b),
        a: surroundings::facts(a),
        b: surroundings::facts(b),
    }
}

/// Full names of the metrics that both runs measured, in the metric table's order.
pub fn measured_by_both(a: &Verdict, b: &Verdict) -> Vec<String> {
    let of = |verdict: &Verdict, name: &str| {
        verdict.studies.iter().any(|study| study.metrics.iter().any(|metric| metric == name))
    };
    let mut names: Vec<String> = Vec::new();
    for name in a.studies.iter().flat_map(|study| &study.metrics).filter(|name| of(b, name)) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// Whether one run is a copy of the other: nothing in a copy is independent.
fn is_same_run(a: &Run, b: &Run) -> bool {
    let of = |run: &Run| (run.plan.created_at.clone(), run.plan.seed, run.host.name.clone());
    of(a) == of(b)
}

fn remarks(a: Side<'_>, b: Side<'_>) -> Vec<ComparisonRemark> {
    let mut remarks = vec![ComparisonRemark::BetweenRuns(BetweenRuns::of(a.begun, b.begun))];
    for (side, run) in [('A', a), ('B', b)] {
        let of_run = run.verdict.remarks.iter().cloned();
        remarks.extend(of_run.map(|remark| ComparisonRemark::OfRun { side, remark }));
    }
    for (one, other, side) in [(a, b, 'A'), (b, a, 'B')] {
        let lacks = |name: &String| !other.run.plan.studies.iter().any(|study| study.name == *name);
        let names: Vec<String> =
            one.run.plan.studies.iter().map(|study| study.name.clone()).filter(lacks).collect();
        if !names.is_empty() {
            remarks.push(ComparisonRemark::StudiesOf(Lone { side, names }));
        }
    }
    remarks
}
