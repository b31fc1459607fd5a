//! What arms are compared by if a round is divided into blocks that take turns one after another: the baseline has a
//! trial in every block and is its control.
//!
//! A block differs from the next by what the machine did meanwhile, and so does its baseline. So the value of a trial
//! is multiplied by the baseline's geometric mean over the round ÷ the baseline in the trial's own block, and the
//! baseline's own value of the round is that mean. Then the ratio of an arm to the baseline is the ratio inside their
//! block; so is the ratio of two arms of the same block; and two arms of different blocks are compared through the
//! baseline (an incomplete block design with a control in every block: Cox & Cochran, *Experimental Designs*, chapter
//! 9; Bucher et al., J. Clin. Epidemiol. 1997, for the comparison through a third arm). Every arm has one value a
//! round, so rounds are complete, and n is the number of rounds.

use crate::observations::{Observations, value};
use stats::sample;
use std::collections::BTreeMap;

/// One arm's values of a metric by round, as they are compared with those of other arms: as they were measured, if
/// rounds are not divided, the arm or the baseline takes no turns, or the baseline has a value that no ratio can have.
/// A trial whose block has no value of the baseline has none either.
pub(crate) fn compared(
    observations: &Observations<'_>,
    configuration: usize,
    duplicate: bool,
    metric: &str,
) -> BTreeMap<u32, f64> {
    let controlled = (observations.plan.blocks_per_round() > 1)
        .then(|| controlled(observations, configuration, duplicate, metric))
        .flatten();
    controlled.unwrap_or_else(|| observations.series(configuration, duplicate, metric))
}

fn controlled(
    observations: &Observations<'_>,
    configuration: usize,
    duplicate: bool,
    metric: &str,
) -> Option<BTreeMap<u32, f64>> {
    let plan = observations.plan;
    if !plan.takes_turns(plan.duplicate) || !plan.takes_turns(configuration) {
        return None;
    }
    let mut controls: BTreeMap<u32, BTreeMap<u32, f64>> = BTreeMap::new();
    for record in observations.arm(plan.duplicate, false) {
        let Some(control) = value(record, metric) else { continue };
        if control <= 0.0 {
            return None;
        }
        controls.entry(record.key.round).or_default().insert(record.key.block, control);
    }
    let of_round = |round: &u32| {
        let blocks: Vec<f64> = controls.get(round)?.values().copied().collect();
        sample::geometric_mean(&blocks)
    };
    if configuration == plan.duplicate && !duplicate {
        return Some(controls.keys().filter_map(|round| Some((*round, of_round(round)?))).collect());
    }
    let compared = observations.arm(configuration, duplicate).filter_map(|record| {
        let (round, block) = (record.key.round, record.key.block);
        let control = controls.get(&round)?.get(&block)?;
        Some((round, value(record, metric)? * (of_round(&round)? / control)))
    });
    Some(compared.collect())
}
