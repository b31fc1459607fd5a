//! Whether the realised value followed the level. Page 000 varied `reads_per_commit` from 1 to 16 and every level came
//! to the same ratio, because reads ran on during the sync: that it "has no effect" was never tested.
//!
//! To add a parameter whose realised value is recorded: its file and its line in [`PARAMETERS`].

mod iodepth;
mod memory_cap;
mod mode;
mod rate_iops;
mod reads_per_commit;

pub(super) use memory_cap::Capped;

use super::{Context, Judgement, Trial};
use crate::verdict::{Cell, Status};
use model::plan::StudyPlan;
use model::study::Ask;

/// A parameter and its check; `None` where no trial realises it.
type Check = (&'static str, fn(&Context<'_>) -> Option<Judgement>);

const PARAMETERS: &[Check] = &[
    ("reads_per_commit", reads_per_commit::check),
    ("iodepth", iodepth::check),
    ("rate_iops", rate_iops::check),
    ("memory_cap", memory_cap::check),
    ("mode", mode::check),
];

/// A parameter that the trials did not come to.
#[derive(Clone, Debug)]
pub(crate) struct Unrealised {
    parameter: &'static str,
    /// A sentence.
    pub(crate) why: String,
}

impl Unrealised {
    /// Whether an ask follows the parameter, or compares arms that differ in it.
    pub(crate) fn concerns(&self, plan: &StudyPlan, ask: &Ask) -> bool {
        let asked = |name: &str| ask.factor == name || ask.between.as_deref() == Some(name);
        asked(self.parameter) || (asked("arm") && is_varied(plan, self.parameter))
    }
}

/// Every parameter that was not realised.
pub(super) fn unrealised(context: &Context<'_>) -> Vec<Unrealised> {
    let failed = |(parameter, check): &Check| {
        let judgement = check(context).filter(|judgement| judgement.status == Status::Fail)?;
        Some(Unrealised { parameter, why: judgement.summary })
    };
    PARAMETERS.iter().filter_map(failed).collect()
}

pub(super) fn check(context: &Context<'_>) -> Judgement {
    let found: Vec<Judgement> = PARAMETERS.iter().filter_map(|(_, check)| check(context)).collect();
    let Some(worst) = found.iter().map(|judgement| judgement.status).min() else {
        return Judgement::not_assessable("No parameter here has a realised value to follow.");
    };
    let told = found.iter().filter(|judgement| worst == Status::Pass || judgement.status != Status::Pass);
    let (summaries, advice): (Vec<&str>, Vec<&str>) =
        told.map(|judgement| (judgement.summary.as_str(), judgement.advice.as_str())).unzip();
    let (summary, advice) = (summaries.join(" "), advice.join(" "));
    let evidence = found.iter().flat_map(|judgement| judgement.evidence.iter().cloned());
    Judgement::new(worst, summary, advice.trim()).with(evidence)
}

/// Whether configurations of the plan differ in a parameter.
fn is_varied(plan: &StudyPlan, parameter: &str) -> bool {
    let mut values = plan.configurations.iter().map(|configuration| configuration.get(parameter));
    let first = values.next();
    values.any(|value| Some(value) != first)
}

/// The first trial of a configuration: its circumstances are those of all.
fn of_cell<'a>(context: &'a Context<'_>, cell: &Cell) -> Option<&'a Trial<'a>> {
    context.trials.get(cell.configuration)?.first()
}

/// A configuration's mean of a metric.
fn mean(cell: &Cell, metric: &str) -> Option<f64> {
    cell.figures.get(metric)?.mean.point
}

/// A configuration in a sentence.
fn name(label: &str) -> &str {
    if label.is_empty() { "the only configuration" } else { label }
}
