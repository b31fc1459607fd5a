//! Which records are analysed, and what each trial measured: one record per trial, in any order of recording.

use crate::interleaving::Rounds;
use model::metric;
use model::plan::StudyPlan;
use model::run::Run;
use model::trial::{TrialKey, TrialOutcome, TrialRecord};
use stats::sample;
use std::collections::BTreeMap;

/// A trial's place in its study: round, configuration, whether it is the A/A arm's second trial, and of the arm that is
/// in every block of a round, the block.
pub(crate) type Place = (u32, usize, bool, u32);

/// The place of a trial.
pub(crate) fn place(plan: &StudyPlan, key: &TrialKey) -> Place {
    let block = if plan.is_in_every_block(key.arm()) { key.block } else { 0 };
    (key.round, key.configuration, key.duplicate, block)
}

/// The records of one study, one per trial of the plan.
#[derive(Debug)]
pub struct Observations<'a> {
    /// The plan they belong to.
    pub(crate) plan: &'a StudyPlan,
    trials: BTreeMap<Place, &'a TrialRecord>,
    /// The analysed trials of each configuration, by round.
    by_configuration: Vec<Vec<&'a TrialRecord>>,
    /// Its rounds by how their trials ran.
    rounds: Rounds,
    /// Records with a round or configuration that the plan does not have.
    pub(crate) foreign: usize,
    /// Records of a trial that has a better record.
    pub(crate) repeated: usize,
}

impl<'a> Observations<'a> {
    /// Sorts the records of a study.
    pub fn new(run: &'a Run, plan: &'a StudyPlan) -> Self {
        let by_configuration = plan.configurations.iter().map(|_| Vec::new()).collect();
        let mut observations = Self {
            plan,
            trials: BTreeMap::new(),
            by_configuration,
            rounds: Rounds::default(),
            foreign: 0,
            repeated: 0,
        };
        for record in run.of_study(plan) {
            if !plan.has(&record.key) {
                observations.foreign += 1;
                continue;
            }
            let kept = observations.trials.entry(place(plan, &record.key)).or_insert(record);
            if !std::ptr::eq(*kept, record) {
                observations.repeated += 1;
                if rank(record) > rank(kept) {
                    *kept = record;
                }
            }
        }
        observations.rounds = Rounds::of(plan, observations.trials.values().copied());
        for record in observations.analysed().collect::<Vec<_>>() {
            if let Some(of_configuration) = observations.by_configuration.get_mut(record.key.configuration) {
                of_configuration.push(record);
            }
        }
        observations
    }

    /// Whether a trial has a record.
    pub(crate) fn has(&self, place: &Place) -> bool {
        self.trials.contains_key(place)
    }

