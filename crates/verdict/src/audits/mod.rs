//! Checks that a number can be believed, one file each. To add one: its file and its line in [`AUDITS`].

mod aliasing;
mod bearing;
mod buffer_pages;
mod burst_credits;
mod cache_or_disk;
mod cold_cache;
mod comparable_metric;
mod complete_records;
mod compressible_data;
mod drift;
mod durability_class;
mod factor_took_effect;
mod failed_trials;
mod foreign_io;
mod interruption;
mod layout;
mod littles_law;
mod overhead;
mod same_knobs;
mod shape;
mod small_n;
mod steady_state;
mod steal_and_pressure;
mod storage;
mod tally;
mod volatile_cache;
mod working_set;

pub(crate) use aliasing::comb_of;

use crate::attribution::Reach;
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

pub use bearing::Bearing;
pub(crate) use bearing::{Use, requirements, requirements_of_promise};
pub(crate) use comparable_metric::split as comparable;

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
    about: Vec<Reach>,
    /// Configurations that could not be judged; `None` where that follows from the status.
    unassessed: Option<Vec<usize>>,
}

impl Judgement {
    fn pass(summary: impl Into<String>) -> Self {
        Self::new(Status::Pass, summary, "")
    }

    fn not_assessable(summary: impl Into<String>) -> Self {
        Self::new(Status::NotAssessable, summary, "")
    }

    /// About the whole study, until [`Judgement::about`] says otherwise.
    fn new(status: Status, summary: impl Into<String>, advice: impl Into<String>) -> Self {
        let about = match status {
            Status::Fail | Status::Warn => vec![Reach::Study],
            Status::NotAssessable | Status::Pass | Status::NotApplicable => Vec::new(),
        };
        let (summary, advice) = (summary.into(), advice.into());
        Self { status, summary, evidence: Vec::new(), advice, about, unassessed: None }
    }

    /// The same, about this and nothing else.
    fn about(mut self, reaches: impl IntoIterator<Item = Reach>) -> Self {
        if matches!(self.status, Status::Fail | Status::Warn) {
            self.about = reaches.into_iter().collect();
        }
        self
    }

    /// The same, about these configurations alone.
    fn at(self, configurations: impl IntoIterator<Item = usize>) -> Self {
        self.about([Reach::Configurations(configurations.into_iter().collect())])
    }

    /// The same, which says nothing of these configurations.
    fn unassessed(mut self, configurations: impl IntoIterator<Item = usize>) -> Self {
        self.unassessed = Some(configurations.into_iter().collect());
        self
    }

    fn with(mut self, evidence: impl IntoIterator<Item = String>) -> Self {
        self.evidence.extend(evidence);
        self
    }
}

/// An audit: what it is called, what it vouches for, and how it judges.
struct Check {
    name: &'static str,
    /// How one figure of one configuration leans on it; `None` where its question does not arise.
    bearing: fn(&Use<'_>) -> Option<Bearing>,
    /// Why the question does not arise where no figure of a study leans on it: a sentence. Empty where every figure does.
    moot: &'static str,
    judge: fn(&Context<'_>) -> Judgement,
}

const AUDITS: &[Check] = &[
    storage::CHECK,
    littles_law::CHECK,
    factor_took_effect::CHECK,
    comparable_metric::CHECK,
    cold_cache::CHECK,
    cache_or_disk::CHECK,
    interruption::CHECK,
    foreign_io::CHECK,
    working_set::CHECK,
    compressible_data::CHECK,
    layout::CHECK,
    volatile_cache::CHECK,
    durability_class::CHECK,
    same_knobs::CHECK,
    small_n::CHECK,
    failed_trials::CHECK,
    complete_records::CHECK,
    drift::CHECK,
    burst_credits::CHECK,
    shape::CHECK,
    steal_and_pressure::CHECK,
    aliasing::CHECK,
    overhead::CHECK,
    buffer_pages::CHECK,
    steady_state::CHECK,
];

/// What the audits of a study found.
pub(crate) struct Audits {
    /// Worst first; in the list's order where two end alike.
    pub(crate) all: Vec<Audit>,
    /// By configuration: what other programs moved on the device beside it.
    pub(crate) foreign: Vec<Option<String>>,
}

/// Every audit of a study.
pub(crate) fn all(context: &Context<'_>) -> Audits {
    let mut all: Vec<Audit> = AUDITS.iter().map(|check| carry_out(check, context)).collect();
    all.sort_by_key(|audit| audit.status);
    Audits { all, foreign: foreign_io::by_configuration(context) }
}

fn carry_out(check: &Check, context: &Context<'_>) -> Audit {
    let plan = context.observations.plan;
    let Judgement { status, mut summary, evidence, advice, about, unassessed } = (check.judge)(context);
    let name = check.name.to_owned();
    if status == Status::NotAssessable
        && !check.moot.is_empty()
        && !bearing::arises(check, plan, context.cells)
    {
        let (status, summary) = (Status::NotApplicable, check.moot.to_owned());
        return Audit { name, status, summary, evidence, advice, about, unassessed: Vec::new() };
    }
    if status == Status::Fail {
        summary.extend(concerned(plan, &about).map(|names| format!(" {names}")));
    }
    let all = || context.cells.iter().filter(|cell| cell.n > 0).map(|cell| cell.configuration).collect();
    let unassessed =
        unassessed.unwrap_or_else(|| if status == Status::NotAssessable { all() } else { Vec::new() });
    Audit { name, status, summary, evidence, advice, about, unassessed }
}

/// What limits one ask on one metric whatever it finds: sentences.
pub(crate) fn caveats(plan: &StudyPlan, cells: &[Cell], ask: &Ask, metric: &str) -> Vec<String> {
    cache_or_disk::caveat(plan, cells, ask, metric).into_iter().chain(same_knobs::caveat(plan, ask)).collect()
}

/// Names of configurations that a sentence takes.
const NAMED_MAX: usize = 3;

/// Which configurations a failure is about, where it is not about all of them: a sentence.
fn concerned(plan: &StudyPlan, about: &[Reach]) -> Option<String> {
    let reached = about.iter().map(Reach::configurations).collect::<Option<Vec<&[usize]>>>()?;
    let mut reached: Vec<usize> = reached.concat();
    reached.sort_unstable();
    reached.dedup();
    let all = plan.configurations.len();
    if reached.is_empty() || reached.len() >= all {
        return None;
    }
    let mut names: Vec<String> = reached.iter().take(NAMED_MAX).map(|index| plan.label(*index)).collect();
    if reached.len() > NAMED_MAX {
        names.push(format!("{} more", reached.len() - NAMED_MAX));
    }
    let names = names.join("; ");
    Some(format!(
        "It is about {} of {all} configurations ({names}): answers without them stand.",
        reached.len()
    ))
}

#[cfg(test)]
mod tests;
