//! Two runs against each other: kernels, disks, mount options, days. Like everything here a pure function of what was
//! recorded.
//!
//! A configuration is compared with itself. Whatever else was set differently has to be allowed by name; what differs
//! around the runs is what the comparison is about, and comes first.

mod gate;
mod pairing;
mod rows;
mod surroundings;
#[cfg(test)]
mod tests;

pub use gate::{Gate, Held, Outcome, Ruling, Unjudged};

use self::pairing::Pairing;
use crate::verdict::{Answer, Estimate, Status, Verdict};
use model::run::Run;
use serde::Serialize;

/// One side of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// What the user called it: the run directory.
    pub name: &'a str,
    /// What was recorded.
    pub run: &'a Run,
    /// What can be said of it.
    pub verdict: &'a Verdict,
}

/// Two runs, compared.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The side that the other is measured against.
    pub a: RunFacts,
    /// The other.
    pub b: RunFacts,
    /// Which machines and disks these are, in a sentence or two.
    pub machines: String,
    /// What differs around the runs: host, kernel, disk, mount options, day.
    pub surroundings: Vec<Difference>,
    /// What was set differently and was allowed to be.
    pub knobs: Vec<Difference>,
    /// The studies that both runs have, in A's order.
    pub studies: Vec<StudyComparison>,
    /// What else a reader has to know: sentences.
    pub remarks: Vec<String>,
}

/// Which run a side is.
#[derive(Clone, Debug, Serialize)]
pub struct RunFacts {
    /// What the user called it.
    pub name: String,
    /// Host name.
    pub host: String,
    /// Kernel release.
    pub kernel: String,
    /// Device and file system of its files.
    pub disk: String,
    /// When it was begun.
    pub created_at: String,
    /// The program that made it.
    pub program_version: String,
}

/// Something that is not the same on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What it is: `kernel`, `commit: record_size`.
    pub what: String,
    /// In A.
    pub a: String,
    /// In B.
    pub b: String,
}

/// One study that both runs have.
#[derive(Clone, Debug, Serialize)]
pub struct StudyComparison {
    /// Its name.
    pub name: String,
    /// Its question.
    pub question: String,
    /// Full names of the metrics compared, in order.
    pub metrics: Vec<String>,
    /// Comparisons that share the 5 % of error: each interval is that much wider.
    pub family: usize,
    /// By metric, then configuration, the row over all configurations last.
    pub rows: Vec<Row>,
    /// Configurations that one side lacks: sentences.
    pub left_out: Vec<String>,
    /// Audits of either side that failed or warned, worst first.
    pub audits: Vec<SideAudit>,
}

/// An audit of one side that did not pass.
#[derive(Clone, Debug, Serialize)]
pub struct SideAudit {
    /// `A` or `B`.
    pub side: char,
    /// The audit.
    pub name: String,
    /// How it ended.
    pub status: Status,
    /// What it found.
    pub summary: String,
}

/// One metric of one configuration, or over all of them, in both runs.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Full metric name.
    pub metric: String,
    /// The configuration's levels; `None` for the geometric mean over all configurations of each round.
    pub configuration: Option<String>,
    /// Mean over A's trials.
    pub a: Estimate,
    /// A's trials; rounds where it is over all configurations.
    pub n_a: usize,
    /// Mean over B's trials.
    pub b: Estimate,
    /// B's trials.
    pub n_b: usize,
    /// B ÷ A with its simultaneous interval.
    pub ratio: Option<Estimate>,
    /// Holm-adjusted p-value within the study.
    pub p_adjusted: Option<f64>,
    /// The answer; what is withheld is not assessable, whatever its interval.
    pub answer: Answer,
    /// Whether a difference is an improvement, where the metric is judged.
    pub better: Option<bool>,
    /// Whether the ratio is proven to lie within ±5 %, also where it is a difference.
    pub within_margin: bool,
    /// The larger of both runs' A/A noise floors, where one is known.
    pub noise_floor: Option<f64>,
    /// More rounds in each run that would decide it, where it is undecided and that can be told.
    pub rounds_needed: Option<usize>,
    /// Why there is no answer, or what limits it.
    pub why: Option<String>,
}

