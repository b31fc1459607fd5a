//! What a shared volume gives to more and more ranks: rates of all together and of each, and the knee. Pure.
//!
//! The number of ranks is a factor as any other: a round has every level, in turns, and rates are paired within rounds. Doubled ranks
//! give twice the rate as long as nothing is shared that is used up; the knee is the smallest number that gives nearly all there is.

mod ranks;

pub use ranks::{LongestTail, RankPart, Ranks, Tail};

use crate::rule::LEVEL;
use model::every_trial::RANKS;
use model::plan::{Plan, StudyPlan};
use model::shared::SharedTrial;
use model::trial::TrialKey;
use serde::Serialize;
use stats::interval::mean_interval;
use stats::knee::{KNEE_TOLERANCE, knee};
use stats::{Better, Interval, NoInterval, Ratio};
use std::collections::{BTreeMap, BTreeSet};

/// The scaling of a configuration of a run.
#[derive(Clone, Debug)]
pub struct ScalingOf {
    /// The study.
    pub study: String,
    /// The configuration without its number of ranks; empty if no other factor is varied.
    pub label: String,
    /// What it shows.
    pub scaling: Scaling,
}

/// What each number of ranks gives.
#[derive(Clone, Debug)]
pub struct Scaling {
    /// Rising.
    pub levels: Vec<RanksLevel>,
    /// Rounds in which every level was measured.
    pub rounds: usize,
    /// Rounds that lack a level, because a rank was lost or none measured at the same time as all others.
    pub incomplete_rounds: usize,
    /// The smallest number of ranks that is proven to give all there is but 5 %.
    pub knee: Result<RanksKnee, NoInterval>,
    /// How the largest number of ranks divides the volume.
    pub ranks: Ranks,
}

