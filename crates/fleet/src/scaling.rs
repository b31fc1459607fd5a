//! What a shared volume gives to more and more ranks: rates of all together and of each, and the knee. Pure.
//!
//! The number of ranks is a factor as any other: a round has every level, in turns, and rates are paired within rounds. Doubled ranks
//! give twice the rate as long as nothing is shared that is used up; the knee is the smallest number that gives nearly all there is.
//! The plan says which levels and rounds there are, and the records how a trial ended of which all ranks together have no rate.

mod ranks;
mod rates;
mod serialized;
#[cfg(test)]
mod tests;

pub use ranks::{LongestTail, RankPart, Ranks, Tail};

use crate::rule::LEVEL;
use model::every_trial::RANKS;
use model::plan::StudyPlan;
use model::rank::Rank;
use model::run::Run;
use model::shared::SharedTrial;
use model::trial::{Outcome, TrialKey};
use rates::Rates;
use serde::Serialize;
use stats::contrast::paired_ratio;
use stats::interval::mean_interval;
use stats::knee::{KNEE_TOLERANCE, knee};
use stats::{Better, Interval, NoInterval, Ratio};
use std::collections::{BTreeMap, BTreeSet};

/// The scaling of a configuration of a run.
#[derive(Clone, Debug, Serialize)]
pub struct ScalingOf {
    /// The study.
    pub study: String,
    /// The configuration without its number of ranks; empty if no other factor is varied.
    pub label: String,
    /// What it shows.
    #[serde(flatten)]
    pub scaling: Scaling,
}

/// What each number of ranks gives.
#[derive(Clone, Debug, Serialize)]
pub struct Scaling {
    /// Those of the plan, rising.
    pub levels: Vec<RanksLevel>,
    /// Rounds with a rate of every level that has any.
    pub rounds: usize,
    /// Rounds that were begun and lack one.
    pub incomplete_rounds: usize,
    /// How the first trial that these lack ended; [`Outcome::Ok`] if its ranks never measured at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed: Option<Outcome>,
    /// The smallest number of ranks that is proven to give all there is but 5 %; `None` if the plan has one number.
    #[serde(serialize_with = "serialized::knee", skip_serializing_if = "Option::is_none")]
    pub knee: Option<Result<RanksKnee, NoInterval>>,
    /// How the largest number of ranks that measured divides the volume.
    pub ranks: Ranks,
}

/// One number of ranks.
#[derive(Clone, Debug, Serialize)]
pub struct RanksLevel {
    /// How many measure.
    pub ranks: u32,
    /// How its first trial ended, if no trial has a rate; [`Outcome::Ok`] if its ranks never measured at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed: Option<Outcome>,
    /// Operations per second of all together.
    #[serde(serialize_with = "serialized::interval")]
    pub together_per_s: Result<Interval, NoInterval>,
    /// Operations per second of one of them, on average.
    #[serde(serialize_with = "serialized::interval")]
    pub each_per_s: Result<Interval, NoInterval>,
    /// The rate of one of them as a multiple of that of one at the first level that has a rate: 1 if nothing is shared that is used up.
    #[serde(serialize_with = "serialized::ratio")]
    pub efficiency: Result<Ratio, NoInterval>,
}

/// The knee of the rate of all ranks together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RanksKnee {
    /// Ranks that give all there is but 5 %.
    pub ranks: u32,
    /// Ranks that gave most.
    pub peak_ranks: u32,
    /// Whether that is the largest number that was measured: more may give more.
    pub is_at_edge: bool,
}

/// A configuration of a study, with its number of ranks.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Arm {
    ranks: u32,
    configuration: usize,
}

/// The scaling of every configuration of a shared run whose first round was begun, from the records of rank 0 and what all ranks did in its
/// trials; nothing for any other run.
pub fn of_run(run: &Run, trials: &BTreeMap<TrialKey, SharedTrial>) -> Vec<ScalingOf> {
    let Some(Rank { rank: 0, size: Some(size), is_shared: true }) = run.plan.rank else { return Vec::new() };
    run.plan.studies.iter().flat_map(|study| of_study(run, study, size, trials)).collect()
}

/// The scaling of each configuration of a study, by its other levels: how it is called without its number of ranks.
fn of_study(
    run: &Run,
    study: &StudyPlan,
    size: u32,
    trials: &BTreeMap<TrialKey, SharedTrial>,
) -> Vec<ScalingOf> {
    let others = || study.factors.iter().map(|factor| factor.name.as_str()).filter(|name| *name != RANKS);
    let mut by_label: BTreeMap<String, Vec<Arm>> = BTreeMap::new();
    for (index, configuration) in study.configurations.iter().enumerate() {
        let asked = study.description(index).and_then(|description| description.ranks);
        let ranks = asked.and_then(|ranks| u32::try_from(ranks).ok()).unwrap_or(size);
        by_label.entry(configuration.label(others())).or_default().push(Arm { ranks, configuration: index });
    }
    // The A/A arm measures noise, and would count one level twice; warm-ups are not analysed.
    let is_counted = |key: &TrialKey| study.has(key) && !key.duplicate && key.round >= study.warmup_rounds;
    let observed = Observed {
        rates: Rates::of(study, trials.values().filter(|trial| is_counted(&trial.key))),
        outcomes: run
            .of_study(study)
            .filter(|record| is_counted(&record.key))
            .map(|record| (&record.key, &record.outcome))
            .collect(),
    };
    let of_label = |(label, mut arms): (String, Vec<Arm>)| {
        arms.sort_by_key(|arm| arm.ranks);
        Some(ScalingOf { study: study.name.clone(), label, scaling: observed.scaling(&arms)? })
    };
    by_label.into_iter().filter_map(of_label).collect()
}