    /// Every trial that has a record, in order of round, configuration and arm.
    pub fn all(&self) -> impl Iterator<Item = &'a TrialRecord> {
        self.trials.values().copied()
    }

    /// The analysed trials: successful, outside the warm-up, in a round that is not set aside; including the A/A arm's
    /// second trials.
    pub(crate) fn analysed(&self) -> impl Iterator<Item = &'a TrialRecord> {
        self.all().filter(|record| is_analysed(self.plan, record) && !self.sets_aside(record))
    }

    /// The analysed trials of one configuration, by round; without the A/A arm's second trials.
    pub fn of_configuration(&self, configuration: usize) -> impl Iterator<Item = &'a TrialRecord> {
        self.arm(configuration, false)
    }

    /// The A/A arm's second trials of one configuration, by round.
    pub(crate) fn second_trials(&self, configuration: usize) -> impl Iterator<Item = &'a TrialRecord> {
        self.arm(configuration, true)
    }

    /// The analysed trials of one arm, by round.
    pub(crate) fn arm(&self, configuration: usize, duplicate: bool) -> impl Iterator<Item = &'a TrialRecord> {
        let trials = self.by_configuration.get(configuration).map(Vec::as_slice).unwrap_or_default();
        trials.iter().copied().filter(move |record| record.key.duplicate == duplicate)
    }

    /// The number of rounds, without the warm-up, that have a record.
    pub(crate) fn rounds_begun(&self) -> u32 {
        self.plan.rounds_begun(self.trials.keys().map(|(round, ..)| *round))
    }

    /// The rounds by how their trials ran.
    pub(crate) fn rounds(&self) -> &Rounds {
        &self.rounds
    }

    /// The number of rounds that have a record and are not set aside.
    pub(crate) fn rounds_used(&self) -> u32 {
        self.rounds_begun().saturating_sub(self.rounds.set_aside())
    }

    /// Whether the trial's round is left out, because its trials ran in another way than those of the rounds that are
    /// used.
    pub(crate) fn sets_aside(&self, record: &TrialRecord) -> bool {
        self.rounds.sets_aside(record.key.round)
    }

    /// One arm's values of a metric by round: finite figures of analysed trials. If it has a trial in every block of a
    /// round, their mean.
    pub(crate) fn series(&self, configuration: usize, duplicate: bool, metric: &str) -> BTreeMap<u32, f64> {
        let trials = self.arm(configuration, duplicate);
        mean_by_round(trials.filter_map(|record| Some((record.key.round, value(record, metric)?))))
    }

    /// Why a configuration has no value of a metric: the first reason of its trials.
    pub(crate) fn reason(&self, configuration: usize, metric: &str) -> String {
        let mut trials = 0;
        for record in self.of_configuration(configuration) {
            trials += 1;
            if let Some(reason) = record.metric(metric).and_then(|measured| measured.reason()) {
                return reason.to_owned();
            }
        }
        if trials > 0 {
            return "its trials do not report it".to_owned();
        }
        let outcome = self
            .all()
            .filter(|record| record.key.configuration == configuration)
            .find_map(|record| why(&record.outcome));
        outcome.unwrap_or_else(|| "none of its trials succeeded".to_owned())
    }

    /// Full names of the metrics of any analysed trial, in the metric table's order; unknown names last.
    pub(crate) fn metrics(&self) -> Vec<String> {
        let mut unknown: Vec<&String> = self
            .analysed()
            .filter_map(|record| record.measurement.as_ref())
            .flat_map(|measurement| &measurement.phases)
            .flat_map(|phase| phase.metrics.keys())
            .collect();
        unknown.sort();
        unknown.dedup();
        let mut names: Vec<String> = metric::all().map(|metric| metric.name()).collect();
        names.retain(|name| {
            let place = unknown.binary_search(&name);
            place.map(|index| unknown.remove(index)).is_ok()
        });
        names.extend(unknown.into_iter().cloned());
        names
    }
}

/// The arithmetic mean of the values of each round.
pub(crate) fn mean_by_round(values: impl Iterator<Item = (u32, f64)>) -> BTreeMap<u32, f64> {
    let mut by_round: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (round, value) in values {
        by_round.entry(round).or_default().push(value);
    }
    by_round.into_iter().filter_map(|(round, values)| Some((round, sample::mean(&values)?))).collect()
}

/// A metric's figure, if it is a number: a record from another program may contain anything.
pub(crate) fn value(record: &TrialRecord, metric: &str) -> Option<f64> {
    record.figure(metric).filter(|figure| figure.is_finite())
}

/// What went wrong in a trial, in words; `None` if it succeeded.
pub(crate) fn why(outcome: &TrialOutcome) -> Option<String> {
    match outcome {
        TrialOutcome::Ok => None,
        TrialOutcome::Failed(why) => Some(format!("failed: {why}")),
        TrialOutcome::Unsupported(why) => Some(format!("not possible here: {why}")),
        TrialOutcome::Killed(seconds) => Some(format!("killed at its deadline after {seconds:.0} s")),
    }
}

/// Whether a trial's figures count, if its round is not set aside.
pub(crate) fn is_analysed(plan: &StudyPlan, record: &TrialRecord) -> bool {
    ended_well(record) && !is_warmup(plan, record)
}

/// Whether a trial belongs to the warm-up.
pub(crate) fn is_warmup(plan: &StudyPlan, record: &TrialRecord) -> bool {
    record.warmup || record.key.round < plan.warmup_rounds
}

/// Whether a trial measured.
pub(crate) fn ended_well(record: &TrialRecord) -> bool {
    record.outcome == TrialOutcome::Ok && record.measurement.is_some()
}

/// Orders several records of one trial: the one that measured first, then the latest; then the text, so that the result
/// never depends on the order of lines.
fn rank(record: &TrialRecord) -> (bool, u32, &str, String) {
    let text = serde_json::to_string(record).unwrap_or_default();
    (ended_well(record), record.session, &record.started_at, text)
}
