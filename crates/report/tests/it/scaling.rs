//! Ranks on shared storage: the terminal and the page.

use crate::fixture;
use fleet::scaling::{ScalingOf, of_run};
use model::Description;
use model::every_trial::RANKS;
use model::plan::{Factor, Plan};
use model::rank::Rank;
use model::run::Run;
use model::shared::{ClockOffset, RankShare, SharedTrial, Skew};
use model::trial::{TrialKey, TrialOutcome, TrialRecord};
use scraper::{Html, Selector};
use std::collections::BTreeMap;

/// A volume that gives 1,000 commits per second to a rank and 2,400 to all. At four ranks the last one is slow.
fn trial(plan: &Plan, round: u32, ranks: u32) -> SharedTrial {
    let day = 1.0 + f64::from(round * 7 % 5) / 100.0;
    let per_s = 1_000.0 * f64::from(ranks).min(2.4) * day * (1.0 + f64::from((round + ranks) % 3) / 500.0);
    let part = |rank: u32| match (ranks, rank) {
        (4, 3) => 0.1,
        (4, _) => 0.3,
        (ranks, _) => 1.0 / f64::from(ranks),
    };
    let p99_us = |rank: u32| if rank == 3 { 4_000.0 * day } else { 1_000.0 * day + f64::from(rank) };
    let share = |rank| RankShare {
        rank,
        rates: commits(per_s * part(rank)),
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
        apart: u32::from(ranks == 4),
        common_s: 1.0,
        rates: commits(per_s),
        start_skew: skew(5.2e-5, 9.1e-4),
        end_skew: skew(1.1e-4, 1.2e-3),
        latency_p99_us: BTreeMap::from([("read_latency".to_owned(), 1_800.0 * day)]),
        by_rank: (0..ranks).map(share).collect(),
    }
}

fn commits(per_s: f64) -> BTreeMap<String, f64> {
    BTreeMap::from([("commits_per_s".to_owned(), per_s)])
}

/// A run with these numbers of ranks, and of four ranks that share a volume.
fn shared_run(ranks: &[u64]) -> Run {
    let mut run = fixture::run_of(6, &[1]);
    run.plan.rank = Some(Rank { is_shared: true, ..Rank::new(0, Some(4)) });
    let study = &mut run.plan.studies[0];
    study.factors.push(Factor { name: RANKS.to_owned(), levels: Vec::new() });
    study.rounds = 20;
    let (values, description) = (study.configurations[0].clone(), study.descriptions[0].clone());
    let described = |ranks: &u64| Description { ranks: Some(*ranks), ..description.clone() };
    study.configurations = vec![values; ranks.len()];
    study.descriptions = ranks.iter().map(described).collect();
    run.records.clear();
    run
}

/// Rounds of all numbers of ranks, and one that lacks all but the first.
fn scaling(rounds: u32) -> Vec<ScalingOf> {
    scaling_of(rounds, |_| {})
}

