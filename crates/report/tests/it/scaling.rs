//! Ranks on shared storage: the terminal and the page.

use crate::fixture;
use fleet::scaling::{ScalingOf, of_run};
use model::plan::Plan;
use model::shared::{ClockOffset, RankShare, SharedTrial, Skew};
use model::trial::TrialKey;
use scraper::{Html, Selector};
use std::collections::BTreeMap;

/// A volume that gives 1,000 operations per second to a rank and 2,400 to all. At four ranks the last one is slow.
fn trial(plan: &Plan, round: u32, ranks: u32) -> SharedTrial {
    let day = 1.0 + f64::from(round * 7 % 5) / 100.0;
    let operations =
        1_000.0 * f64::from(ranks).min(2.4) * day * (1.0 + f64::from((round + ranks) % 3) / 500.0);
    let part = |rank: u32| match (ranks, rank) {
        (4, 3) => 0.1,
        (4, _) => 0.3,
        (ranks, _) => 1.0 / f64::from(ranks),
    };
    let p99_us = |rank: u32| if rank == 3 { 4_000.0 * day } else { 1_000.0 * day + f64::from(rank) };
    let share = |rank| RankShare {
        rank,
        operations: operations * part(rank),
        last_done: if rank == 3 { 40 } else { 0 },
        latency_p99_us: BTreeMap::from([("read_latency".to_owned(), p99_us(rank))]),
    };
    let skew = |mean_s, max_s| Skew { mean_s, max_s, uncertainty_s: 4e-6 };
    let study = plan.studies[0].name.clone();
    SharedTrial {
        format_version: model::FORMAT_VERSION,
        key: TrialKey { study, round, configuration: 0, duplicate: false, block: 0 },
        ranks,
        clocks: (1..ranks).map(|rank| ClockOffset { rank, offset_s: 0.0, uncertainty_s: 2e-6 }).collect(),
        slices: 40,
        common_s: 1.0,
        operations,
        start_skew: skew(5.2e-5, 9.1e-4),
        end_skew: skew(1.1e-4, 1.2e-3),
        latency_p99_us: BTreeMap::from([("read_latency".to_owned(), 1_800.0 * day)]),
        by_rank: (0..ranks).map(share).collect(),
    }
}

/// Rounds of all numbers of ranks, and one that lacks the last.
fn scaling(rounds: u32) -> Vec<ScalingOf> {
    scaling_of(rounds, |_| {})
}

/// The same with something else in each trial.
fn scaling_of(rounds: u32, spoil: impl Fn(&mut SharedTrial)) -> Vec<ScalingOf> {
    let plan = fixture::run_of(6, &[1]).plan;
    let first = plan.studies[0].warmup_rounds;
    let all = (first..first + rounds).flat_map(|round| [1, 2, 4].map(|ranks| (round, ranks)));
    let trials = all.chain([(first + rounds, 1)]).map(|(round, ranks)| {
        let mut trial = trial(&plan, round, ranks);
        // Each number of ranks is a configuration of its own; this plan has one.
        trial.key.block = ranks;
        spoil(&mut trial);
        (trial.key.clone(), trial)
    });
    of_run(&plan, &trials.collect())
}

#[test]
fn the_terminal_has_rates_of_all_and_of_each_and_who_is_slow() {
    let text = report::scaling(&scaling(8), 100, false);
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{} columns: {line}", line.chars().count());
    }
    insta::assert_snapshot!(text);
}

#[test]
fn too_few_rounds_have_no_intervals_and_a_reason() {
    insta::assert_snapshot!(report::scaling(&scaling(3), 100, false));
}

/// A slow rank completes few operations.
#[test]
fn a_rank_without_a_p99_of_its_own_is_not_compared() {
    let of_all = |trial: &mut SharedTrial| {
        for share in trial.by_rank.iter_mut().filter(|share| share.rank == 3) {
            share.latency_p99_us.clear();
        }
    };
    insta::assert_snapshot!(report::scaling(&scaling_of(8, of_all), 100, false));
}

#[test]
fn a_run_that_is_not_shared_has_no_such_section() {
    assert_eq!(report::scaling(&[], 100, false), "");
    let (run, verdict) = fixture::specimen(6);
    let page = |scaling: &[ScalingOf]| {
        let beside = report::Beside { scaling, ..report::Beside::default() };
        let page = report::html_with(&run, &verdict, &[], beside, &report::Repeat::default());
        let page = Html::parse_document(&page);
        assert_eq!(page.errors, Vec::<String>::new());
        page.select(&Selector::parse("#shared tbody tr").unwrap()).count()
    };
    assert_eq!((page(&[]), page(&scaling(8))), (0, 3));
}