/// One number of ranks.
#[derive(Clone, Debug)]
pub struct RanksLevel {
    /// How many measured.
    pub ranks: u32,
    /// Operations per second of all together.
    pub together_per_s: Result<Interval, NoInterval>,
    /// Operations per second of one of them, on average.
    pub each_per_s: Result<Interval, NoInterval>,
    /// The rate of one of them as a multiple of that of one at the first level: 1 if nothing is shared that is used up.
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

/// The scaling of every configuration of a shared run; nothing if its number of ranks was not varied.
pub fn of_run(plan: &Plan, trials: &BTreeMap<TrialKey, SharedTrial>) -> Vec<ScalingOf> {
    let of_study = |study: &StudyPlan| {
        let name = study.name.clone();
        let found = of_study(study, trials).into_iter();
        found.map(move |(label, scaling)| ScalingOf { study: name.clone(), label, scaling })
    };
    plan.studies.iter().flat_map(of_study).collect()
}

/// The scaling of one configuration, from its trials with all numbers of ranks; `None` if there are fewer than two numbers.
fn scaling(trials: &[&SharedTrial]) -> Option<Scaling> {
    let mut by_round: BTreeMap<u32, BTreeMap<u32, &SharedTrial>> = BTreeMap::new();
    for trial in trials {
        by_round.entry(trial.key.round).or_default().insert(trial.ranks, trial);
    }
    let ranks: BTreeSet<u32> = trials.iter().map(|trial| trial.ranks).collect();
    let ranks: Vec<u32> = ranks.into_iter().collect();
    let largest = ranks.last().filter(|_| ranks.len() > 1)?;
    let rate = |trial: &&SharedTrial| trial.operations_per_s().filter(|rate| *rate > 0.0);
    let of_round = |levels: &BTreeMap<u32, &SharedTrial>| -> Option<Vec<f64>> {
        ranks.iter().map(|ranks| rate(levels.get(ranks)?)).collect()
    };
    let whole = || by_round.values().filter(|levels| of_round(levels).is_some());
    let of_largest: Vec<&SharedTrial> = whole().filter_map(|levels| levels.get(largest).copied()).collect();
    let rounds: Vec<Vec<f64>> = whole().filter_map(of_round).collect();
    let levels = (0..ranks.len()).map(|column| level(&ranks, &rounds, column)).collect();
    let numbers: Vec<f64> = ranks.iter().copied().map(f64::from).collect();
    let knee = knee(&numbers, &rounds, Better::Higher, KNEE_TOLERANCE, LEVEL).map(|knee| RanksKnee {
        ranks: ranks[knee.column],
        peak_ranks: ranks[knee.peak_column],
        is_at_edge: knee.peak_at_edge,
    });
    Some(Scaling {
        levels,
        incomplete_rounds: by_round.len() - rounds.len(),
        rounds: rounds.len(),
        knee,
        ranks: ranks::ranks(&of_largest),
    })
}

/// The scaling of each configuration of a study, by its other levels: how it is called without its number of ranks.
fn of_study(study: &StudyPlan, trials: &BTreeMap<TrialKey, SharedTrial>) -> BTreeMap<String, Scaling> {
    let others = || study.factors.iter().map(|factor| factor.name.as_str()).filter(|name| *name != RANKS);
    let mut by_label: BTreeMap<String, Vec<&SharedTrial>> = BTreeMap::new();
    // The A/A arm measures noise, and would count one level twice; warm-ups are not analysed.
    let is_counted =
        |key: &TrialKey| key.study == study.name && !key.duplicate && key.round >= study.warmup_rounds;
    for trial in trials.values().filter(|trial| is_counted(&trial.key)) {
        let Some(configuration) = study.configurations.get(trial.key.configuration) else { continue };
        by_label.entry(configuration.label(others())).or_default().push(trial);
    }
    by_label.into_iter().filter_map(|(label, trials)| Some((label, scaling(&trials)?))).collect()
}

fn level(ranks: &[u32], rounds: &[Vec<f64>], column: usize) -> RanksLevel {
    let each = |round: &Vec<f64>, column: usize| round[column] / f64::from(ranks[column]);
    let together: Vec<f64> = rounds.iter().map(|round| round[column]).collect();
    let of_each: Vec<f64> = rounds.iter().map(|round| each(round, column)).collect();
    let pairs: Vec<(f64, f64)> = rounds.iter().map(|round| (each(round, 0), each(round, column))).collect();
    RanksLevel {
        ranks: ranks[column],
        together_per_s: mean_interval(&together, LEVEL),
        each_per_s: mean_interval(&of_each, LEVEL),
        efficiency: stats::contrast::paired_ratio(&pairs, LEVEL),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::plan::{Factor, Turns};
    use model::shared::{RankShare, Skew};
    use model::{Configuration, Value};

    /// A trial in which this number of ranks completed this number of operations in a second.
    fn trial(round: u32, ranks: u32, operations: f64) -> SharedTrial {
        let key = TrialKey {
            study: "depth".to_owned(),
            round,
            configuration: ranks as usize,
            duplicate: false,
            block: 0,
        };
        let share = |rank| RankShare {
            rank,
            operations: operations / f64::from(ranks),
            last_done: 40 * u32::from(rank + 1 == ranks),
            latency_p99_us: BTreeMap::from([("read_latency".to_owned(), 100.0 + f64::from(rank))]),
        };
        SharedTrial {
            format_version: model::FORMAT_VERSION,
            key,
            ranks,
            clocks: Vec::new(),
            slices: 40,
            common_s: 1.0,
            operations,
            start_skew: Skew::default(),
            end_skew: Skew::default(),
            latency_p99_us: BTreeMap::from([("read_latency".to_owned(), 105.0)]),
            by_rank: (0..ranks).map(share).collect(),
        }
    }

    /// A volume that gives 1,000 operations per second to a rank and 4,000 to all, on better and worse days.
    fn volume(rounds: u32) -> Vec<SharedTrial> {
        let of_round = |round: u32| {
            let day = 1.0 + f64::from(round % 5) / 10.0;
            let scatter = |ranks: u32| 1.0 + f64::from((round * 7 + ranks * 3) % 11) / 1_000.0;
            [1, 2, 4, 8, 16]
                .map(|ranks| trial(round, ranks, f64::from(ranks.min(4)) * 1_000.0 * day * scatter(ranks)))
        };
        (0..rounds).flat_map(of_round).collect()
    }

    fn scaling_of(trials: &[SharedTrial]) -> Option<Scaling> {
        scaling(&trials.iter().collect::<Vec<_>>())
    }

    #[test]
    fn the_knee_is_where_more_ranks_give_no_more() {
        let scaling = scaling_of(&volume(8)).unwrap();
        let knee = scaling.knee.unwrap();
        assert_eq!(knee.ranks, 4, "{knee:?}");
        let ranks: Vec<u32> = scaling.levels.iter().map(|level| level.ranks).collect();
        assert_eq!((ranks, scaling.rounds, scaling.incomplete_rounds), (vec![1, 2, 4, 8, 16], 8, 0));
        for (level, efficiency) in scaling.levels.iter().zip([1.0, 1.0, 1.0, 0.5, 0.25]) {
            let found = level.efficiency.as_ref().unwrap().interval.estimate;
            assert!((found / efficiency - 1.0).abs() < 0.02, "{} ranks: {found}", level.ranks);
        }
        let together = scaling.levels[4].together_per_s.as_ref().unwrap();
        let each = scaling.levels[4].each_per_s.as_ref().unwrap();
        assert!((together.estimate / each.estimate - 16.0).abs() < 1e-6);
    }

    #[test]
    fn a_volume_that_is_not_used_up_has_its_peak_at_the_edge() {
        let trials: Vec<SharedTrial> = volume(6).into_iter().filter(|trial| trial.ranks <= 4).collect();
        let knee = scaling_of(&trials).unwrap().knee.unwrap();
        assert_eq!(knee, RanksKnee { ranks: 4, peak_ranks: 4, is_at_edge: true });
    }

    #[test]
    fn a_round_that_lacks_a_level_is_counted_and_not_used() {
        let mut trials = volume(7);
        trials.retain(|trial| trial.key.round != 3 || trial.ranks != 8);
        trials[0].common_s = 0.0;
        let scaling = scaling_of(&trials).unwrap();
        assert_eq!((scaling.rounds, scaling.incomplete_rounds), (5, 2));
        assert!(matches!(scaling.knee, Err(NoInterval::TooFew { n: 5, .. })), "{:?}", scaling.knee);
    }

    #[test]
    fn configurations_are_told_apart_by_what_is_not_the_number_of_ranks() {
        let mut study = synthetic_study();
        let values = |depth: &str, ranks: u64| {
            let values = [("iodepth", Value::Name(depth.to_owned())), (RANKS, Value::Count(ranks))];
            Configuration(values.map(|(name, value)| (name.to_owned(), value)).into())
        };
        study.configurations = vec![values("1", 1), values("1", 2), values("32", 1), values("32", 2)];
        let mut trials = BTreeMap::new();
        for round in 0..7 {
            for (configuration, ranks) in [(0, 1), (1, 2), (2, 1), (3, 2)] {
                let mut trial = trial(round, ranks, f64::from(ranks) * 1_000.0);
                trial.key.configuration = configuration;
                trials.insert(trial.key.clone(), trial.clone());
                // Noise, and a round to warm up.
                trial.key.duplicate = true;
                trial.operations *= 9.0;
                trials.insert(trial.key.clone(), trial);
            }
        }
        let found = of_study(&study, &trials);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["iodepth=1", "iodepth=32"]);
        for scaling in found.values() {
            assert_eq!((scaling.rounds, scaling.levels.len()), (6, 2));
            let efficiency = scaling.levels[1].efficiency.as_ref().unwrap();
            assert!((efficiency.interval.estimate - 1.0).abs() < 1e-9);
        }
    }

    /// Depths by numbers of ranks, with one round to warm up.
    fn synthetic_study() -> StudyPlan {
        let factor = |name: &str| Factor { name: name.to_owned(), levels: Vec::new() };
        StudyPlan {
            name: "depth".to_owned(),
            question: String::new(),
            workload: "device".to_owned(),
            profile: "quick".to_owned(),
            factors: vec![factor("iodepth"), factor(RANKS)],
            configurations: Vec::new(),
            descriptions: Vec::new(),
            baseline: Configuration::default(),
            duplicate: 0,
            asks: Vec::new(),
            responses: Vec::new(),
            warmup_rounds: 1,
            rounds: 6,
            turns: Turns::Auto,
            blocks: None,
            alone: Vec::new(),
            looks: Vec::new(),
            fresh_placement: false,
            excluded: Vec::new(),
        }
    }

    /// One of four ranks gets a tenth of the operations, with a tail ten times as long.
    #[test]
    fn a_rank_that_is_slow_beside_the_others_stands_out() {
        let mut trials: Vec<SharedTrial> = volume(8).into_iter().filter(|trial| trial.ranks <= 4).collect();
        for trial in trials.iter_mut().filter(|trial| trial.ranks == 4) {
            for (share, part) in trial.by_rank.iter_mut().zip([0.3, 0.3, 0.1, 0.3]) {
                share.operations = trial.operations * part;
            }
            let slow = trial.by_rank[2].latency_p99_us.values_mut().next().unwrap();
            *slow = 1_000.0 + f64::from(trial.key.round);
        }
        let ranks = scaling_of(&trials).unwrap().ranks;
        let shares: Vec<f64> = ranks.parts.iter().map(|part| part.share.as_ref().unwrap().estimate).collect();
        for (share, expected) in shares.iter().zip([0.3, 0.3, 0.1, 0.3]) {
            assert!((share - expected).abs() < 1e-9, "{shares:?}");
        }
        assert!((ranks.parts[3].last_done - 1.0).abs() < 1e-9, "it was the last in all turns");
        let [tail] = &ranks.tails[..] else { panic!("{:?}", ranks.tails) };
        let longest = tail.longest.as_ref().unwrap();
        assert_eq!((longest.rank, tail.family.as_str()), (2, "read_latency"));
        let times = longest.times_median.as_ref().unwrap().interval;
        // The median of 100, 101, 103 and 1,000 us is 102 us.
        assert!((times.estimate / 9.84 - 1.0).abs() < 0.01 && times.low > 9.0, "{times:?}");
        assert!(times.level > 0.98, "one of four was chosen");
    }

    #[test]
    fn a_percentile_that_one_rank_lacks_is_not_compared() {
        let mut trials = volume(6);
        for trial in &mut trials {
            trial.by_rank[0].latency_p99_us.clear();
        }
        let ranks = scaling_of(&trials).unwrap().ranks;
        let [tail] = &ranks.tails[..] else { panic!("{:?}", ranks.tails) };
        assert!(tail.longest.is_none(), "{tail:?}");
        assert!(tail.all_us.is_ok(), "the histograms of all ranks have enough operations");
    }

    #[test]
    fn one_number_of_ranks_is_no_scaling() {
        let trials: Vec<SharedTrial> = volume(6).into_iter().filter(|trial| trial.ranks == 4).collect();
        assert!(scaling_of(&trials).is_none());
    }
}
