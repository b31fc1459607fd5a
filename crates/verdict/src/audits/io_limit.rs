//! Whether a control group limits the I/O of the device. Then the figures are those of the limit, as far as it binds: a
//! container or a service often has one that its user has not set. A limit that begins midway divides the rounds.

use super::{Bearing, Check, Context, Judgement, Use};
use crate::phrase::count;
use crate::verdict::Status;
use model::Description;
use model::host::IoLimit;
use model::trial::TrialRecord;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const CHECK: Check =
    Check { name: "io-limit", bearing, moot: "No figure depends on a device.", judge: check };

/// A limit is in every time and in every count of the device.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    used.is_of_device().then_some(Bearing::Limiting)
}

fn check(context: &Context<'_>) -> Judgement {
    let mut unknown = BTreeSet::new();
    let mut by_round: BTreeMap<u32, BTreeSet<IoLimit>> = BTreeMap::new();
    for trial in context.trials.iter().flatten() {
        let record = trial.record;
        match limits(record) {
            Some(limits) => {
                let foreign = limits.iter().filter(|limit| !is_its_own(limit, trial.description));
                by_round.entry(record.key.round).or_default().extend(foreign.cloned());
            }
            None => drop(unknown.insert(record.key.configuration)),
        }
    }
    let all: BTreeSet<&IoLimit> = by_round.values().flatten().collect();
    if all.is_empty() && by_round.is_empty() {
        return Judgement::not_assessable("No trial reports the limits of its control groups.");
    }
    if all.is_empty() {
        let pass = Judgement::pass("No control group at or above the worker limits the device's I/O.");
        return pass.unassessed(unknown);
    }
    let begins =
        |limit: &IoLimit| by_round.iter().find(|(_, limits)| limits.contains(limit)).map(|(round, _)| *round);
    let first = by_round.keys().next().copied();
    let has_changed = by_round.values().any(|limits| limits.len() != all.len());
    let summary = if has_changed {
        "A limit of a control group on the device's I/O began or ended during the study: its rounds are not of one \
         kind."
    } else {
        "A control group limits the device's I/O: the figures are those of the limit, as far as it binds."
    };
    let advice = "Measure outside of the group, or take the figures as valid for what runs inside it.";
    let evidence = all.iter().map(|limit| {
        let from = begins(limit).filter(|round| Some(*round) != first);
        let from = from.map_or_else(String::new, |round| format!(", from round {round} on"));
        let rounds = by_round.values().filter(|limits| limits.contains(*limit)).count();
        format!("{}{from}, in {} of {}.", limit.words(), rounds, count(by_round.len(), "round"))
    });
    let evidence: Vec<String> = evidence.collect();
    Judgement::new(Status::Warn, summary, advice).with(evidence).unassessed(unknown)
}

/// Whether the configuration itself sets this limit: then it is what is measured.
fn is_its_own(limit: &IoLimit, description: &Description) -> bool {
    description.io_cap.is_some_and(|cap| cap.of(limit.of) == Some(limit.per_s))
}

fn limits(record: &TrialRecord) -> Option<&Vec<IoLimit>> {
    record.measurement.as_ref()?.placement.io_limits.as_ref()
}
