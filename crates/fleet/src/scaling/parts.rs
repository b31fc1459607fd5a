//! How ranks divide a rate of a volume.

use super::ranks::level_of_one;
use super::serialized;
use model::shared::SharedTrial;
use serde::Serialize;
use stats::interval::mean_interval;
use stats::{Interval, NoInterval};
use std::collections::BTreeSet;

/// What one rank gets.
#[derive(Clone, Debug, Serialize)]
pub struct RankPart {
    pub rank: u32,
    /// Its part of the rate of all. The level is divided by the number of ranks, because one of them is named.
    #[serde(serialize_with = "serialized::interval")]
    pub share: Result<Interval, NoInterval>,
    /// Whether that is proven to be less than an equal share.
    pub is_below_equal: bool,
}

/// The part of each rank, in order, of this metric's rate in these trials, which all have the same number of them.
pub(super) fn of_ranks(trials: &[&SharedTrial], metric: &str) -> Vec<RankPart> {
    let numbers: BTreeSet<u32> =
        trials.iter().flat_map(|trial| &trial.by_rank).map(|share| share.rank).collect();
    numbers.iter().map(|rank| part(trials, metric, *rank, numbers.len())).collect()
}

fn part(trials: &[&SharedTrial], metric: &str, rank: u32, ranks: usize) -> RankPart {
    let of_trial = |trial: &&SharedTrial| {
        let share = trial.by_rank.iter().find(|share| share.rank == rank)?;
        Some(share.rates.get(metric)? / trial.rates.get(metric)?)
    };
    let shares: Vec<f64> = trials.iter().filter_map(of_trial).collect();
    let level = level_of_one(ranks);
    let share = mean_interval(&shares, level);
    let is_below = |share: &Interval| share.reaches(level) && share.high < 1.0 / ranks as f64;
    RankPart { rank, is_below_equal: share.as_ref().is_ok_and(is_below), share }
}