/// What is known about the trials of a study that are analysed.
struct Observed<'a> {
    rates: Rates<'a>,
    /// How the trials of rank 0 ended, which fail if another rank's do.
    outcomes: Vec<(&'a TrialKey, &'a Outcome)>,
}

impl Observed<'_> {
    /// The scaling of one configuration with these numbers of ranks, which rise; `None` if no trial of it has ended.
    fn scaling(&self, arms: &[Arm]) -> Option<Scaling> {
        let is_of_arm = |key: &TrialKey| arms.iter().any(|arm| arm.configuration == key.configuration);
        let ended = self.outcomes.iter().map(|(key, _)| *key).chain(self.rates.keys());
        let begun: BTreeSet<u32> = ended.filter(|key| is_of_arm(key)).map(|key| key.round).collect();
        begun.first()?;
        let is_measured =
            |arm: &Arm| begun.iter().any(|round| self.rates.get(arm.configuration, *round).is_some());
        let measured: Vec<Arm> = arms.iter().copied().filter(is_measured).collect();
        let of_round = |round: u32| -> Option<(u32, Vec<f64>)> {
            let rates: Option<Vec<f64>> =
                measured.iter().map(|arm| self.rates.get(arm.configuration, round)).collect();
            Some((round, rates.filter(|rates| !rates.is_empty())?))
        };
        let (whole, rounds): (BTreeSet<u32>, Vec<Vec<f64>>) =
            begun.iter().copied().filter_map(of_round).unzip();
        let lacking = if measured.is_empty() { arms } else { &measured };
        let of_largest =
            measured.last().map(|arm| self.rates.trials(arm.configuration, &whole)).unwrap_or_default();
        let levels = arms.iter().map(|arm| match measured.iter().position(|known| known == arm) {
            Some(column) => level(&measured, &rounds, column),
            None => not_measured(arm.ranks, self.missed(&[*arm], &begun)),
        });
        Some(Scaling {
            levels: levels.collect(),
            rounds: rounds.len(),
            incomplete_rounds: begun.len() - rounds.len(),
            missed: self.missed(lacking, &begun.difference(&whole).copied().collect()),
            knee: (arms.len() > 1).then(|| ranks_knee(&measured, &rounds)),
            ranks: ranks::ranks(&of_largest),
        })
    }

    /// How the first trial of these rounds without a rate ended.
    fn missed(&self, arms: &[Arm], rounds: &BTreeSet<u32>) -> Option<Outcome> {
        let lacks = |key: &TrialKey| {
            let is_of_arm = arms.iter().any(|arm| arm.configuration == key.configuration);
            is_of_arm && rounds.contains(&key.round) && !self.rates.has(key)
        };
        self.outcomes.iter().find(|(key, _)| lacks(key)).map(|(_, outcome)| (*outcome).clone())
    }
}

fn level(arms: &[Arm], rounds: &[Vec<f64>], column: usize) -> RanksLevel {
    let each = |round: &Vec<f64>, column: usize| round[column] / f64::from(arms[column].ranks);
    let together: Vec<f64> = rounds.iter().map(|round| round[column]).collect();
    let of_each: Vec<f64> = rounds.iter().map(|round| each(round, column)).collect();
    let pairs: Vec<(f64, f64)> = rounds.iter().map(|round| (each(round, 0), each(round, column))).collect();
    RanksLevel {
        ranks: arms[column].ranks,
        missed: None,
        together_per_s: mean_interval(&together, LEVEL),
        each_per_s: mean_interval(&of_each, LEVEL),
        efficiency: paired_ratio(&pairs, LEVEL),
    }
}

fn not_measured(ranks: u32, missed: Option<Outcome>) -> RanksLevel {
    RanksLevel {
        ranks,
        missed,
        together_per_s: mean_interval(&[], LEVEL),
        each_per_s: mean_interval(&[], LEVEL),
        efficiency: paired_ratio(&[], LEVEL),
    }
}

fn ranks_knee(arms: &[Arm], rounds: &[Vec<f64>]) -> Result<RanksKnee, NoInterval> {
    let numbers: Vec<f64> = arms.iter().map(|arm| f64::from(arm.ranks)).collect();
    let found = knee(&numbers, rounds, Better::Higher, KNEE_TOLERANCE, LEVEL)?;
    Ok(RanksKnee {
        ranks: arms[found.column].ranks,
        peak_ranks: arms[found.peak_column].ranks,
        is_at_edge: found.peak_at_edge,
    })
}
