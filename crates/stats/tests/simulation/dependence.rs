//! What dependence between rounds does: a device that is slow for a while is slow in the next round too.

use crate::documented::measured;
use crate::random::Source;
use crate::{share, slack};
use stats::contrast::{log_ratios, paired_ratio};
use stats::equivalence::{Answer, Rule, decide};
use stats::noise::noise_floor;

const RUNS: u32 = 20_000;

/// A stationary autoregressive series of standard deviation 1, its neighbours correlated by `rho`.
fn series(source: &mut Source, rho: f64, n: usize) -> Vec<f64> {
    let mut value = source.normal();
    (0..n)
        .map(|_| {
            let now = value;
            value = rho * value + (1.0 - rho * rho).sqrt() * source.normal();
            now
        })
        .collect()
}

/// How often two equal arms are called different, where `own` is the correlation of neighbouring rounds in what each arm has for
/// itself, and `shared` in what a round does to both.
fn false_differences(seed: u64, n: usize, own: f64, shared: f64) -> f64 {
    share(seed, RUNS, |source| {
        let (both, a, b) = (series(source, shared, n), series(source, own, n), series(source, own, n));
        let value = |round: usize, arm: &[f64]| (0.3 * both[round] + 0.05 * arm[round]).exp();
        let rounds: Vec<(f64, f64)> = (0..n).map(|round| (value(round, &a), value(round, &b))).collect();
        paired_ratio(&rounds, 0.95).unwrap().p <= 0.05
    })
}

#[test]
fn what_a_round_does_to_both_arms_cancels_however_long_it_lasts() {
    for n in [6, 10] {
        let rate = false_differences(910 + n as u64, n, 0.0, 0.7);
        measured(
            &format!("no effect called different, rounds correlate by 0.7 in what both arms share, n = {n}"),
            rate,
        );
        assert!(rate <= 0.05 + slack(0.05, RUNS), "{rate}");
    }
}

#[test]
fn dependence_of_the_ratio_itself_is_taken_for_evidence() {
    for (seed, n) in [(920, 6), (930, 10), (940, 20)] {
        let mut before = 0.0;
        for (step, rho) in [(0, 0.0), (1, 0.3), (2, 0.7)] {
            let rate = false_differences(seed + step, n, rho, 0.0);
            measured(
                &format!(
                    "no effect called different, ratios of neighbouring rounds correlate by {rho}, n = {n}"
                ),
                rate,
            );
            if step == 0 {
                assert!(rate <= 0.05 + slack(0.05, RUNS), "{rate}");
            }
            assert!(rate > before, "dependence makes it worse: {rate}");
            before = rate;
        }
    }
}

/// The A/A arm of a study is as dependent as the others, so its interval reaches farther out.
#[test]
fn the_noise_floor_takes_most_of_it_back() {
    let n = 6;
    for (seed, rho) in [(970, 0.3), (971, 0.7)] {
        let rate = share(seed, RUNS, |source| {
            let [baseline, again, arm] = [(); 3].map(|()| series(source, rho, n));
            let value = |own: f64| (0.05 * own).exp();
            let pairs = |other: &[f64]| -> Vec<(f64, f64)> {
                baseline.iter().zip(other).map(|(a, b)| (value(*a), value(*b))).collect()
            };
            let floor = noise_floor(&pairs(&again), 0.95).unwrap().ratio;
            let logs = log_ratios(&pairs(&arm)).unwrap();
            decide(&logs, &Rule::for_asks(1, floor)).unwrap().answer == Answer::Different
        });
        measured(
            &format!(
                "no effect called different, ratios of neighbouring rounds correlate by {rho}, with a noise floor, n = {n}"
            ),
            rate,
        );
        assert!(rate < false_differences(seed, n, rho, 0.0), "{rate}");
    }
}
