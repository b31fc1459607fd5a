//! Shared runs of invented volumes.

use super::*;
use model::description::Multiple;
use model::plan::{Blocks, Factor, Resource, Shortage, Turns};
use model::shared::{RankShare, Skew};
use model::trial::TrialRecord;
use model::{Configuration, Value};
use synthetic::Synthetic;

/// Depths by numbers of ranks: a shared run of these, of which nothing is recorded yet.
fn shared_run(levels: &[(&str, u64)], warmup_rounds: u32, rounds: u32) -> Run {
    let factor = |name: &str| Factor { name: name.to_owned(), levels: Vec::new() };
    let values = |(depth, ranks): &(&str, u64)| {
        let values = [("iodepth", Value::Name((*depth).to_owned())), (RANKS, Value::Count(*ranks))];
        Configuration(values.map(|(name, value)| (name.to_owned(), value)).into())
    };
    let described = |(_, ranks): &(&str, u64)| Description { ranks: Some(*ranks), ..Description::default() };
    let study = StudyPlan {
        name: "depth".to_owned(),
        question: String::new(),
        workload: "device".to_owned(),
        profile: "quick".to_owned(),
        factors: vec![factor("iodepth"), factor(RANKS)],
        configurations: levels.iter().map(values).collect(),
        descriptions: levels.iter().map(described).collect(),
        baseline: Configuration::default(),
        duplicate: 0,
        asks: Vec::new(),
        responses: ["iops", "read_iops", "page_cache_hit_share", "read_latency_p99_us"]
            .map(str::to_owned)
            .into(),
        warmup_rounds,
        rounds,
        observed: None,
        turns: Turns::Auto,
        blocks: None,
        alone: Vec::new(),
        looks: Vec::new(),
        fresh_placement: false,
        round_s_stated: None,
        excluded: Vec::new(),
        traced: 0,
    };
    let mut run = Synthetic::commit().rounds(6).run();
    run.plan.rank = Some(Rank { is_shared: true, ..Rank::new(0, Some(16)) });
    run.plan.studies = vec![study];
    run.records.truncate(1);
    run
}

/// What rank 0 recorded of a trial that ended like this.
fn ended(run: &Run, key: &TrialKey, outcome: TrialOutcome) -> TrialRecord {
    TrialRecord { key: key.clone(), outcome, measurement: None, ..run.records[0].clone() }
}

/// The scaling of the only rate of a run whose trials with these records and figures have 1 to 16 ranks; nothing else
/// is varied.
fn scaling_of(trials: &[SharedTrial], failed: &[(TrialKey, TrialOutcome)]) -> Scaling {
    only_rate(shared(trials, failed))
}

/// The same with all rates, and how the ranks took their turns.
fn shared(trials: &[SharedTrial], failed: &[(TrialKey, TrialOutcome)]) -> ScalingOf {
    let ranks: BTreeSet<u64> = trials.iter().map(|trial| u64::from(trial.ranks)).collect();
    let ranks = (0..5).map(|power| 1 << power).filter(|level| ranks.last() >= Some(level));
    let levels: Vec<(&str, u64)> = ranks.map(|ranks| ("1", ranks)).collect();
    let mut run = shared_run(&levels, 0, 8);
    let failed: Vec<TrialRecord> =
        failed.iter().map(|(key, outcome)| ended(&run, key, outcome.clone())).collect();
    run.records = failed;
    only(of_run(&run, &by_key(trials)))
}

fn by_key(trials: &[SharedTrial]) -> BTreeMap<TrialKey, SharedTrial> {
    trials.iter().map(|trial| (trial.key.clone(), trial.clone())).collect()
}

fn only(mut found: Vec<ScalingOf>) -> ScalingOf {
    assert_eq!(found.len(), 1);
    found.remove(0)
}

fn only_rate(mut found: ScalingOf) -> Scaling {
    assert_eq!(found.rates.len(), 1);
    found.rates.remove(0)
}

fn metrics(found: &ScalingOf) -> Vec<&str> {
    found.rates.iter().map(|rate| rate.metric.as_str()).collect()
}

/// A rate of all ranks or of one.
fn iops(per_s: f64) -> BTreeMap<String, f64> {
    BTreeMap::from([("iops".to_owned(), per_s)])
}

