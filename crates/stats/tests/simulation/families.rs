//! Errors that a whole study makes: several comparisons, several looks, several cells, as a verdict decides them.

use stats::contrast::{mean_over_cells, ratio_of_logs};
use stats::equivalence::{Answer, Rule, decide};
use stats::family::{holm, simultaneous_level};
use stats::interaction::interaction;
use stats::knee::{KNEE_TOLERANCE, knee};
use stats::sequential::{Look, Spending, plan_rounds};
use stats::{Better, EQUIVALENCE_MARGIN};

use crate::documented::measured;
use crate::random::Source;
use crate::{share, slack};

/// What `syncline run` does under a budget.
const LOOKS: [usize; 4] = [6, 9, 12, 18];
const ASKS: usize = 4;
const RUNS: u32 = 10_000;

fn looks() -> Vec<Look> {
    plan_rounds(&LOOKS, 0.05, Spending::Pocock).unwrap()
}

/// The log ratios of a study's asks, whose arms share a baseline: what one baseline trial has is in all of them.
fn study(source: &mut Source, truth: f64) -> Vec<Vec<f64>> {
    let baseline: Vec<f64> = (0..18).map(|_| 0.1 * source.normal()).collect();
    let arm =
        |source: &mut Source| baseline.iter().map(|theirs| truth + 0.1 * source.normal() - theirs).collect();
    (0..ASKS).map(|_| arm(source)).collect()
}

/// The study ends at the look that decides its first ask, and all its asks are reported at that look.
fn ends_at(asks: &[Vec<f64>], looks: &[Look]) -> (usize, Look) {
    let is_decided = |(n, look): &(usize, Look)| {
        let rule = Rule::at(1.0 - look.nominal_alpha, ASKS, 1.0);
        !matches!(decide(&asks[0][..*n], &rule).unwrap().answer, Answer::Undecided { .. })
    };
    let all = || LOOKS.into_iter().zip(looks.iter().copied());
    all().find(is_decided).or_else(|| all().next_back()).unwrap()
}

#[test]
fn a_family_of_comparisons_with_looks_keeps_the_error() {
    let looks = looks();
    let (mut by_interval, mut anywhere, mut covered) = (0u32, 0u32, 0u32);
    let by_holm = share(81, RUNS, |source| {
        let asks = study(source, 0.0);
        let rejects = |n: usize, look: &Look| {
            let p: Vec<f64> = asks.iter().map(|ask| ratio_of_logs(&ask[..n], 0.95).unwrap().p).collect();
            holm(&p).unwrap().iter().any(|p| *p <= look.nominal_alpha)
        };
        let (n, look) = ends_at(&asks, &looks);
        let rule = Rule::at(1.0 - look.nominal_alpha, ASKS, 1.0);
        let differs = asks.iter().any(|ask| decide(&ask[..n], &rule).unwrap().answer == Answer::Different);
        let level = simultaneous_level(1.0 - look.nominal_alpha, ASKS);
        by_interval += u32::from(differs);
        covered +=
            u32::from(asks.iter().all(|ask| ratio_of_logs(&ask[..n], level).unwrap().interval.contains(1.0)));
        anywhere += u32::from(LOOKS.into_iter().zip(&looks).any(|(n, look)| rejects(n, look)));
        rejects(n, &look)
    });
    let of = |count: u32| f64::from(count) / f64::from(RUNS);
    measured("false rejection anywhere in 4 asks at the look that ends the study, Holm", by_holm);
    measured("no effect called different anywhere in 4 asks at that look", of(by_interval));
    measured("all 4 intervals at the level of that look cover", of(covered));
    measured("false rejection anywhere in 4 asks at any of 4 looks, Holm", of(anywhere));
    for rate in [by_holm, of(by_interval), of(anywhere)] {
        assert!(rate <= 0.05 + slack(0.05, RUNS), "{rate}");
    }
    assert!(of(covered) >= 0.95 - slack(0.95, RUNS), "{covered}");
}

#[test]
fn equality_in_a_family_with_looks_is_not_claimed_on_the_margin() {
    let looks = looks();
    let rate = share(82, RUNS, |source| {
        let asks: Vec<Vec<f64>> = (0..ASKS)
            .map(|_| (0..18).map(|_| EQUIVALENCE_MARGIN.ln() + 0.03 * source.normal()).collect())
            .collect();
        let (n, look) = ends_at(&asks, &looks);
        let rule = Rule::at(1.0 - look.nominal_alpha, ASKS, 1.0);
        asks.iter().any(|ask| decide(&ask[..n], &rule).unwrap().answer == Answer::Equivalent)
    });
    measured(
        "effect on the margin called equivalent anywhere in 4 asks at the look that ends the study",
        rate,
    );
    assert!(rate <= 0.05 + slack(0.05, RUNS), "{rate}");
}

/// What a verdict does with cells: if they interact it claims that the effect depends on them once both directions are
/// proven, by cells that share the ask's error, or one with a twentieth of it; otherwise the mean over them is tested.
#[test]
fn cells_that_point_different_ways_by_chance_do_not_add_to_the_error() {
    for (asks, cells) in [(1, 2), (1, 8), (4, 8), (4, 32)] {
        let rule = Rule::at(0.95, asks, 1.0);
        let of_cells = |share: f64| {
            let level = simultaneous_level(1.0 - share * (1.0 - rule.level), cells);
            Rule { level, ..rule }
        };
        let (together, alone) = (of_cells(1.0), of_cells(0.05));
        let rate = share(83, RUNS, |source| {
            let rounds: Vec<Vec<f64>> =
                (0..6).map(|_| (0..cells).map(|_| 0.3 * source.normal()).collect()).collect();
            if interaction(&rounds, 0.0).unwrap().p > 0.05 {
                return decide(&mean_over_cells(&rounds).unwrap(), &rule).unwrap().answer
                    == Answer::Different;
            }
            let proven = |sign: f64, rule: &Rule| {
                (0..cells).any(|index| {
                    let cell: Vec<f64> = rounds.iter().map(|row| row[index]).collect();
                    let found = decide(&cell, rule).unwrap();
                    found.answer == Answer::Different && found.ratio.log_mean * sign > 0.0
                })
            };
            proven(1.0, &together) && proven(-1.0, &together) || proven(1.0, &alone) || proven(-1.0, &alone)
        });
        let allowed = 5.0 / asks as f64;
        measured(
            &format!("no effect called different or dependent, {cells} cells, allowed {allowed} %"),
            rate,
        );
        assert!(100.0 * rate <= allowed + 100.0 * slack(allowed / 100.0, RUNS), "{rate}");
    }
}

#[test]
fn a_knee_is_not_found_where_levels_are_just_too_far_below() {
    let levels = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
    let rate = share(84, RUNS, |source| {
        let rounds: Vec<Vec<f64>> = (0..6)
            .map(|_| {
                let mut row: Vec<f64> =
                    (0..6).map(|_| ((1.0 - KNEE_TOLERANCE).ln() + 0.01 * source.normal()).exp()).collect();
                row[5] = (0.01 * source.normal()).exp();
                row
            })
            .collect();
        let found = knee(&levels, &rounds, Better::Higher, KNEE_TOLERANCE, 0.95).unwrap();
        found.column < 5
    });
    measured("level 5 % below the best called enough, six levels", rate);
    assert!(rate <= 0.05, "{rate}");
}
