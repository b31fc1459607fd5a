//! Made-up turns: records whose trials took them, and slices in which what one trial leaves behind slows the next.

use crate::trial::normal;
use model::description::Direction;
use model::mechanism::Measured;
use model::plan::StudyPlan;
use model::sidecar::Sidecar;
use model::trial::{TrialKey, TrialRecord};
use model::turns::{Arm, Slice, Turn, TurnsTaken};
use std::collections::BTreeMap;

/// Slices of a trial.
const SLICES: u32 = 30;
const SLICE_S: f64 = 0.025;
const SETTLE_S: f64 = 0.0025;
/// Operations in a window of a slice, without what is planted or left to chance.
const OPERATIONS: f64 = 400.0;

/// The trial took turns. Its counters cover twice what its windows do, in time and in operations.
pub(crate) fn take(record: &mut TrialRecord, plan: &StudyPlan) {
    let writes = plan
        .description(record.key.configuration)
        .is_some_and(|description| description.stream(Direction::Write).is_some());
    record.ensemble = arms(plan).into_iter().filter(|arm| is_beside(plan, &record.key, *arm)).collect();
    for phase in record.measurement.iter_mut().flat_map(|measurement| &mut measurement.phases) {
        phase.mechanism = phase.mechanism.clone().and_later(phase.mechanism.clone());
        phase.turns = Some(TurnsTaken {
            slices: SLICES,
            slice_s: SLICE_S,
            turns_s: 2.0 * phase.duration_s,
            drained_s: 0.1 * phase.duration_s,
            operations: 2 * phase.operations,
            left_bytes_max: writes.then_some(Measured::Value(0)),
            idle_bytes: None,
        });
    }
}

/// Every trial of a round, the A/A arm's second one last.
fn arms(plan: &StudyPlan) -> Vec<Arm> {
    let arms = (0..plan.configurations.len()).map(|configuration| Arm { configuration, duplicate: false });
    arms.chain([Arm { configuration: plan.duplicate, duplicate: true }]).collect()
}

/// Whether an arm is in the block of this trial.
fn is_beside(plan: &StudyPlan, key: &TrialKey, arm: Arm) -> bool {
    plan.is_in_every_block(arm) || block(plan, key.round, arm) == key.block
}

/// The block of an arm that is not in every block.
pub(crate) fn block(plan: &StudyPlan, round: u32, arm: Arm) -> u32 {
    let place = if arm.duplicate { plan.configurations.len() } else { arm.configuration };
    // Arms beside each other are in different blocks, and each such row of them is moved on more than the one before.
    let count = plan.blocks_per_round() as usize;
    let of_round = place + (1 + place / count) * round as usize;
    u32::try_from(of_round % count).unwrap_or(0)
}

/// The slices of a study's trials.
pub struct Slices {
    plan: StudyPlan,
    arms: Vec<Arm>,
    scatter: f64,
    after: Box<dyn Fn(Arm) -> f64 + Sync>,
    last_quarter: Box<dyn Fn(Arm) -> f64 + Sync>,
}

impl Slices {
    /// Slices of this study in which nothing is carried over; their rates scatter by 10 %.
    pub fn of(plan: &StudyPlan) -> Self {
        let arms = arms(plan);
        Self {
            plan: plan.clone(),
            arms,
            scatter: 0.1,
            after: Box::new(|_| 1.0),
            last_quarter: Box::new(|_| 1.0),
        }
    }

    /// Standard deviation of the logarithm of a slice's rate.
    #[must_use]
    pub fn scatter(mut self, scatter: f64) -> Self {
        self.scatter = scatter;
        self
    }

    /// The factor by which a slice is faster after one of this arm.
    #[must_use]
    pub fn after(mut self, factor: impl Fn(Arm) -> f64 + Sync + 'static) -> Self {
        self.after = Box::new(factor);
        self
    }

    /// The factor by which the last quarter of this arm's slices is faster than the others.
    #[must_use]
    pub fn last_quarter(mut self, factor: impl Fn(Arm) -> f64 + Sync + 'static) -> Self {
        self.last_quarter = Box::new(factor);
        self
    }

    /// The slices of one trial, a pilot first. Every cycle has an order of its own, the same for all trials of the
    /// round.
    pub fn sidecar(&self, key: &TrialKey) -> Option<Sidecar> {
        let own = key.arm();
        let round = u64::from(key.round) << 20 | u64::from(key.block) << 40;
        let mut predecessor = None;
        let mut slices = Vec::new();
        for cycle in 0..=SLICES {
            let seed = |place: usize| round | u64::from(cycle) << 8 | place as u64;
            let mut order: Vec<(f64, usize)> =
                (0..self.arms.len()).map(|place| (normal(seed(place)), place)).collect();
            order.sort_by(|(a, _), (b, _)| a.total_cmp(b));
            for (_, place) in order {
                let arm = self.arms[place];
                if !is_beside(&self.plan, key, arm) {
                    continue;
                }
                if arm == own {
                    let turn = Turn { cycle, predecessor, slice_s: SLICE_S, settle_s: SETTLE_S };
                    slices.push(self.slice(turn, arm, (self.scatter * normal(seed(place) | 1 << 60)).exp()));
                }
                predecessor = Some(arm);
            }
        }
        Some(Sidecar {
            interval_s: 0.1,
            slices: BTreeMap::from([("measure".to_owned(), slices)]),
            ..Sidecar::default()
        })
    }

    fn slice(&self, turn: Turn, arm: Arm, chance: f64) -> Slice {
        let carried = turn.predecessor.map_or(1.0, |predecessor| (self.after)(predecessor));
        let quarter = OPERATIONS / 4.0 * chance * carried;
        let last = (quarter * (self.last_quarter)(arm)).round() as u64;
        let quarter = quarter.round() as u64;
        Slice {
            turn,
            began_s: 1000.0 + f64::from(turn.cycle),
            window_s: if turn.cycle == 0 { 0.0 } else { SLICE_S - SETTLE_S },
            drain_s: 0.001,
            quarters: [quarter, quarter, quarter, last],
            latency_mean_s: 0.001,
            is_over: false,
            left_bytes: None,
            progress: None,
        }
    }
}
