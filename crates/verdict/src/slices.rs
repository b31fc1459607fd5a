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
    pub(crate) block: u32,
    pub(crate) arm: Arm,
    /// The trials that it took turns with, itself included.
    pub(crate) ensemble: Vec<Arm>,
    pub(crate) phase: String,
    pub(crate) slices: Vec<Slice>,
}

/// Whether a trial took turns.
pub(crate) fn took_turns(record: &TrialRecord) -> bool {
    let phases = record.measurement.iter().flat_map(|measurement| &measurement.phases);
    phases.into_iter().any(|phase| phase.turns.is_some())
}

/// The slices of one trial by phase.
pub(crate) fn of_trial(record: &TrialRecord, sidecar: &Sidecar) -> Vec<TrialSlices> {
    let (round, block, arm) = (record.key.round, record.key.block, record.key.arm());
    let of_phase = |(phase, slices): (&String, &Vec<Slice>)| {
        let slices = slices.iter().filter(|slice| lies_between_others(slice)).cloned().collect();
        TrialSlices { round, block, arm, ensemble: record.ensemble.clone(), phase: phase.clone(), slices }
    };
    sidecar.slices.iter().map(of_phase).collect()
}

/// Whether a slice was measured between those of other arms: the pilot measures nothing, and a whole turn has no other
/// beside it.
fn lies_between_others(slice: &Slice) -> bool {
    slice.turn.cycle > 0 && slice.window_s > 0.0 && !slice.turn.is_whole()
}

/// One phase of a study in turns: the rounds in which every arm has slices, or the blocks in which every arm of the
/// block has.
pub(crate) struct PhaseTurns {
    /// The arms, in the order of their numbers in `rounds`.
    pub(crate) arms: Vec<Arm>,
    pub(crate) rounds: Vec<Vec<Turn>>,
    /// The rounds or blocks of the arm that has fewest.
    pub(crate) rounds_min: usize,
}

impl PhaseTurns {
    /// From the slices of a study.
    pub(crate) fn new(slices: &[TrialSlices], phase: &str) -> Self {
        let of_phase = || slices.iter().filter(|trial| trial.phase == phase && !trial.slices.is_empty());
        let arms: BTreeSet<Arm> = of_phase().map(|trial| trial.arm).collect();
        let arms: Vec<Arm> = arms.into_iter().collect();
        let mut by_block: BTreeMap<(u32, u32), Vec<&TrialSlices>> = BTreeMap::new();
        for trial in of_phase() {
            by_block.entry((trial.round, trial.block)).or_default().push(trial);
        }
        // An arm of the block that has slices of this phase in any round has them here.
        let is_complete = |trials: &Vec<&TrialSlices>| {
            let expected = trials.iter().flat_map(|trial| &trial.ensemble).filter(|arm| arms.contains(arm));
            let has = |arm: &Arm| trials.iter().any(|trial| trial.arm == *arm);
            expected.into_iter().all(has)
        };
        let number = |arm: Arm| arms.binary_search(&arm).ok();
        let blocks: Vec<Vec<&TrialSlices>> = by_block.into_values().filter(is_complete).collect();
        let rounds_of = |arm: &Arm| blocks.iter().flatten().filter(|trial| trial.arm == *arm).count();
        let rounds_min = arms.iter().map(rounds_of).min().unwrap_or(0);
        let rounds = blocks.iter().map(|trials| {
            let of_trial = |trial: &&TrialSlices| -> Vec<Turn> {
                let arm = number(trial.arm);
                trial.slices.iter().filter_map(|slice| turn(slice, arm?, number)).collect()
            };
            trials.iter().flat_map(of_trial).collect()
        });
        let rounds = rounds.collect();
        Self { arms, rounds, rounds_min }
    }
}

/// `None` for the first turn of all, and for one after a trial that failed.
fn turn(slice: &Slice, arm: usize, number: impl Fn(Arm) -> Option<usize>) -> Option<Turn> {
    let predecessor = number(slice.turn.predecessor?)?;
    Some(Turn { arm, predecessor, quarters: slice.quarters, window_s: slice.window_s })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::turns;

    /// A whole turn of one arm would stand for a missing arm in the rounds of those that take turns.
    #[test]
    fn a_pilot_and_a_whole_turn_are_not_between_others() {
        let slice = |cycle, slice_s: f64, window_s| Slice {
            turn: turns::Turn { cycle, slice_s, ..turns::Turn::WHOLE },
            began_s: 1.0,
            window_s,
            drain_s: 0.0,
            quarters: [1; 4],
            latency_mean_s: 1e-3,
            is_over: false,
            left_bytes: None,
            progress: None,
        };
        assert!(lies_between_others(&slice(1, 0.025, 0.02)));
        assert!(!lies_between_others(&slice(0, 0.025, 0.0)));
        assert!(!lies_between_others(&slice(1, 0.0, 4.0)));
    }
}
