//! Trends, interactions, crossovers and drift under their own null hypotheses, with rounds that differ.

use stats::crossover::{Crossover, crossover};
use stats::drift::drift;
use stats::equivalence::{Answer, Rule};
use stats::interaction::interaction;
use stats::trend::trend;

use crate::documented::measured;
use crate::random::Source;
use crate::{share, slack};

const RUNS: u32 = 5_000;
const LEVELS: [f64; 5] = [1.0, 2.0, 4.0, 8.0, 16.0];

/// `rounds[round][column]` of logs: `curve[column]` + the round's own shift + noise, of these standard deviations.
fn logs(source: &mut Source, rounds: usize, curve: &[f64], shift: f64, noise: f64) -> Vec<Vec<f64>> {
    (0..rounds)
        .map(|_| {
            let shift = shift * source.normal();
            curve.iter().map(|value| value + shift + noise * source.normal()).collect()
        })
        .collect()
}

fn exp(logs: &[Vec<f64>]) -> Vec<Vec<f64>> {
    logs.iter().map(|row| row.iter().map(|value| value.exp()).collect()).collect()
}

#[test]
fn trends_cover_their_slope_and_find_straight_lines_straight() {
    let (mut bent, mut wrong) = (0u32, 0u32);
    let covered = share(1, RUNS, |source| {
        let table = exp(&logs(source, 6, &[0.0, 0.1, 0.2, 0.3, 0.4], 0.2, 0.05));
        let fit = trend(&LEVELS, &table, &Rule::for_asks(1, 1.0)).unwrap();
        bent += u32::from(fit.linearity.unwrap().p <= 0.05);
        let flat = exp(&logs(source, 6, &[0.0; 5], 0.2, 0.05));
        wrong +=
            u32::from(trend(&LEVELS, &flat, &Rule::for_asks(1, 1.0)).unwrap().answer == Answer::Different);
        fit.slope.contains(0.1)
    });
    let (bent, wrong) = (f64::from(bent) / f64::from(RUNS), f64::from(wrong) / f64::from(RUNS));
    measured("trend: slope covered, nominal 96 %, n = 6", covered);
    measured("trend: straight line called bent, n = 6", bent);
    measured("trend: flat curve called different, n = 6", wrong);
    assert!((covered - 0.96).abs() <= slack(0.96, RUNS), "{covered}");
    assert!((bent - 0.05).abs() <= slack(0.05, RUNS), "{bent}");
    assert!(wrong <= 0.05 + slack(0.05, RUNS), "{wrong}");
}

#[test]
fn a_range_effect_on_the_margin_is_not_called_flat() {
    let step = 1.05f64.ln() / 4.0;
    let curve: Vec<f64> = (0..5).map(|column| step * f64::from(column)).collect();
    let rate = share(2, RUNS, |source| {
        let table = exp(&logs(source, 10, &curve, 0.2, 0.02));
        trend(&LEVELS, &table, &Rule::for_asks(1, 1.0)).unwrap().answer == Answer::Equivalent
    });
    measured("trend: range effect on the margin called equivalent, n = 10", rate);
    assert!(rate <= 0.05 + slack(0.05, RUNS), "{rate}");
}

#[test]
fn interaction_is_found_one_time_in_twenty_where_there_is_none() {
    for n in [6, 10] {
        let rate = share(n, RUNS, |source| {
            interaction(&logs(source, n as usize, &[0.2; 4], 0.2, 0.1), 0.0).unwrap().p <= 0.05
        });
        measured(&format!("interaction found where there is none, n = {n}"), rate);
        assert!((rate - 0.05).abs() <= slack(0.05, RUNS), "{rate}");
    }
}

#[test]
fn crossovers_cover_the_level_where_they_are() {
    // Log ratio −0.25 + 0.1·log₂(level): equal at 2^2.5.
    let curve = [-0.25, -0.15, -0.05, 0.05, 0.15];
    let (mut found, mut covered) = (0u32, 0u32);
    let several = share(3, RUNS, |source| {
        match crossover(&LEVELS, &logs(source, 10, &curve, 0.02, 0.05), 0.95).unwrap() {
            Crossover::At { level, .. } => {
                found += 1;
                covered += u32::from(level.contains(2.5f64.exp2()));
                false
            }
            Crossover::Undecided => false,
            Crossover::None { .. } | Crossover::Several { .. } => true,
        }
    });
    let coverage = f64::from(covered) / f64::from(found);
    measured("crossover: level covered, n = 10", coverage);
    measured("crossover: wrong kind of answer, n = 10", several);
    assert!(coverage >= 0.93 && several <= 0.05, "{coverage} {several}");
}

#[test]
fn drift_is_found_one_time_in_twenty_where_there_is_none() {
    let rate = share(4, RUNS, |source| {
        let points: Vec<(f64, f64)> =
            (0..10).map(|round| (f64::from(round), (0.1 * source.normal()).exp())).collect();
        drift(&points, 0.95).unwrap().p <= 0.05
    });
    measured("drift found where there is none, n = 10", rate);
    assert!((rate - 0.05).abs() <= slack(0.05, RUNS), "{rate}");
}

#[test]
fn interaction_is_found_too_often_where_spreads_differ() {
    let rate = share(5, RUNS, |source| {
        let row = |source: &mut Source| [0.05, 0.1, 0.1, 0.2].iter().map(|sd| sd * source.normal()).collect();
        let rounds: Vec<Vec<f64>> = (0..6).map(|_| row(source)).collect();
        interaction(&rounds, 0.0).unwrap().p <= 0.05
    });
    measured("interaction found where there is none, spreads of 1 : 2 : 2 : 4, n = 6", rate);
    assert!(rate <= 0.10, "{rate}");
}
