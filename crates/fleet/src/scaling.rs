//! What a shared volume gives to more and more ranks: rates of all together and of each, and the knee. Pure.
//!
//! The number of ranks is a factor as any other: a round has every level, in turns, and rates are paired within rounds.
//! Doubled ranks give twice the rate as long as nothing is shared that is used up; the knee is the smallest number that
//! gives nearly all there is. The plan says which levels and rounds there are, and the records how a trial ended of
//! which all ranks together have no rate.
//!
//! Each rate of the study's metrics scales by itself: commits are not added to reads, nor the operations of two phases.
//! A study that is about no rate has no scaling, and only says how far apart its ranks were and how long their
//! latencies.

mod document;
mod parts;
mod ranks;
mod rates;
mod serialized;
#[cfg(test)]
mod tests;

pub use document::sections;
pub use parts::RankPart;
pub use ranks::{LastDone, LongestTail, Ranks, Tail};

use crate::question;
use crate::rule::LEVEL;
use model::Description;
use model::every_trial::RANKS;
use model::metric;
use model::plan::StudyPlan;
use model::rank::Rank;
use model::run::Run;
use model::shared::SharedTrial;
use model::trial::{TrialKey, TrialOutcome};
use rates::Rates;
use serde::Serialize;
use stats::contrast::paired_ratio;
use stats::interval::mean_interval;
use stats::knee::{KNEE_TOLERANCE, knee};
use stats::{Better, Interval, NoInterval, Ratio};
use std::collections::{BTreeMap, BTreeSet};

/// What all ranks of a configuration did together.
#[derive(Clone, Debug, Serialize)]
pub struct ScalingOf {
    pub study: String,
    /// The configuration without its number of ranks; empty if no other factor is varied.
    pub label: String,
    /// The numbers of ranks of the plan, rising.
    pub numbers: Vec<u32>,
    /// Each rate that the study is about and that was measured, without those that are a multiple of another one. If
    /// none was measured, the first; none if the study is about no rate.
    pub rates: Vec<Scaling>,
    /// How the ranks took their turns at the largest number of them that measured.
    pub ranks: Ranks,
}

/// What each number of ranks gives of a rate.
#[derive(Clone, Debug, Serialize)]
pub struct Scaling {
    /// Full name of the metric.
    pub metric: String,
    /// Those of the plan, rising.
    pub levels: Vec<RanksLevel>,
    /// Rounds with a rate of every level that has any.
    pub rounds: usize,
    /// Rounds that were begun and lack one.
    pub incomplete_rounds: usize,
    /// How the first trial that these lack ended; [`TrialOutcome::Ok`] if its ranks never measured at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed: Option<TrialOutcome>,
    /// The smallest number of ranks that is proven to give all there is but 5 %; `None` if the plan has one number.
    #[serde(serialize_with = "serialized::knee", skip_serializing_if = "Option::is_none")]
    pub knee: Option<Result<RanksKnee, NoInterval>>,
    /// How the largest number of ranks that has a rate divides it.
    pub parts: Vec<RankPart>,
}

/// One number of ranks.
#[derive(Clone, Debug, Serialize)]
pub struct RanksLevel {
    pub ranks: u32,
    /// How its first trial ended, if no trial has a rate; [`TrialOutcome::Ok`] if its ranks never measured at the same
    /// time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed: Option<TrialOutcome>,
    /// The rate of all together.
    #[serde(serialize_with = "serialized::interval")]
    pub together_per_s: Result<Interval, NoInterval>,
    /// The rate of one of them, on average.
    #[serde(serialize_with = "serialized::interval")]
    pub each_per_s: Result<Interval, NoInterval>,
    /// The rate of one of them as a multiple of that of one at the first level that has a rate: 1 if nothing is shared
    /// that is used up.
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

/// The scaling of every configuration of a shared run whose first round was begun, from the records of rank 0 and what
/// all ranks did in its trials; nothing for any other run.
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
    let trials: Vec<&SharedTrial> = trials.values().filter(|trial| is_counted(&trial.key)).collect();
    let is_rate = |name: &&str| metric::find(name).is_some_and(|metric| metric.family.unit.is_rate());
    let asked = question::metrics(study).into_iter().filter(is_rate);
    let observed = Observed {
        rates: asked.map(|name| (name, Rates::of(study, &trials, name))).collect(),
        trials,
        outcomes: run
            .of_study(study)
            .filter(|record| is_counted(&record.key))
            .map(|record| (&record.key, &record.outcome))
            .collect(),
    };
    let of_label = |(label, mut arms): (String, Vec<Arm>)| {
        arms.sort_by_key(|arm| arm.ranks);
        let begun = observed.begun(&arms);
        begun.first()?;
        let description = arms.first().and_then(|arm| study.description(arm.configuration));
        Some(ScalingOf {
            study: study.name.clone(),
            label,
            numbers: arms.iter().map(|arm| arm.ranks).collect(),
            rates: observed.scalings(&arms, &begun, description),
            ranks: observed.ranks(&arms, &begun),
        })
    };
    by_label.into_iter().filter_map(of_label).collect()
}

/// What is known about the trials of a study that are analysed.
struct Observed<'a> {
    /// What all ranks did in a trial.
    trials: Vec<&'a SharedTrial>,
    /// The metrics that the study is about.
    rates: Vec<(&'a str, Rates<'a>)>,
    /// How the trials of rank 0 ended, which fail if another rank's do.
    outcomes: Vec<(&'a TrialKey, &'a TrialOutcome)>,
}

