//! What is known about each durability class. A kill can refute that an entry survives the process. It cannot prove
//! that an entry survives a power loss: that is refuted by fewer flushes or forced writes than the acknowledgements
//! need, and stays declared otherwise.

use crate::audits::{self, Trial};
use crate::observations::{Observations, value};
use crate::promise::{Flushes, Kills, Promise};
use crate::verdict::Status;
use model::durability::DurabilityClass;
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
        let (flushes, kills) = (flushes(class, &trials), kills(&trials, kills_due(observations, &trials)));
        (!trials.is_empty()).then_some(Promise { class, flushes, kills })
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
    arms.saturating_mul(observations.rounds_used() as usize)
}

/// A kill whose trial is lost or failed stays in the count: a record that is gone must not make a promise look better
/// kept.
fn kills(trials: &[&Trial<'_>], due: usize) -> Option<Kills> {
    let lost: Vec<f64> = trials.iter().filter_map(|trial| value(trial.record, KILL)).collect();
    let losing = Count { of: lost.iter().filter(|entries| **entries > 0.0).count(), n: lost.len() };
    let without_result = due.saturating_sub(lost.len());
    (!lost.is_empty()).then(|| Kills {
        kills: lost.len() + without_result,
        without_result,
        losing: losing.of,
        entries_max: lost.iter().copied().fold(0.0, f64::max),
        share_losing_at_most: losing.share_at_most(0.95),
    })
}

/// The evidence of the device's counters for the class `power`.
fn flushes(class: DurabilityClass, trials: &[&Trial<'_>]) -> Option<Flushes> {
    let flushed: Vec<Status> = trials.iter().filter_map(|trial| audits::flushed(trial)).collect();
    let too_few = flushed.iter().filter(|status| **status == Status::Fail).count();
    let found = Flushes { trials: trials.len(), known: flushed.len(), too_few };
    (class == DurabilityClass::Power).then_some(found)
}