/// A trial in which this number of ranks completed this number of operations per second.
fn trial(round: u32, ranks: u32, per_s: f64) -> SharedTrial {
    let key = TrialKey {
        study: "depth".to_owned(),
        round,
        configuration: ranks.trailing_zeros() as usize,
        duplicate: false,
        block: 0,
    };
    let share = |rank| RankShare {
        rank,
        rates: iops(per_s / f64::from(ranks)),
        last_done: 40 * u32::from(rank + 1 == ranks),
        latency_p99_us: BTreeMap::from([("read_latency".to_owned(), 100.0 + f64::from(rank))]),
    };
    SharedTrial {
        format_version: model::FORMAT_VERSION,
        key,
        ranks,
        clocks: Vec::new(),
        slices: 40,
        apart: 0,
        common_s: 1.0,
        rates: iops(per_s),
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

#[test]
fn the_knee_is_where_more_ranks_give_no_more() {
    let scaling = scaling_of(&volume(8), &[]);
    let knee = scaling.knee.unwrap().unwrap();
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
    let knee = scaling_of(&trials, &[]).knee.unwrap().unwrap();
    assert_eq!(knee, RanksKnee { ranks: 4, peak_ranks: 4, is_at_edge: true });
}

#[test]
fn a_round_that_lacks_a_level_is_counted_and_not_used() {
    let mut trials = volume(7);
    trials.retain(|trial| trial.key.round != 3 || trial.ranks != 8);
    trials[0].rates.clear();
    let scaling = scaling_of(&trials, &[]);
    assert_eq!((scaling.rounds, scaling.incomplete_rounds), (5, 2));
    assert!(matches!(scaling.knee, Some(Err(NoInterval::TooFew { n: 5, .. }))), "{:?}", scaling.knee);
}

#[test]
fn configurations_are_told_apart_by_what_is_not_the_number_of_ranks() {
    let run = shared_run(&[("1", 1), ("1", 2), ("32", 1), ("32", 2)], 1, 6);
    let mut trials = BTreeMap::new();
    for round in 0..7 {
        for (configuration, ranks) in [(0, 1), (1, 2), (2, 1), (3, 2)] {
            let mut trial = trial(round, ranks, f64::from(ranks) * 1_000.0);
            trial.key.configuration = configuration;
            trials.insert(trial.key.clone(), trial.clone());
            // Noise, and a round to warm up.
            trial.key.duplicate = true;
            trial.rates = iops(9_000.0 * f64::from(ranks));
            trials.insert(trial.key.clone(), trial);
        }
    }
    let found = of_run(&run, &trials);
    assert_eq!(found.iter().map(|one| one.label.as_str()).collect::<Vec<_>>(), ["iodepth=1", "iodepth=32"]);
    for found in found {
        let scaling = only_rate(found);
        assert_eq!((scaling.rounds, scaling.levels.len()), (6, 2));
        let efficiency = scaling.levels[1].efficiency.as_ref().unwrap();
        assert!((efficiency.interval.estimate - 1.0).abs() < 1e-9);
    }
}

/// One of four ranks gets a tenth of the operations, with a tail ten times as long.
#[test]
fn a_rank_that_is_slow_beside_the_others_stands_out() {
    let mut trials: Vec<SharedTrial> = volume(8).into_iter().filter(|trial| trial.ranks <= 4).collect();
    for trial in trials.iter_mut().filter(|trial| trial.ranks == 4) {
        for (share, part) in trial.by_rank.iter_mut().zip([0.3, 0.3, 0.1, 0.3]) {
            share.rates = iops(trial.rates["iops"] * part);
        }
        let slow = trial.by_rank[2].latency_p99_us.values_mut().next().unwrap();
        *slow = 1_000.0 + f64::from(trial.key.round);
    }
    let found = shared(&trials, &[]);
    let ranks = found.ranks.clone();
    let parts = only_rate(found).parts;
    let shares: Vec<f64> = parts.iter().map(|part| part.share.as_ref().unwrap().estimate).collect();
    for (share, expected) in shares.iter().zip([0.3, 0.3, 0.1, 0.3]) {
        assert!((share - expected).abs() < 1e-9, "{shares:?}");
    }
    let below: Vec<u32> = parts.iter().filter(|part| part.is_below_equal).map(|part| part.rank).collect();
    assert_eq!(below, [2]);
    assert!((ranks.last_done[3].part - 1.0).abs() < 1e-9, "it was the last in all turns");
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
    let ranks = shared(&trials, &[]).ranks;
    let [tail] = &ranks.tails[..] else { panic!("{:?}", ranks.tails) };
    assert!(tail.longest.is_none(), "{tail:?}");
    assert!(tail.all_us.is_ok(), "the histograms of all ranks have enough operations");
}

/// It has a rate, shares, p99 and skew as each of several numbers has them.
#[test]
fn one_number_of_ranks_has_no_knee_and_everything_else() {
    let trials: Vec<SharedTrial> = volume(6).into_iter().filter(|trial| trial.ranks == 4).collect();
    let mut run = shared_run(&[("1", 4)], 0, 6);
    let trials: BTreeMap<TrialKey, SharedTrial> = by_key(&trials)
        .into_iter()
        .map(|(key, trial)| (TrialKey { configuration: 0, ..key }, trial))
        .collect();
    let trials = trials.into_iter().map(|(key, trial)| (key.clone(), SharedTrial { key, ..trial })).collect();
    run.records.clear();
    let found = only(of_run(&run, &trials));
    assert_eq!((&found.numbers[..], found.ranks.last_done.len()), (&[4][..], 4));
    let scaling = only_rate(found);
    assert!(scaling.knee.is_none());
    assert_eq!((scaling.levels[0].ranks, scaling.rounds, scaling.parts.len()), (4, 6, 4));
    assert!(scaling.levels[0].together_per_s.is_ok());
    // Without `--vary ranks=`, all measure.
    run.plan.studies[0].descriptions[0].ranks = None;
    assert_eq!(only(of_run(&run, &trials)).numbers, [16]);
}

#[test]
fn only_rank_0_of_a_shared_run_shows_what_all_did() {
    let trials = by_key(&volume(6));
    let of_rank = |rank| {
        let mut run = shared_run(&[("1", 1), ("1", 2)], 0, 6);
        run.plan.rank = rank;
        of_run(&run, &trials).len()
    };
    let shared = |rank| Some(Rank { is_shared: true, ..Rank::new(rank, Some(16)) });
    assert_eq!([shared(0), shared(1), Some(Rank::new(0, Some(16))), None].map(of_rank), [1, 0, 0, 0]);
}

/// One rank's disk is full whenever 8 measure: nothing of them is in `shared.jsonl`.
#[test]
fn a_number_of_ranks_whose_trials_all_fail_keeps_its_row_with_the_reason() {
    let is_full = |trial: &&SharedTrial| trial.ranks == 8;
    let full = TrialOutcome::Failed("on rank 5: no space left".to_owned());
    let failed: Vec<(TrialKey, TrialOutcome)> =
        volume(8).iter().filter(is_full).map(|trial| (trial.key.clone(), full.clone())).collect();
    let measured: Vec<SharedTrial> = volume(8).into_iter().filter(|trial| !is_full(&trial)).collect();
    let scaling = scaling_of(&measured, &failed);
    let missed: Vec<_> = scaling.levels.iter().map(|level| (level.ranks, level.missed.clone())).collect();
    assert_eq!(missed, [(1, None), (2, None), (4, None), (8, Some(full)), (16, None)]);
    assert!(scaling.levels[3].together_per_s.is_err());
    assert_eq!((scaling.rounds, scaling.incomplete_rounds, scaling.missed), (8, 0, None));
    assert_eq!(scaling.knee.unwrap().unwrap().ranks, 4);
}

/// Its trials have no line in `shared.jsonl`, and rank 0 has recorded why.
#[test]
fn the_round_of_a_lost_rank_is_counted_with_the_reason() {
    let lost = TrialOutcome::Failed("rank 2 did not come within 60 s".to_owned());
    let of_last = |trial: &&SharedTrial| trial.key.round == 7;
    let failed: Vec<(TrialKey, TrialOutcome)> =
        volume(8).iter().filter(of_last).map(|trial| (trial.key.clone(), lost.clone())).collect();
    let scaling = scaling_of(&volume(7), &failed);
    assert_eq!((scaling.rounds, scaling.incomplete_rounds), (7, 1));
    assert_eq!(scaling.missed, Some(lost.clone()));
    let scaling = scaling_of(&volume(7), &failed[4..]);
    assert_eq!((scaling.rounds, scaling.incomplete_rounds, scaling.missed), (7, 1, Some(lost)));
}

/// Two blocks of a round, in the second of which the volume is half as fast.
#[test]
fn levels_of_different_blocks_are_compared_through_the_baseline() {
    let mut run = shared_run(&[("1", 1), ("1", 2), ("1", 4)], 0, 8);
    let shortage = Shortage { short: Resource::Room, needed: 2, available: 1 };
    run.plan.studies[0].blocks = Some(Blocks { count: 2, shortage });
    let of_block = |round: u32, block: u32| {
        [1, 2_u32.pow(block + 1)].map(|ranks| {
            let day = 1.0 + f64::from(round % 3) / 100.0;
            let mut trial = trial(round, ranks, 1_000.0 * f64::from(ranks) * day / f64::from(block + 1));
            trial.key.block = block;
            trial
        })
    };
    let trials: Vec<SharedTrial> =
        (0..8).flat_map(|round| [0, 1].map(|block| of_block(round, block))).flatten().collect();
    let scaling = only_rate(only(of_run(&run, &by_key(&trials))));
    assert_eq!((scaling.rounds, scaling.incomplete_rounds), (8, 0));
    for level in &scaling.levels {
        let efficiency = level.efficiency.as_ref().unwrap().interval.estimate;
        assert!((efficiency - 1.0).abs() < 1e-9, "{} ranks: {efficiency}", level.ranks);
    }
}

#[test]
fn no_rank_of_equal_ones_is_below_an_equal_share() {
    let scattered = |mut trial: SharedTrial| {
        let round = trial.key.round;
        for share in &mut trial.by_rank {
            share.rates =
                iops(share.rates["iops"] * (1.0 + f64::from((round * 5 + share.rank * 3) % 7) / 100.0));
        }
        trial.rates = iops(trial.by_rank.iter().map(|share| share.rates["iops"]).sum());
        trial
    };
    let trials: Vec<SharedTrial> = volume(8).into_iter().map(scattered).collect();
    let parts = scaling_of(&trials, &[]).parts;
    assert!(parts.iter().all(|part| !part.is_below_equal), "{parts:?}");
}

/// Reads stop where writes do not.
#[test]
fn each_rate_has_a_knee_of_its_own() {
    let mut trials = volume(8);
    for trial in &mut trials {
        let reads = trial.rates["iops"] * f64::from(trial.ranks.min(2)) / f64::from(trial.ranks.min(4));
        trial.rates.insert("read_iops".to_owned(), reads);
        for share in &mut trial.by_rank {
            let part = f64::from(share.rank + 1) / f64::from(trial.ranks * (trial.ranks + 1) / 2);
            share.rates.insert("read_iops".to_owned(), reads * part);
        }
    }
    let found = shared(&trials, &[]);
    assert_eq!(metrics(&found), ["iops", "read_iops"], "a share and a latency do not add up");
    let knees: Vec<u32> = found.rates.iter().map(|rate| rate.knee.unwrap().unwrap().ranks).collect();
    assert_eq!(knees, [4, 2]);
    let last = |rate: &Scaling| rate.parts[15].share.as_ref().unwrap().estimate;
    assert!((last(&found.rates[0]) - 1.0 / 16.0).abs() < 1e-9);
    assert!((last(&found.rates[1]) - 2.0 / 17.0).abs() < 1e-9);
}

/// Nothing but reads: they are the operations.
#[test]
fn a_rate_that_is_a_multiple_of_another_is_shown_once() {
    let mut trials = volume(6);
    for trial in &mut trials {
        trial.rates.insert("read_iops".to_owned(), trial.rates["iops"]);
    }
    let mut run = shared_run(&[("1", 1), ("1", 2), ("1", 4), ("1", 8), ("1", 16)], 0, 6);
    run.records.clear();
    assert_eq!(metrics(&only(of_run(&run, &by_key(&trials)))), ["iops", "read_iops"]);
    for description in &mut run.plan.studies[0].descriptions {
        description.figures.multiples = vec![Multiple::new("read_iops", 1.0, "iops")];
    }
    assert_eq!(metrics(&only(of_run(&run, &by_key(&trials)))), ["iops"]);
}

/// A sum of all completions was called its rate.
#[test]
fn a_study_about_no_rate_has_no_scaling() {
    let mut run = shared_run(&[("1", 1), ("1", 2), ("1", 4), ("1", 8), ("1", 16)], 0, 6);
    run.records.clear();
    run.plan.studies[0].responses = vec!["read_latency_p99_us".to_owned()];
    let found = only(of_run(&run, &by_key(&volume(6))));
    assert_eq!((found.rates.len(), found.numbers), (0, vec![1, 2, 4, 8, 16]));
    assert_eq!((found.ranks.last_done.len(), found.ranks.tails.len()), (16, 1));
}
