//! How ranks took their turns: how far apart, who was the last, and whose latencies have the longest tail.

use super::serialized;
use crate::rule::LEVEL;
use model::shared::{RankShare, SharedTrial, Skew};
use serde::Serialize;
use stats::contrast::paired_ratio;
use stats::interval::mean_interval;
use stats::{Interval, NoInterval, Ratio, sample};
use std::collections::BTreeSet;

/// The ranks at the largest number of them.
#[derive(Clone, Debug, Serialize)]
pub struct Ranks {
    pub last_done: Vec<LastDone>,
    /// Each family of latencies.
    pub tails: Vec<Tail>,
    /// Turns that all measured, but not at the same time: nothing else here counts them.
    pub apart: u32,
    /// From the first rank's start of a turn to the last one's.
    pub start_skew: Skew,
    /// From the end of the first rank that was done to the end of the last.
    pub end_skew: Skew,
}

/// How often a rank was the last.
#[derive(Clone, Debug, Serialize)]
pub struct LastDone {
    pub rank: u32,
    /// Part of the turns in which it was the last to be done.
    pub part: f64,
}

/// The 99th percentile of a family of latencies.
#[derive(Clone, Debug, Serialize)]
pub struct Tail {
    /// The family's name in the table of metrics.
    pub family: String,
    /// Over the operations of all ranks, microseconds.
    #[serde(serialize_with = "serialized::interval")]
    pub all_us: Result<Interval, NoInterval>,
    /// The rank with the highest; `None` if no round has this percentile of every rank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest: Option<LongestTail>,
}

/// The rank with the highest 99th percentile.
#[derive(Clone, Debug, Serialize)]
pub struct LongestTail {
    pub rank: u32,
    /// Its percentile as a multiple of the median rank's. The level is divided by the number of ranks, because the rank
    /// was chosen among them.
    #[serde(serialize_with = "serialized::ratio")]
    pub times_median: Result<Ratio, NoInterval>,
}

/// The ranks of these trials, which all have the same number of them.
pub(super) fn ranks(trials: &[&SharedTrial]) -> Ranks {
    let numbers: BTreeSet<u32> =
        trials.iter().flat_map(|trial| &trial.by_rank).map(|share| share.rank).collect();
    let families: BTreeSet<&String> = trials.iter().flat_map(|trial| trial.latency_p99_us.keys()).collect();
    Ranks {
        last_done: numbers.iter().map(|rank| last_done(trials, *rank)).collect(),
        tails: families.into_iter().map(|family| tail(trials, &numbers, family)).collect(),
        apart: trials.iter().fold(0, |sum, trial| sum.saturating_add(trial.apart)),
        start_skew: skew(trials.iter().map(|trial| trial.start_skew)),
        end_skew: skew(trials.iter().map(|trial| trial.end_skew)),
    }
}

fn last_done(trials: &[&SharedTrial], rank: u32) -> LastDone {
    let shares = trials.iter().flat_map(|trial| &trial.by_rank).filter(|share| share.rank == rank);
    let last: f64 = shares.map(|share| f64::from(share.last_done)).sum();
    let slices: f64 = trials.iter().map(|trial| f64::from(trial.slices)).sum();
    LastDone { rank, part: last / slices.max(1.0) }
}

/// The level of one rank's interval so that those of all err as often as one at [`LEVEL`].
pub(super) fn level_of_one(ranks: usize) -> f64 {
    1.0 - (1.0 - LEVEL) / ranks as f64
}

fn tail(trials: &[&SharedTrial], ranks: &BTreeSet<u32>, family: &str) -> Tail {
    let all: Vec<f64> = trials.iter().filter_map(|trial| trial.latency_p99_us.get(family).copied()).collect();
    Tail {
        family: family.to_owned(),
        all_us: mean_interval(&all, LEVEL),
        longest: longest_tail(trials, ranks, family),
    }
}

/// Rounds in which a rank has too few operations for the percentile are left out.
fn longest_tail(trials: &[&SharedTrial], ranks: &BTreeSet<u32>, family: &str) -> Option<LongestTail> {
    let of_round = |trial: &&SharedTrial| {
        let of_rank = |share: &RankShare| share.latency_p99_us.get(family).copied();
        let each: Option<Vec<f64>> = trial.by_rank.iter().map(of_rank).collect();
        let each = each.filter(|each| each.len() == ranks.len())?;
        Some((sample::median(&each)?, each))
    };
    let rounds: Vec<(f64, Vec<f64>)> = trials.iter().filter_map(of_round).collect();
    rounds.first()?;
    let pairs = |place: usize| -> Vec<(f64, f64)> {
        rounds.iter().map(|(median, each)| (*median, each[place])).collect()
    };
    let times = |place: &usize| pairs(*place).iter().map(|(median, own)| (own / median).ln()).sum::<f64>();
    let longest = (0..ranks.len()).max_by(|one, other| times(one).total_cmp(&times(other)))?;
    let level = level_of_one(ranks.len());
    let rank = *ranks.iter().nth(longest)?;
    Some(LongestTail { rank, times_median: paired_ratio(&pairs(longest), level) })
}

fn skew(trials: impl Iterator<Item = Skew>) -> Skew {
    let all: Vec<Skew> = trials.collect();
    let largest = |of: fn(&Skew) -> f64| all.iter().map(of).fold(0.0, f64::max);
    let means: Vec<f64> = all.iter().map(|skew| skew.mean_s).collect();
    Skew {
        mean_s: sample::mean(&means).unwrap_or(0.0),
        max_s: largest(|skew| skew.max_s),
        uncertainty_s: largest(|skew| skew.uncertainty_s),
    }
}
