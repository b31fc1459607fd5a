//! Checks that a number can be believed, one file each. To add one: its file and its line in [`AUDITS`].

mod aliasing;
mod cache_or_disk;
mod cold_cache;
mod comparable_metric;
mod compressible_data;
mod drift;
mod durability_class;
mod factor_took_effect;
mod failed_trials;
mod foreign_io;
mod layout;
mod littles_law;
mod overhead;
mod same_knobs;
mod shape;
mod small_n;
mod steady_state;
mod steal_and_pressure;
mod tally;
mod volatile_cache;
mod working_set;

use crate::circumstances::{Circumstances, Workload};
use crate::durability::Classes;
use crate::latencies::Latencies;
use crate::observations::Observations;
use crate::verdict::{Audit, Cell, Status};
use model::canary::CompressionCanary;
use model::host::HostFacts;
use model::mechanism::Measured;
use model::plan::StudyPlan;
use model::study::Ask;
use model::trial::TrialRecord;

pub(crate) use comparable_metric::split as comparable;
pub(crate) use factor_took_effect::Unrealised;

/// A trial that counts, and what its parameters mean.
pub(crate) struct Trial<'a> {
    /// What it left.
    pub(crate) record: &'a TrialRecord,
    /// What kind of record that is.
    pub(crate) workload: Workload,
    /// What it was asked.
    pub(crate) circumstances: Circumstances,
}

/// Every trial that counts by configuration, the A/A arm's second trials included.
pub(crate) fn trials<'a>(observations: &Observations<'a>) -> Vec<Vec<Trial<'a>>> {
    let plan = observations.plan;
    let workload = Workload::of(&plan.workload);
    let mut trials: Vec<Vec<Trial<'_>>> = plan.configurations.iter().map(|_| Vec::new()).collect();
    for record in observations.analysed() {
        if let Some(of_configuration) = trials.get_mut(record.key.configuration) {
            let circumstances = workload.circumstances(&record.values);
            of_configuration.push(Trial { record, workload, circumstances });
        }
    }
    trials
}

/// What zeros cost against random data on one file system, or why that is not known.
pub(crate) struct Canary<'a> {
    /// The `filesystem` level of the trial that left it.
    pub(crate) filesystem: String,
    /// What it found.
    pub(crate) found: &'a Measured<CompressionCanary>,
}

/// Whether the device made durable what a trial acknowledged as such; `None` where nothing was, or nobody can tell.
pub(crate) fn flushed(trial: &Trial<'_>) -> Option<Status> {
    Some(volatile_cache::read(trial)?.status)
}

/// What an audit looks at.
pub(crate) struct Context<'a> {
    /// The machine.
    pub(crate) host: &'a HostFacts,
    /// The study's plan and records.
    pub(crate) observations: &'a Observations<'a>,
    /// Figures by configuration.
    pub(crate) cells: &'a [Cell],
    /// Metrics that are asked about.
    pub(crate) asked: &'a [String],
    /// Merged latency distributions.
    pub(crate) latencies: &'a Latencies,
    /// The trials that count, by configuration.
    pub(crate) trials: &'a [Vec<Trial<'a>>],
    /// What they declare that an acknowledged write survives.
    pub(crate) classes: &'a Classes,
    /// Canaries of the whole run: studies share their file systems.
    pub(crate) canaries: &'a [Canary<'a>],
}

/// What an audit finds; its name is in the list.
#[derive(Clone, Debug, PartialEq)]
struct Judgement {
    status: Status,
    summary: String,
    evidence: Vec<String>,
    advice: String,
}

impl Judgement {
    fn pass(summary: impl Into<String>) -> Self {
        Self::new(Status::Pass, summary, "")
    }

    fn not_assessable(summary: impl Into<String>) -> Self {
        Self::new(Status::NotAssessable, summary, "")
    }

    fn new(status: Status, summary: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { status, summary: summary.into(), evidence: Vec::new(), advice: advice.into() }
    }

    fn with(mut self, evidence: impl IntoIterator<Item = String>) -> Self {
        self.evidence.extend(evidence);
        self
    }
}

/// An audit's name and its check.
type Check = (&'static str, fn(&Context<'_>) -> Judgement);

const AUDITS: &[Check] = &[
    ("littles-law", littles_law::check),
    ("factor-took-effect", factor_took_effect::check),
    ("comparable-metric", comparable_metric::check),
    ("cold-cache", cold_cache::check),
    ("cache-or-disk", cache_or_disk::check),
    ("foreign-io", foreign_io::check),
    ("working-set", working_set::check),
    ("compressible-data", compressible_data::check),
    ("layout", layout::check),
    ("volatile-cache", volatile_cache::check),
    ("durability-class", durability_class::check),
    ("same-knobs", same_knobs::check),
    ("small-n", small_n::check),
    ("failed-trials", failed_trials::check),
    ("drift", drift::check),
    ("shape", shape::check),
    ("steal-and-pressure", steal_and_pressure::check),
    ("aliasing", aliasing::check),
    ("overhead", overhead::check),
    ("steady-state", steady_state::check),
];

/// What the audits of a study found.
pub(crate) struct Audits {
    /// Worst first; in the list's order where two end alike.
    pub(crate) all: Vec<Audit>,
    /// Parameters whose levels the trials did not come to.
    pub(crate) unrealised: Vec<Unrealised>,
    /// By configuration: what other programs moved on the device beside it.
    pub(crate) foreign: Vec<Option<String>>,
}

/// Every audit of a study.
pub(crate) fn all(context: &Context<'_>) -> Audits {
    let mut all: Vec<Audit> = AUDITS
        .iter()
        .map(|(name, check)| {
            let Judgement { status, summary, evidence, advice } = check(context);
            Audit { name: (*name).to_owned(), status, summary, evidence, advice }
        })
        .collect();
    all.sort_by_key(|audit| audit.status);
    Audits {
        all,
        unrealised: factor_took_effect::unrealised(context),
        foreign: foreign_io::by_configuration(context),
    }
}

/// What the audits have to say about one ask on one metric: the sentences that limit its finding.
pub(crate) fn caveats(
    plan: &StudyPlan,
    cells: &[Cell],
    audits: &Audits,
    ask: &Ask,
    metric: &str,
) -> Vec<String> {
    let mut caveats: Vec<String> = Vec::new();
    caveats.extend(cache_or_disk::caveat(plan, cells, ask, metric));
    caveats.extend(same_knobs::caveat(plan, ask));
    for audit in audits.all.iter().filter(|audit| audit.status == Status::Fail) {
        if audit.name != "factor-took-effect" {
            caveats.push(format!("Audit {} failed: {}", audit.name, audit.summary));
        }
    }
    for unrealised in audits.unrealised.iter().filter(|unrealised| unrealised.concerns(plan, ask)) {
        caveats.push(format!("Audit factor-took-effect failed: {}", unrealised.why));
    }
    caveats
}

#[cfg(test)]
mod tests;