/// Why two runs are not compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Both are the same run.
    #[error("A and B are the same run, begun at {created_at}: give two runs")]
    SameRun {
        /// When it was begun.
        created_at: String,
    },
    /// There is nothing that both have.
    #[error("{0}")]
    NothingInCommon(String),
    /// They were set differently.
    #[error("the runs differ in more than their surroundings: {}; to compare them all the same: {}",
        list(.0), flags(.0))]
    Knobs(Vec<Difference>),
    /// A name to allow that neither run has.
    #[error("{0}")]
    UnknownKnob(String),
}

fn list(differences: &[Difference]) -> String {
    let words = |it: &Difference| format!("{} is {} in A and {} in B", it.what, it.a, it.b);
    differences.iter().map(words).collect::<Vec<_>>().join(", ")
}

/// The options that allow them, each once.
fn flags(differences: &[Difference]) -> String {
    let mut names: Vec<&str> = differences.iter().map(|it| pairing::knob(&it.what)).collect();
    names.sort_unstable();
    names.dedup();
    names.iter().map(|name| format!("--allow-different {name}")).collect::<Vec<_>>().join(" ")
}

/// Which studies of two runs are compared, and what is different between them and allowed to be.
#[derive(Clone, Debug)]
pub struct Comparable {
    knobs: Vec<Difference>,
    /// The study's index in A's plan and in B's.
    studies: Vec<(usize, usize, Pairing)>,
}

/// Whether two runs can be compared: a question to their plans, answered before anything of them is analysed. What was set
/// differently must be among the `allowed` parameters.
///
/// # Errors
/// [`Refusal`], which names what differs and what would allow it.
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
        return Err(Refusal::NothingInCommon(nothing_in_common(a, b)));
    }
    let is_allowed = |knob: &Difference| allowed.iter().any(|name| name == pairing::knob(&knob.what));
    let (knobs, refused): (Vec<_>, Vec<_>) = knobs.into_iter().partition(is_allowed);
    if !refused.is_empty() {
        return Err(Refusal::Knobs(refused));
    }
    Ok(Comparable { knobs, studies })
}

/// Compares two runs, B against A: the asked metrics of both and these `metrics` more, by full name.
pub fn compare(a: Side<'_>, b: Side<'_>, comparable: Comparable, metrics: &[String]) -> Comparison {
    let studies = comparable.studies.iter().filter_map(|(place, other, pairing)| {
        Some(rows::study(&rows::Sides::of(a, *place)?, &rows::Sides::of(b, *other)?, pairing, metrics))
    });
    Comparison {
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

/// A copy of a run is the same run: nothing in it is independent.
fn is_same_run(a: &Run, b: &Run) -> bool {
    let of = |run: &Run| (run.plan.created_at.clone(), run.plan.seed, run.host.name.clone());
    of(a) == of(b)
}

fn nothing_in_common(a: &Run, b: &Run) -> String {
    let names = |run: &Run| {
        let names: Vec<&str> = run.plan.studies.iter().map(|study| study.name.as_str()).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    format!("the runs have no study in common: A has {}, B has {}", names(a), names(b))
}

fn remarks(a: Side<'_>, b: Side<'_>) -> Vec<String> {
    let mut remarks = vec![
        "Each side is one run: what changes from run to run on one machine (placement of the files, temperature, the day) \
         is not inside the intervals. Compare two runs of A to see how much that is."
            .to_owned(),
    ];
    for (letter, side) in [('A', a), ('B', b)] {
        remarks.extend(side.verdict.remarks.iter().map(|remark| format!("{letter}: {remark}")));
    }
    for (one, other, side) in [(a, b, 'A'), (b, a, 'B')] {
        let lacks = |name: &String| !other.run.plan.studies.iter().any(|study| study.name == *name);
        let names: Vec<String> =
            one.run.plan.studies.iter().map(|study| study.name.clone()).filter(lacks).collect();
        if !names.is_empty() {
            remarks.push(format!("Only {side} has {}.", names.join(", ")));
        }
    }
    remarks
}
