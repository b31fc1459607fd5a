//! The slices of trials that took turns, as their sidecars have them.

use model::sidecar::Sidecar;
use model::trial::TrialRecord;
use model::turns::{Arm, Slice};
use stats::carry_over::Turn;
use std::collections::{BTreeMap, BTreeSet};

/// What one trial did in its turns of one phase.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TrialSlices {
    pub(crate) round: u32,
    pub(crate) arm: Arm,
    pub(crate) phase: String,
    /// The measured ones.
    pub(crate) slices: Vec<Slice>,
}

/// Whether a trial took turns.
pub(crate) fn took_turns(record: &TrialRecord) -> bool {
    let phases = record.measurement.iter().flat_map(|measurement| &measurement.phases);
    phases.into_iter().any(|phase| phase.turns.is_some())
}

/// The slices of one trial by phase.
pub(crate) fn of_trial(record: &TrialRecord, sidecar: &Sidecar) -> Vec<TrialSlices> {
    let (round, arm) = (record.key.round, record.key.arm());
    let is_measured = |slice: &&Slice| slice.turn.cycle > 0 && slice.window_s > 0.0;
    let of_phase = |(phase, slices): (&String, &Vec<Slice>)| {
        let slices = slices.iter().filter(is_measured).cloned().collect();
        TrialSlices { round, arm, phase: phase.clone(), slices }
    };
    sidecar.slices.iter().map(of_phase).collect()
}

/// One phase of a study in turns: the rounds in which every arm has slices.
pub(crate) struct PhaseTurns {
    /// The arms, in the order of their numbers in `rounds`.
    pub(crate) arms: Vec<Arm>,
    pub(crate) rounds: Vec<Vec<Turn>>,
}

impl PhaseTurns {
    /// From the slices of a study.
    pub(crate) fn new(slices: &[TrialSlices], phase: &str) -> Self {
        let of_phase = || slices.iter().filter(|trial| trial.phase == phase && !trial.slices.is_empty());
        let arms: BTreeSet<Arm> = of_phase().map(|trial| trial.arm).collect();
        let arms: Vec<Arm> = arms.into_iter().collect();
        let mut by_round: BTreeMap<u32, Vec<&TrialSlices>> = BTreeMap::new();
        for trial in of_phase() {
            by_round.entry(trial.round).or_default().push(trial);
        }
        let number = |arm: Arm| arms.binary_search(&arm).ok();
        let rounds = by_round.into_values().filter(|trials| trials.len() == arms.len()).map(|trials| {
            let of_trial = |trial: &&TrialSlices| -> Vec<Turn> {
                let arm = number(trial.arm);
                trial.slices.iter().filter_map(|slice| turn(slice, arm?, number)).collect()
            };
            trials.iter().flat_map(of_trial).collect()
        });
        let rounds = rounds.collect();
        Self { arms, rounds }
    }
}

/// `None` for the first turn of all, and for one after a trial that failed.
fn turn(slice: &Slice, arm: usize, number: impl Fn(Arm) -> Option<usize>) -> Option<Turn> {
    let predecessor = number(slice.turn.predecessor?)?;
    Some(Turn { arm, predecessor, quarters: slice.quarters, window_s: slice.window_s })
}
