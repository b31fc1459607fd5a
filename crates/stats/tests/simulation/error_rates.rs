//! How often a claim is made that is not true.

use stats::bootstrap::mean_curve_band;
use stats::contrast::{log_ratios, paired_ratio};
use stats::equivalence::{Answer, EQUIVALENCE_MARGIN, Rule, decide, equivalence};
use stats::family::{holm, simultaneous_level};

use crate::documented::measured;
use crate::random::{Distribution, Source};
use crate::{share, slack};

const ASKS: usize = 4;

/// Pairs of a study whose arms differ by `ratio` and share a skewed shape and each round's shift.
fn pairs(source: &mut Source, n: usize, ratio: f64) -> Vec<(f64, f64)> {
    let shape = Distribution::LogNormal(0.3);
    (0..n)
        .map(|_| {
            let shift = (0.2 * source.normal()).exp();
            (shift * shape.draw(source), ratio * shift * shape.draw(source))
        })
        .collect()
}

#[test]
fn holm_keeps_the_family_at_five_percent() {
    for n in [6, 10] {
        let runs = 10_000;
        let rate = share(n as u64, runs, |source| {
            let p_values: Vec<f64> =
                (0..ASKS).map(|_| paired_ratio(&pairs(source, n, 1.0), 0.95).unwrap().p).collect();
            holm(&p_values).unwrap().iter().any(|p| *p <= 0.05)
        });
        measured(&format!("false rejection anywhere in {ASKS} asks, Holm, n = {n}"), rate);
        assert!(rate <= 0.05 + slack(0.05, runs), "{rate}");
    }
}

#[test]
fn simultaneous_intervals_cover_together() {
    let runs = 10_000;
    let rate = share(11, runs, |source| {
        let level = simultaneous_level(0.95, ASKS);
        (0..ASKS).all(|_| paired_ratio(&pairs(source, 6, 1.3), level).unwrap().interval.contains(1.3))
    });
    measured(&format!("all {ASKS} simultaneous intervals cover, n = 6"), rate);
    assert!(rate >= 0.95 - slack(0.95, runs), "{rate}");
}

#[test]
fn an_effect_on_the_margin_is_called_equivalent_at_most_one_time_in_twenty() {
    for (seed, sigma) in [(21, 0.01), (22, 0.02), (23, 0.05)] {
        let runs = 10_000;
        let rate = share(seed, runs, |source| {
            let logs: Vec<f64> = (0..10).map(|_| EQUIVALENCE_MARGIN.ln() + sigma * source.normal()).collect();
            equivalence(&logs, EQUIVALENCE_MARGIN, 0.05).unwrap().equivalent
        });
        measured(&format!("effect on the margin called equivalent, spread {sigma}, n = 10"), rate);
        assert!(rate <= 0.05 + slack(0.05, runs), "{rate}");
    }
}

#[test]
fn decisions_of_a_study_are_wrong_at_most_one_time_in_twenty() {
    // Truths: no effect at all, and one on the margin; "different" is wrong for the first, "equivalent" for the second.
    let (runs, rule) = (10_000, Rule::for_asks(ASKS, 1.0));
    let rate = share(31, runs, |source| {
        (0..ASKS).any(|ask| {
            let truth = if ask % 2 == 0 { 0.0 } else { EQUIVALENCE_MARGIN.ln() };
            let logs: Vec<f64> = (0..10).map(|_| truth + 0.02 * source.normal()).collect();
            match decide(&logs, &rule).unwrap().answer {
                Answer::Different => ask % 2 == 0,
                Answer::Equivalent => ask % 2 == 1,
                Answer::Undecided { .. } => false,
            }
        })
    });
    measured(&format!("wrong answer anywhere in {ASKS} asks, n = 10"), rate);
    assert!(rate <= 0.05 + slack(0.05, runs), "{rate}");
}

#[test]
fn the_rounds_asked_for_decide_four_times_in_five() {
    let rule = Rule::for_asks(1, 1.0);
    let runs = 4_000;
    // The number that a study of effect 0.08 and spread 0.1 would be given, from a sample with exactly those figures.
    let unit = [-1.2, -0.7, -0.1, 0.1, 0.7, 1.2];
    let sd = stats::sample::standard_deviation(&unit).unwrap();
    let seen: Vec<f64> = unit.iter().map(|offset| 0.08 + 0.1 * offset / sd).collect();
    let Answer::Undecided { rounds_needed: Some(rounds) } = decide(&seen, &rule).unwrap().answer else {
        panic!()
    };
    let rate = share(41, runs, |source| {
        let logs: Vec<f64> = (0..rounds).map(|_| 0.08 + 0.1 * source.normal()).collect();
        decide(&logs, &rule).unwrap().answer == Answer::Different
    });
    measured("decided by the rounds that \"undecided\" asked for", rate);
    assert!((0.75..=0.85).contains(&rate), "{rate}");
}

#[test]
fn log_ratios_of_an_a_a_arm_stay_in_their_noise_floor() {
    let runs = 10_000;
    let rate = share(51, runs, |source| {
        let floor = stats::noise::noise_floor(&pairs(source, 10, 1.0), 0.95).unwrap();
        let other = log_ratios(&pairs(source, 10, 1.0)).unwrap();
        let rule = Rule::for_asks(1, floor.ratio);
        decide(&other, &rule).unwrap().answer == Answer::Different
    });
    measured("no effect called different, with a noise floor, n = 10", rate);
    assert!(rate <= 0.05, "{rate}");
}

#[test]
fn bootstrap_bands_of_six_trials_are_too_narrow_as_documented() {
    for (n, from, to) in [(6, 0.84, 0.90), (20, 0.91, 0.95)] {
        let rate = share(61, 2_000, |source| {
            let trials: Vec<Vec<f64>> = (0..n).map(|_| vec![Distribution::Normal.draw(source)]).collect();
            mean_curve_band(&trials, 0.95, 1000, 1).unwrap()[0].contains(10.0)
        });
        measured(&format!("band of a curve covers, nominal 95 %, n = {n}"), rate);
        assert!((from..=to).contains(&rate), "{rate}");
    }
}
