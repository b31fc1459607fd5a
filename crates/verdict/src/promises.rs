//! What is known about each durability class. A kill can refute that an entry survives the process. It cannot prove that an
//! entry survives a power loss: that is refuted by fewer flushes or forced writes than the acknowledgements need, and stays
//! declared otherwise.

use crate::audits::{self, Trial};
use crate::observations::{Observations, value};
use crate::phrase::{count, percent};
use crate::verdict::{Promise, Status};
use model::durability::DurabilityClass;
use model::units::format_significant;
use stats::Count;
use std::collections::BTreeSet;

/// Acknowledged entries that were missing after the kill at the end of a trial.
const KILL: &str = "lost_after_kill";

/// The standing of every class that a trial declares, weakest first.
pub(crate) fn promises(observations: &Observations<'_>, trials: &[Vec<Trial<'_>>]) -> Vec<Promise> {
    let classes = [DurabilityClass::None, DurabilityClass::Process, DurabilityClass::Power];
    let promise = |class: DurabilityClass| {
        let declare = |trial: &&Trial<'_>| {
            trial.record.measurement.as_ref().is_some_and(|measurement| measurement.durability == class)
        };
        let trials: Vec<&Trial<'_>> = trials.iter().flatten().filter(declare).collect();
        let clauses = [power(class, &trials), kills(class, &trials, kills_due(observations, &trials))];
        let standing = clauses.into_iter().flatten().collect::<Vec<_>>().join("; ");
        (!trials.is_empty()).then(|| Promise { class: class.to_string(), standing })
    };
    classes.into_iter().filter_map(promise).collect()
}

/// How many kills the started rounds should have: a configuration with one trial that ended with a kill has one in each
/// round.
fn kills_due(observations: &Observations<'_>, trials: &[&Trial<'_>]) -> usize {
    let plan = observations.plan;
    let killed = trials.iter().filter(|trial| value(trial.record, KILL).is_some());
    let configurations: BTreeSet<usize> = killed.map(|trial| trial.record.key.configuration).collect();
    let is_twice = plan.has_duplicate() && configurations.contains(&plan.duplicate);
    let arms = configurations.len() + usize::from(is_twice);
    arms.saturating_mul(observations.rounds_begun() as usize)
}

/// The result of the kills: `no acknowledged entry lost in 42 kills`. A kill whose trial is lost or failed stays in the
/// count: a missing record must not improve the result.
fn kills(class: DurabilityClass, trials: &[&Trial<'_>], due: usize) -> Option<String> {
    let lost: Vec<f64> = trials.iter().filter_map(|trial| value(trial.record, KILL)).collect();
    if lost.is_empty() {
        return (class == DurabilityClass::None).then(|| "dies with the process".to_owned());
    }
    let losing = lost.iter().filter(|entries| **entries > 0.0).count();
    let most = format_significant(lost.iter().copied().fold(0.0, f64::max));
    let unknown = due.saturating_sub(lost.len());
    let kills = count(lost.len() + unknown, "kill");
    let without = if unknown == 0 { String::new() } else { format!(" ({unknown} of them without a result)") };
    Some(match (class, losing) {
        (_, 0) => format!(
            "no acknowledged entry lost in {kills}{without}, so that at most {} of kills could lose one (95 %)",
            percent(Count { of: 0, n: lost.len() }.share_at_most(0.95))
        ),
        (DurabilityClass::None, _) => {
            format!("dies with the process: entries lost in {losing} of {kills}{without}, up to {most}")
        }
        (DurabilityClass::Process | DurabilityClass::Power, _) => {
            format!("REFUTED: acknowledged entries lost in {losing} of {kills}{without}, up to {most}")
        }
    })
}

/// The evidence of the device's counters for the class `power`.
fn power(class: DurabilityClass, trials: &[&Trial<'_>]) -> Option<String> {
    if class != DurabilityClass::Power {
        return None;
    }
    let flushed: Vec<Status> = trials.iter().filter_map(|trial| audits::flushed(trial)).collect();
    let without = flushed.iter().filter(|status| **status == Status::Fail).count();
    Some(match (flushed.len(), without) {
        (0, _) => "declared: it is unknown whether the device saw a flush".to_owned(),
        (known, 0) => format!(
            "declared, which no kill can prove: as many flushes as acknowledgements need, forced writes or no \
             volatile cache in {known} of {}",
            count(trials.len(), "trial")
        ),
        (known, without) => format!(
            "REFUTED: fewer flushes than acknowledgements need, and no forced writes, in {without} of {}",
            count(known, "trial")
        ),
    })
}
