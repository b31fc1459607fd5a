//! Checks whether a number can be believed, one file each. To add one, write its file and add its line to the
//! [list](AUDITS).

mod aliasing;
mod bearing;
mod buffer_pages;
mod burst_credits;
mod busy;
mod cache_or_disk;
mod carry_over;
mod check;
mod cold_cache;
mod comparable_metric;
mod complete_records;
mod compressible_data;
mod context;
mod drift;
mod durability_class;
mod factor_took_effect;
mod failed_trials;
mod foreign_io;
mod interruption;
mod io_limit;
mod laws_of_trials;
mod layout;
mod list;
mod littles_law;
mod overhead;
mod requirements;
mod same_knobs;
mod shape;
mod small_n;
mod steady_state;
mod steal_and_pressure;
mod storage;
mod sync_too_fast;
mod tally;
mod traced;
mod volatile_cache;
mod working_set;

pub(crate) use bearing::Use;
pub use busy::shows_busy_machine;
pub(crate) use carry_over::{fails as carries_over, shift as shift_of_turns};
pub(crate) use comparable_metric::split as comparable;
pub(crate) use context::{Canary, Context, Trial, trials};
pub(crate) use requirements::{requirements, requirements_of_promise};
pub(crate) use traced::add_traced;

use crate::basis::{Bearing, Scope};
use crate::verdict::{Audit, Cell, Status};
use check::{Check, Judgement};
use list::AUDITS;
use model::plan::StudyPlan;
use model::study::Ask;

/// Whether the device made durable what a trial acknowledged as durable; `None` if there was nothing, or it is unknown.
pub(crate) fn flushed(trial: &Trial<'_>) -> Option<Status> {
    Some(volatile_cache::read(trial)?.status)
}

/// What the audits of a study found.
pub(crate) struct Audits {
    /// Worst first; in the list's order if two have the same status.
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
        && !requirements::arises(check, plan, context.cells)
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

/// What limits one ask about one metric whatever its result, as sentences.
pub(crate) fn caveats(plan: &StudyPlan, cells: &[Cell], ask: &Ask, metric: &str) -> Vec<String> {
    cache_or_disk::caveat(plan, cells, ask, metric).into_iter().chain(same_knobs::caveat(plan, ask)).collect()
}

/// The maximum number of configurations that a sentence names.
const NAMED_MAX: usize = 3;

/// Which configurations a failure is about, unless it is about all of them, as a sentence.
fn concerned(plan: &StudyPlan, about: &[Scope]) -> Option<String> {
    let reached = about.iter().map(Scope::configurations).collect::<Option<Vec<&[usize]>>>()?;
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
        "It concerns {} of {all} configurations ({names}); answers without them remain valid.",
        reached.len()
    ))
}

#[cfg(test)]
mod tests;
