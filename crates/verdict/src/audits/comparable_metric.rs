//! Whether a compared latency times the same work in both arms. Under `direct` the data is written before the sync's
//! timer starts; under `buffered` the sync writes it. Page 000 read 3.07× off that, where write and sync together differ
//! by 1.06×.

use super::{Context, Judgement};
use crate::arms;
use crate::circumstances::{Partial, Workload};
use crate::phrase::{family, title};
use crate::verdict::Status;
use model::plan::StudyPlan;
use model::study::Ask;

pub(super) fn check(context: &Context<'_>) -> Judgement {
    let plan = context.observations.plan;
    let mut evidence = Vec::new();
    for ask in &plan.asks {
        for metric in &ask.on {
            if let Some(caveat) = caveat(plan, ask, metric)
                && !evidence.contains(&caveat)
            {
                evidence.push(caveat);
            }
        }
    }
    if evidence.is_empty() {
        return Judgement::pass("Every metric that is compared times the same work in all arms.");
    }
    let summary = "A latency is compared across arms in which it times different work.";
    let advice = "Compare a metric that holds all of the work in every arm: the evidence names it.";
    Judgement::new(Status::Warn, summary, advice).with(evidence)
}

/// Why this metric does not compare across what this ask compares.
pub(super) fn caveat(plan: &StudyPlan, ask: &Ask, metric: &str) -> Option<String> {
    let compared = arms::compared(ask)?;
    let partial = Workload::of(&plan.workload).partial(family(metric), &plan.configurations);
    let Partial { how, instead, .. } =
        partial.into_iter().find(|partial| moves(plan, compared, partial.parameter))?;
    Some(format!("{} is not comparable across {compared}: {how}. {instead}", title(metric)))
}

/// Whether the compared factor changes this parameter: it is the parameter, or the factor is a list of arms that differ
/// in it.
fn moves(plan: &StudyPlan, compared: &str, parameter: &str) -> bool {
    let varies = || {
        let mut values = plan.configurations.iter().map(|configuration| configuration.get(parameter));
        let first = values.next();
        values.any(|value| Some(value) != first)
    };
    compared == parameter || (compared == "arm" && varies())
}