impl<'a> Observed<'a> {
    /// The rounds in which a trial of these configurations has ended.
    fn begun(&self, arms: &[Arm]) -> BTreeSet<u32> {
        let recorded = self.outcomes.iter().map(|(key, _)| *key);
        let ended = recorded.chain(self.trials.iter().map(|trial| &trial.key));
        ended.filter(|key| is_of(arms, key)).map(|key| key.round).collect()
    }

    /// The scaling of each rate of a configuration with these numbers of ranks, which rise.
    fn scalings(
        &self,
        arms: &[Arm],
        begun: &BTreeSet<u32>,
        description: Option<&Description>,
    ) -> Vec<Scaling> {
        let is_measured = |rates: &Rates<'_>| rates.keys().any(|key| is_of(arms, key));
        let has_any = self.rates.iter().any(|(_, rates)| is_measured(rates));
        let mut roots: Vec<&str> = Vec::new();
        let mut scalings = Vec::new();
        for (metric, rates) in &self.rates {
            let root = root(description, metric);
            let is_shown = if has_any { is_measured(rates) } else { roots.is_empty() };
            if is_shown && !roots.contains(&root) {
                roots.push(root);
                scalings.push(self.scaling(metric, rates, arms, begun));
            }
        }
        scalings
    }

    fn scaling(&self, metric: &str, rates: &Rates<'_>, arms: &[Arm], begun: &BTreeSet<u32>) -> Scaling {
        let Complete { measured, rounds: whole } =
            Complete::of(arms, begun, |arm, round| rates.get(arm.configuration, round).is_some());
        let of_round = |round: &u32| -> Vec<f64> {
            measured.iter().filter_map(|arm| rates.get(arm.configuration, *round)).collect()
        };
        let rounds: Vec<Vec<f64>> = whole.iter().map(of_round).collect();
        let lacking = if measured.is_empty() { arms } else { &measured };
        let of_largest = measured.last().map(|arm| rates.trials(arm.configuration, &whole));
        let levels = arms.iter().map(|arm| match measured.iter().position(|known| known == arm) {
            Some(column) => level(&measured, &rounds, column),
            None => not_measured(arm.ranks, self.missed(rates, &[*arm], begun)),
        });
        Scaling {
            metric: metric.to_owned(),
            levels: levels.collect(),
            rounds: rounds.len(),
            incomplete_rounds: begun.len() - rounds.len(),
            missed: self.missed(rates, lacking, &begun.difference(&whole).copied().collect()),
            knee: (arms.len() > 1).then(|| ranks_knee(&measured, &rounds)),
            parts: parts::of_ranks(&of_largest.unwrap_or_default(), metric),
        }
    }

    /// How the first trial of these rounds without a rate ended.
    fn missed(&self, rates: &Rates<'_>, arms: &[Arm], rounds: &BTreeSet<u32>) -> Option<TrialOutcome> {
        let lacks = |key: &TrialKey| is_of(arms, key) && rounds.contains(&key.round) && !rates.has(key);
        self.outcomes.iter().find(|(key, _)| lacks(key)).map(|(_, outcome)| (*outcome).clone())
    }

    /// How the ranks took their turns at the largest number of them that measured, in the rounds in which every number
    /// did that ever did.
    fn ranks(&self, arms: &[Arm], begun: &BTreeSet<u32>) -> Ranks {
        let of = |arm: &Arm, round: u32| {
            let is_asked = |trial: &&&'a SharedTrial| {
                trial.key.configuration == arm.configuration && trial.key.round == round
            };
            self.trials.iter().find(is_asked).copied()
        };
        let Complete { measured, rounds } = Complete::of(arms, begun, |arm, round| of(arm, round).is_some());
        let of_largest = |arm: &Arm| -> Vec<&'a SharedTrial> {
            rounds.iter().filter_map(|round| of(arm, *round)).collect()
        };
        ranks::ranks(&measured.last().map(of_largest).unwrap_or_default())
    }
}

/// The numbers of ranks that have a figure, and the rounds in which all of them have one.
struct Complete {
    measured: Vec<Arm>,
    rounds: BTreeSet<u32>,
}

impl Complete {
    fn of(arms: &[Arm], begun: &BTreeSet<u32>, has: impl Fn(&Arm, u32) -> bool) -> Self {
        let is_measured = |arm: &&Arm| begun.iter().any(|round| has(arm, *round));
        let measured: Vec<Arm> = arms.iter().filter(is_measured).copied().collect();
        let is_whole = |round: &u32| !measured.is_empty() && measured.iter().all(|arm| has(arm, *round));
        Self { rounds: begun.iter().copied().filter(is_whole).collect(), measured }
    }
}

fn is_of(arms: &[Arm], key: &TrialKey) -> bool {
    arms.iter().any(|arm| arm.configuration == key.configuration)
}

/// The metric of which this one is a multiple, by definition; itself if there is none.
fn root<'n>(description: Option<&'n Description>, metric: &'n str) -> &'n str {
    let mut multiples = description.into_iter().flat_map(|description| &description.figures.multiples);
    multiples.find(|multiple| multiple.metric == metric).map_or(metric, |multiple| multiple.of.as_str())
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

fn not_measured(ranks: u32, missed: Option<TrialOutcome>) -> RanksLevel {
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
