//! Which trial comes next: a pure function of the plan, the records so far and the time left.

use crate::order::{Slot, round_order};
use model::plan::{Plan, StudyPlan};
use model::run::Run;
use model::trial::{TrialKey, TrialRecord};
use model::turns::Arm;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

/// A trial that is due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Due {
    /// Index of its study in the plan.
    pub study: usize,
    pub key: TrialKey,
    /// Place in its round.
    pub position: u32,
}

/// A rule that picks the next trial; `None` ends the run.
pub type NextTrial<'a> = dyn Fn(&Plan, &[TrialRecord], Option<Duration>) -> Option<Due> + 'a;

/// A rule that says whether a study's trials take turns in a round, by the rounds before it; if not, they run one after
/// another. The lab draws no conclusions, so the binary asks the verdict whether turns carried something over.
pub type TakesTurns<'a> = dyn Fn(&Run, &StudyPlan, u32) -> bool + 'a;

/// Study by study, round by round, in each round's own order: the first trial that has no record, of those that are run
/// whatever they show. If a study may end at looks, [`crate::interim::by_looks`] goes on from there.
///
/// With a time limit, a study's round is begun only if it is expected to fit; a round once begun is finished.
pub fn in_order(plan: &Plan, records: &[TrialRecord], time_left: Option<Duration>) -> Option<Due> {
    let recorded: BTreeSet<&TrialKey> = records.iter().map(|record| &record.key).collect();
    (0..plan.studies.len()).find_map(|index| {
        let study = &plan.studies[index];
        let wanted = study.rounds_wanted(rounds_begun(study, records)).saturating_add(study.warmup_rounds);
        first_missing(plan, index, 0..wanted, &recorded)
            .filter(|due| due.position > 0 || fits(study, records, 1, time_left))
    })
}

/// The trials that are run together with one that is due, in the order of their round: those that take turns with it,
/// whether or not they have a record already, or it alone.
pub fn ensemble(plan: &Plan, due: &Due) -> Vec<Due> {
    let study = &plan.studies[due.study];
    let order = round_order(study, plan.seed, due.key.round);
    let slot = Slot { arm: due.key.arm(), block: due.key.block };
    let together = crate::order::ensemble(study, plan.seed, due.key.round, slot);
    let slots = order.into_iter().zip(0..).filter(|(slot, _)| together.contains(slot));
    slots
        .map(|(slot, position)| Due { study: due.study, key: key(study, due.key.round, slot), position })
        .collect()
}

/// Whether this number of rounds of a study is expected to fit. Nothing is known about one that has not begun, so it
/// begins while any time is left.
pub(crate) fn fits(study: &StudyPlan, records: &[TrialRecord], rounds: u32, left: Option<Duration>) -> bool {
    left.is_none_or(|left| {
        let has_begun_late = left.is_zero() && !records.is_empty();
        !has_begun_late && round_seconds(study, records) * f64::from(rounds) <= left.as_secs_f64()
    })
}

/// The first trial of these rounds that has no record.
pub(crate) fn first_missing(
    plan: &Plan,
    study: usize,
    mut rounds: Range<u32>,
    recorded: &BTreeSet<&TrialKey>,
) -> Option<Due> {
    let of = &plan.studies[study];
    rounds.find_map(|round| {
        let slots = round_order(of, plan.seed, round);
        slots.into_iter().zip(0..).find_map(|(slot, position)| {
            let key = key(of, round, slot);
            (!recorded.contains(&key)).then_some(Due { study, key, position })
        })
    })
}

fn key(study: &StudyPlan, round: u32, Slot { arm, block }: Slot) -> TrialKey {
    let Arm { configuration, duplicate } = arm;
    TrialKey { study: study.name.clone(), round, configuration, duplicate, block }
}

/// Analysed rounds of a study that have a record.
pub(crate) fn rounds_begun(study: &StudyPlan, records: &[TrialRecord]) -> u32 {
    let of_study = records.iter().filter(|record| record.key.study == study.name);
    study.rounds_begun(of_study.map(|record| record.key.round))
}

/// Analysed rounds in turns of a study that has left them: its answer is of the rounds after them, so no look counts
/// these. 0 if it has not left them.
pub(crate) fn rounds_left_behind(study: &StudyPlan, records: &[TrialRecord]) -> u32 {
    let could = |record: &&TrialRecord| {
        record.key.study == study.name
            && record.key.round >= study.warmup_rounds
            && study.takes_turns(record.key.configuration)
    };
    let round = |record: &TrialRecord| record.key.round;
    let (in_turns, alone): (Vec<&TrialRecord>, Vec<&TrialRecord>) =
        records.iter().filter(could).partition(|record| !record.ensemble.is_empty());
    let in_turns: BTreeSet<u32> = in_turns.into_iter().map(round).collect();
    let has_left = alone.into_iter().any(|record| !in_turns.contains(&round(record)));
    if has_left { u32::try_from(in_turns.len()).unwrap_or(u32::MAX) } else { 0 }
}

/// Expected length of one round, in seconds: the mean trial so far, times trials a round; zero before the first.
pub(crate) fn round_seconds(study: &StudyPlan, records: &[TrialRecord]) -> f64 {
    mean_trial_seconds(study, records).unwrap_or(0.0) * study.trials_per_round() as f64
}

fn mean_trial_seconds(study: &StudyPlan, records: &[TrialRecord]) -> Option<f64> {
    let walls: Vec<f64> = records
        .iter()
        .filter(|record| record.key.study == study.name)
        .map(|record| record.wall_s + record.prepare_s)
        .collect();
    (!walls.is_empty()).then(|| walls.iter().sum::<f64>() / walls.len() as f64)
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    pub done: usize,
    /// Trials in all, of rounds that are run whatever they show or were begun.
    pub total: usize,
    /// Expected seconds until the end; `None` before the first trial.
    pub left_s: Option<f64>,
}

/// Counts trials and extrapolates: studies that have not begun are taken to be as long per trial as the others.
pub fn progress(plan: &Plan, records: &[TrialRecord]) -> Progress {
    let mut done_by_study: BTreeMap<&str, usize> = BTreeMap::new();
    for record in records {
        *done_by_study.entry(&record.key.study).or_default() += 1;
    }
    let overall = records.iter().map(|record| record.wall_s + record.prepare_s).sum::<f64>()
        / records.len().max(1) as f64;
    let (mut total, mut left_s) = (0, 0.0);
    for study in &plan.studies {
        let wanted = study.rounds_wanted(rounds_begun(study, records)).saturating_add(study.warmup_rounds);
        let trials = study.trials_per_round() * wanted as usize;
        let done = done_by_study.get(study.name.as_str()).copied().unwrap_or(0);
        total += trials;
        left_s += mean_trial_seconds(study, records).unwrap_or(overall) * trials.saturating_sub(done) as f64;
    }
    Progress { done: records.len(), total, left_s: (!records.is_empty()).then_some(left_s) }
}