/// The same with something else in each trial.
fn scaling_of(rounds: u32, spoil: impl Fn(&mut SharedTrial)) -> Vec<ScalingOf> {
    let run = shared_run(&[1, 2, 4]);
    let first = run.plan.studies[0].warmup_rounds;
    let all = (first..first + rounds).flat_map(|round| [1, 2, 4].map(|ranks| (round, ranks)));
    let trials = all.chain([(first + rounds, 1)]).map(|(round, ranks)| {
        let mut trial = trial(&run.plan, round, ranks);
        trial.key.configuration = ranks.trailing_zeros() as usize;
        spoil(&mut trial);
        (trial.key.clone(), trial)
    });
    of_run(&run, &trials.collect())
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

/// Each has a table; the second one counts bytes.
#[test]
fn two_rates_have_a_table_each() {
    let mut run = shared_run(&[1, 2]);
    run.plan.studies[0].responses.push("bandwidth_bytes_per_s".to_owned());
    let bytes = |rates: &mut BTreeMap<String, f64>| {
        let bytes_per_s = rates["commits_per_s"] * 4096.0;
        rates.insert("bandwidth_bytes_per_s".to_owned(), bytes_per_s);
    };
    let trials = (1..9).flat_map(|round| [(round, 1), (round, 2)]).map(|(round, ranks)| {
        let mut trial = trial(&run.plan, round, ranks);
        trial.key.configuration = ranks.trailing_zeros() as usize;
        bytes(&mut trial.rates);
        trial.by_rank.iter_mut().for_each(|share| bytes(&mut share.rates));
        (trial.key.clone(), trial)
    });
    let found = of_run(&run, &trials.collect());
    let metrics: Vec<&str> = found[0].rates.iter().map(|rate| rate.metric.as_str()).collect();
    assert_eq!(metrics, ["bandwidth_bytes_per_s", "commits_per_s"]);
    let text = report::scaling(&found, 120, false);
    let is_of_table = |line: &&str| line.starts_with(" number of ranks ") || line.starts_with("            ");
    insta::assert_snapshot!(text.lines().filter(is_of_table).collect::<Vec<_>>().join("\n"), @r"
    number of ranks              bandwidth of all                      per rank  per rank, relative to the first row
                  1  4.00 MiB/s (3.95–4.05 MiB/s)  4.00 MiB/s (3.95–4.05 MiB/s)                    1.00× (1.00–1.00)
                  2  7.99 MiB/s (7.90–8.08 MiB/s)  4.00 MiB/s (3.95–4.04 MiB/s)                  1.000× (0.997–1.00)
    number of ranks     commits/s of all             per rank  per rank, relative to the first row
                  1  1 020 (1 010–1 040)  1 020 (1 010–1 040)                    1.00× (1.00–1.00)
                  2  2 050 (2 020–2 070)  1 020 (1 010–1 030)                  1.000× (0.997–1.00)
    ");
    assert_eq!(text.matches("  skew  ").count(), 1, "{text}");
}

/// A sum of all completions was called its rate.
#[test]
fn a_study_about_no_rate_says_so() {
    let mut run = shared_run(&[4]);
    let study = &mut run.plan.studies[0];
    study.asks.clear();
    study.responses = vec!["page_read_us".to_owned()];
    let trials = (1..9).map(|round| trial(&run.plan, round, 4)).map(|trial| (trial.key.clone(), trial));
    insta::assert_snapshot!(report::scaling(&of_run(&run, &trials.collect()), 100, false));
}

/// Nothing is varied, so there is no knee.
#[test]
fn one_number_of_ranks_has_a_rate_and_shares() {
    let run = shared_run(&[4]);
    let trials = (1..9).map(|round| trial(&run.plan, round, 4)).map(|trial| (trial.key.clone(), trial));
    insta::assert_snapshot!(report::scaling(&of_run(&run, &trials.collect()), 100, false));
}

/// The disk of rank 3 is full, and then rank 2 is lost.
#[test]
fn a_number_of_ranks_that_never_measured_and_a_lost_rank_are_named() {
    let mut run = shared_run(&[1, 2, 4]);
    let template = fixture::run_of(6, &[1]).records.remove(0);
    let key = |round, configuration| TrialKey { configuration, ..trial(&run.plan, round, 1).key };
    let failed = |key: TrialKey, why: &str| {
        let outcome = TrialOutcome::Failed(why.to_owned());
        TrialRecord { key, outcome, measurement: None, ..template.clone() }
    };
    let lost = "rank 2 did not come within 60 s: dead, or slower than the others";
    let full = (1..9).map(|round| failed(key(round, 2), "on rank 3: no space left on device"));
    let records = full.chain((0..3).map(|configuration| failed(key(9, configuration), lost))).collect();
    let measured = (1..9).flat_map(|round| [(round, 1), (round, 2)]).map(|(round, ranks)| {
        let key = key(round, ranks as usize - 1);
        (key.clone(), SharedTrial { key, ..trial(&run.plan, round, ranks) })
    });
    let measured = measured.collect();
    run.records = records;
    insta::assert_snapshot!(report::scaling(&of_run(&run, &measured), 100, false));
}

#[test]
fn as_json_an_estimate_has_its_interval_or_the_reason() {
    let found = serde_json::to_value(scaling(8)).unwrap();
    let of = |pointer: &str| found.pointer(pointer).cloned().unwrap_or_default();
    assert_eq!((of("/0/numbers/2"), of("/0/rates/0/metric")), (4.into(), "commits_per_s".into()));
    assert_eq!(of("/0/rates/0/knee/peak_ranks"), 4);
    assert_eq!(
        (of("/0/rates/0/levels/2/ranks"), of("/0/rates/0/levels/2/efficiency/n")),
        (4.into(), 8.into())
    );
    let (is_below, incomplete) =
        (of("/0/rates/0/parts/3/is_below_equal"), of("/0/rates/0/incomplete_rounds"));
    assert_eq!((is_below, incomplete, of("/0/ranks/apart")), (true.into(), 1.into(), 8.into()));
    let few = serde_json::to_value(scaling(3)).unwrap();
    let why = few.pointer("/0/rates/0/levels/0/together_per_s/no_interval").cloned();
    assert_eq!(why.unwrap_or_default(), "3 trials, an interval needs 6");
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
