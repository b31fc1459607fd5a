//! Stopping early: what fixed looks and stopping by precision do to error rates and coverage.

use stats::contrast::ratio_of_logs;
use stats::sequential::{Spending, plan_rounds, precise_enough};

use crate::documented::measured;
use crate::share;
const RUNS: u32 = 20_000;

#[test]
fn fixed_looks_keep_the_overall_error() {
    let looks_at = [6usize, 12, 18, 24, 30];
    for spending in [Spending::OBrienFleming, Spending::Pocock] {
        let looks = plan_rounds(&looks_at, 0.05, spending).unwrap();
        let rate = share(1, RUNS, |source| {
            let logs: Vec<f64> = (0..30).map(|_| 0.1 * source.normal()).collect();
            looks_at
                .iter()
                .zip(&looks)
                .any(|(&n, look)| ratio_of_logs(&logs[..n], 0.95).unwrap().p <= look.nominal_alpha)
        });
        measured(&format!("false rejection, five fixed looks at 6 to 30 rounds, {spending:?}"), rate);
        assert!(rate <= 0.05, "{spending:?}: {rate}");
    }
}

/// What `syncline run` does under a budget: looks after 6, 9, 12 and 18 rounds, the budget ends after any round, and
/// that round is then the last look.
#[test]
fn looks_under_a_budget_keep_the_overall_error() {
    let looks_at = [6usize, 9, 12, 18];
    let p_at = |logs: &[f64]| ratio_of_logs(logs, 0.95).unwrap().p;
    let alphas: Vec<Vec<(usize, f64)>> = (0..=18)
        .map(|ends: usize| {
            let mut looks: Vec<usize> = looks_at.iter().copied().filter(|look| *look < ends).collect();
            looks.extend([ends.max(6), 18]);
            looks.dedup();
            let planned = plan_rounds(&looks, 0.05, Spending::Pocock).unwrap();
            looks
                .into_iter()
                .zip(planned.iter().map(|look| look.nominal_alpha))
                .filter(|(look, _)| *look <= ends.max(6))
                .collect()
        })
        .collect();
    let mut ends = 5;
    let rate = share(4, RUNS, |source| {
        ends = if ends == 18 { 6 } else { ends + 1 };
        let logs: Vec<f64> = (0..18).map(|_| 0.1 * source.normal()).collect();
        alphas[ends].iter().any(|(look, alpha)| p_at(&logs[..*look]) <= *alpha)
    });
    measured("false rejection, looks at 6, 9, 12 and 18 rounds and where a budget ends, Pocock", rate);
    let to_the_last = share(5, RUNS, |source| {
        let logs: Vec<f64> = (0..18).map(|_| 0.1 * source.normal()).collect();
        alphas[18].iter().any(|(look, alpha)| p_at(&logs[..*look]) <= *alpha)
    });
    measured("false rejection, looks at 6, 9, 12 and 18 rounds, Pocock", to_the_last);
    assert!(rate <= 0.05 && to_the_last <= 0.05, "{rate}, {to_the_last}");
}

#[test]
fn peeking_every_round_does_not() {
    let rate = share(2, RUNS, |source| {
        let logs: Vec<f64> = (0..30).map(|_| 0.1 * source.normal()).collect();
        (6..=30).any(|n| ratio_of_logs(&logs[..n], 0.95).unwrap().p <= 0.05)
    });
    measured("false rejection, peeking after every round from 6 to 30", rate);
    assert!(rate > 0.12, "{rate}");
}

#[test]
fn stopping_by_precision_costs_little_coverage() {
    for target in [0.02, 0.05] {
        let rate = share(3, RUNS, |source| {
            let mut logs: Vec<f64> = (0..6).map(|_| 0.05 * source.normal()).collect();
            let mut ratio = ratio_of_logs(&logs, 0.95).unwrap();
            while !precise_enough(&ratio, target) && logs.len() < 60 {
                logs.push(0.05 * source.normal());
                ratio = ratio_of_logs(&logs, 0.95).unwrap();
            }
            ratio.interval.contains(1.0)
        });
        measured(&format!("covered after stopping at ± {:.0} %, spread 0.05", 100.0 * target), rate);
        assert!(rate >= 0.92, "{rate}");
    }
}
