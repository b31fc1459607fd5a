//! What the plan expects of the started rounds and the records lack. A truncated file, or a deleted line or figure,
//! leaves no error: only the plan and the other trials show that something is gone.

use crate::observations::{Observations, Place, place};
use model::trial::{Measurement, TrialRecord};
use std::collections::BTreeSet;

/// The maximum number of listed trials, because a hostile plan can have any number of rounds.
const LISTED_MAX: usize = 1000;

/// Trials without a record that were due before others with one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LostTrials {
    /// Their places; if there are very many, those of the first rounds. The last round may have been interrupted: only
    /// the number of its trials is known.
    pub(crate) places: Vec<Place>,
    /// The number of them.
    pub(crate) count: u64,
}

/// A trial is recorded before the next one starts, and a started round is finished before the next: a gap before the
/// last record was once filled.
pub(crate) fn lost_trials(observations: &Observations<'_>) -> LostTrials {
    let Some(last) = observations.all().map(|record| record.key.round).max() else {
        return LostTrials::default();
    };
    let plan = observations.plan;
    let before = observations.all().filter(|record| record.key.round < last).count() as u64;
    let expected = u64::from(last).saturating_mul(plan.trials_per_round() as u64);
    let count = expected.saturating_sub(before).saturating_add(lost_of_last_round(observations, last));
    let places = (0..last).flat_map(|round| places_of_round(observations, round));
    let places = places.filter(|place| !observations.has(place));
    // For a sound run this looks at every place once; for a hostile one at no more than its records and the limit.
    LostTrials { places: places.take(if count == 0 { 0 } else { LISTED_MAX }).collect(), count }
}

fn places_of_round(observations: &Observations<'_>, round: u32) -> impl Iterator<Item = Place> {
    let plan = observations.plan;
    let configurations =
        (0..plan.configurations.len()).map(move |configuration| (round, configuration, false, 0));
    let again = (1..plan.blocks_per_round()).map(move |block| (round, plan.duplicate, false, block));
    configurations.chain(plan.has_duplicate().then_some((round, plan.duplicate, true, 0))).chain(again)
}

/// Trials have a position in their round, and all up to the last position were due.
fn lost_of_last_round(observations: &Observations<'_>, round: u32) -> u64 {
    let positions: BTreeSet<u32> = observations
        .all()
        .filter(|record| record.key.round == round)
        .map(|record| record.position)
        .filter(|position| (*position as usize) < observations.plan.trials_per_round())
        .collect();
    let due = positions.last().map_or(0, |last| u64::from(*last) + 1);
    due.saturating_sub(positions.len() as u64)
}

/// A trial that lacks figures which it must have had: a figure that does not exist is recorded as unsupported, with the
/// reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LostMetrics {
    pub(crate) place: Place,
    pub(crate) metrics: Vec<String>,
    /// Whether the study asks about one of them.
    pub(crate) is_asked: bool,
}

/// Analysed trials without a metric that another trial of their configuration has, or that the study asks about.
pub(crate) fn lost_metrics(observations: &Observations<'_>, asked: &[String]) -> Vec<LostMetrics> {
    let mut lost = Vec::new();
    let mut by_configuration: Vec<Vec<&TrialRecord>> =
        observations.plan.configurations.iter().map(|_| Vec::new()).collect();
    for record in observations.analysed() {
        by_configuration[record.key.configuration].push(record);
    }
    for trials in by_configuration {
        let has_all = trials.windows(2).all(|pair| names(pair[0]).eq(names(pair[1])));
        let has_asked = |record: &TrialRecord| asked.iter().all(|metric| record.metric(metric).is_some());
        if has_all && trials.first().is_none_or(|first| has_asked(first)) {
            continue;
        }
        let known: BTreeSet<(&str, &str)> = trials.iter().flat_map(|record| names(record)).collect();
        for record in trials {
            let own: BTreeSet<(&str, &str)> = names(record).collect();
            let others = known.difference(&own).map(|(_, metric)| (*metric).to_owned());
            let of_study = asked.iter().filter(|metric| record.metric(metric).is_none()).cloned();
            let metrics: BTreeSet<String> = others.chain(of_study).collect();
            if !metrics.is_empty() {
                let place = place(observations.plan, &record.key);
                let is_asked = metrics.iter().any(|metric| asked.contains(metric));
                lost.push(LostMetrics { place, metrics: metrics.into_iter().collect(), is_asked });
            }
        }
    }
    lost
}

/// The names of everything that a trial measured, each with its phase.
fn names(record: &TrialRecord) -> impl Iterator<Item = (&str, &str)> {
    let phases = record.measurement.iter().flat_map(|Measurement { phases, .. }| phases);
    phases.flat_map(|phase| phase.metrics.keys().map(|metric| (phase.name.as_str(), metric.as_str())))
}
