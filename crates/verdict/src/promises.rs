//! What is known of each durability class's promise. A kill can refute that an entry survives the process; that it
//! survives power loss no kill can prove: with fewer flushes or forced writes than acknowledgements need it is refuted,
//! otherwise it stays declared.

use crate::audits::{self, Trial};
use crate::observations::value;
use crate::phrase::count;
use crate::verdict::{Promise, Status};
use model::durability::DurabilityClass;
use model::units::format_significant;

/// The promises of every class that a trial declares, weakest first.
pub(crate) fn promises(trials: &[Vec<Trial<'_>>]) -> Vec<Promise> {
    let classes = [DurabilityClass::None, DurabilityClass::Process, DurabilityClass::Power];
    let promise = |class: DurabilityClass| {
        let declare = |trial: &&Trial<'_>| {
            trial.record.measurement.as_ref().is_some_and(|measurement| measurement.durability == class)
        };
        let trials: Vec<&Trial<'_>> = trials.iter().flatten().filter(declare).collect();
        let clauses = [power(class, &trials), kills(class, &trials)];
        let standing = clauses.into_iter().flatten().collect::<Vec<_>>().join("; ");
        (!trials.is_empty()).then(|| Promise { class: class.to_string(), standing })
    };
    classes.into_iter().filter_map(promise).collect()
}

/// What kills say: `no acknowledged entry lost in 42 kills`.
fn kills(class: DurabilityClass, trials: &[&Trial<'_>]) -> Option<String> {
    let lost: Vec<f64> = trials.iter().filter_map(|trial| value(trial.record, "lost_after_kill")).collect();
    if lost.is_empty() {
        return (class == DurabilityClass::None).then(|| "dies with the process".to_owned());
    }
    let losing = lost.iter().filter(|entries| **entries > 0.0).count();
    let most = format_significant(lost.iter().copied().fold(0.0, f64::max));
    let kills = count(lost.len(), "kill");
    Some(match (class, losing) {
        (_, 0) => format!("no acknowledged entry lost in {kills}"),
        (DurabilityClass::None, _) => {
            format!("dies with the process: entries lost in {losing} of {kills}, up to {most}")
        }
        (DurabilityClass::Process | DurabilityClass::Power, _) => {
            format!("REFUTED: acknowledged entries lost in {losing} of {kills}, up to {most}")
        }
    })
}

/// What the device's counters say of the promise to survive power loss.
fn power(class: DurabilityClass, trials: &[&Trial<'_>]) -> Option<String> {
    if class != DurabilityClass::Power {
        return None;
    }
    let flushed: Vec<Status> = trials.iter().filter_map(|trial| audits::flushed(trial)).collect();
    let without = flushed.iter().filter(|status| **status == Status::Fail).count();
    Some(match (flushed.len(), without) {
        (0, _) => "declared: whether the device saw a flush cannot be told".to_owned(),
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
