//! What the plan expects of the rounds that were begun and the records do not have. A file that was cut, a line or a figure
//! that was deleted leaves no error behind: only the plan, and the other trials, say that something is gone.

use crate::observations::{Observations, Place};
use model::trial::{Measurement, TrialRecord};
use std::collections::BTreeSet;

/// Trials that are named at most: a hostile plan has as many rounds as it likes.
const LISTED_MAX: usize = 1000;

/// Trials that were due before others that have a record, and have none themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LostTrials {
    /// Where they belong, those of the first rounds where there are very many. The last round may have been interrupted: of
    /// it only the number is known.
    pub(crate) places: Vec<Place>,
    /// How many there are.
    pub(crate) count: u64,
}

/// A trial is recorded before the next starts, and a round that was begun is finished before the next: what is missing
/// before the last record was there.
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
    // Of a sound run this looks at every place once; of a hostile one at no more than its records and the limit.
    LostTrials { places: places.take(if count == 0 { 0 } else { LISTED_MAX }).collect(), count }
}

fn places_of_round(observations: &Observations<'_>, round: u32) -> impl Iterator<Item = Place> {
    let plan = observations.plan;
    let configurations =
        (0..plan.configurations.len()).map(move |configuration| (round, configuration, false));
    configurations.chain(plan.has_duplicate().then_some((round, plan.duplicate, true)))
}

/// Trials have a position in their round, and those up to the last position were due.
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

/// A trial that lacks figures which it must have had: one that does not exist is recorded as unsupported, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LostMetrics {
    /// The trial.
    pub(crate) place: Place,
    /// Full names.
    pub(crate) metrics: Vec<String>,
    /// Whether the study asks about one of them.
    pub(crate) is_asked: bool,
}

/// Trials that count and lack a metric that another trial of their configuration has, or that the study asks about.
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
                let place = (record.key.round, record.key.configuration, record.key.duplicate);
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
