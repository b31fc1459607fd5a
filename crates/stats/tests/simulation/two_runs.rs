//! Two runs against each other: nothing is paired, and the sides may scatter differently.

use stats::equivalence::{Answer, EQUIVALENCE_MARGIN, Rule};
use stats::unpaired::decide;

use crate::documented::measured;
use crate::random::{Distribution, Source};
use crate::{share, slack};

const RUNS: u32 = 10_000;

/// A run's trials, log-normal around `centre`.
fn trials(source: &mut Source, n: usize, centre: f64, spread: f64) -> Vec<f64> {
    (0..n).map(|_| centre * (spread * source.normal()).exp()).collect()
}

#[test]
fn ratios_of_two_runs_cover_whatever_their_spreads() {
    for (seed, n, spreads) in [(1, 6, (0.05, 0.05)), (2, 6, (0.02, 0.1)), (3, 10, (0.02, 0.1))] {
        let rate = share(seed, RUNS, |source| {
            let (a, b) = (trials(source, n, 100.0, spreads.0), trials(source, n, 120.0, spreads.1));
            decide(&a, &b, &Rule::for_asks(1, 1.0)).unwrap().interval.contains(1.2)
        });
        measured(
            &format!("ratio of two runs covered, spreads {} and {}, n = {n}", spreads.0, spreads.1),
            rate,
        );
        assert!((rate - 0.95).abs() <= slack(0.95, RUNS) + 0.005, "{rate}");
    }
}

#[test]
fn skew_that_both_runs_share_costs_no_coverage() {
    let shape = Distribution::LogNormal(1.0);
    let rate = share(4, RUNS, |source| {
        let a = shape.sample(source, 6);
        let b: Vec<f64> = shape.sample(source, 6).iter().map(|value| 1.2 * value).collect();
        decide(&a, &b, &Rule::for_asks(1, 1.0)).unwrap().interval.contains(1.2)
    });
    measured("ratio of two runs covered, log-normal trials of σ = 1, n = 6", rate);
    assert!(rate >= 0.95 - slack(0.95, RUNS), "{rate}");
}

#[test]
fn a_difference_on_the_margin_is_not_called_equivalent() {
    let rate = share(5, RUNS, |source| {
        let (a, b) = (trials(source, 10, 100.0, 0.02), trials(source, 10, 100.0 * EQUIVALENCE_MARGIN, 0.02));
        decide(&a, &b, &Rule::for_asks(1, 1.0)).unwrap().equivalent
    });
    measured("two runs on the margin called equivalent, n = 10", rate);
    assert!(rate <= 0.05 + slack(0.05, RUNS), "{rate}");
}

#[test]
fn the_rounds_asked_for_decide() {
    let (mut undecided, mut decided) = (0u32, 0u32);
    share(6, 2_000, |source| {
        let (a, b) = (trials(source, 8, 100.0, 0.06), trials(source, 8, 106.0, 0.06));
        let rule = Rule::for_asks(1, 1.0);
        let answer = decide(&a, &b, &rule).unwrap().answer;
        let Answer::Undecided { rounds_needed: Some(rounds) } = answer else { return false };
        undecided += 1;
        // The effect and the spread that were seen are taken for the truth, which is what the number promises.
        let log = |values: &[f64]| values.iter().map(|value| value.ln()).collect::<Vec<_>>();
        let centre = |values: &[f64]| stats::sample::mean(&log(values)).unwrap().exp();
        let spread = |values: &[f64]| stats::sample::standard_deviation(&log(values)).unwrap();
        let again =
            (trials(source, rounds, centre(&a), spread(&a)), trials(source, rounds, centre(&b), spread(&b)));
        let answer = decide(&again.0, &again.1, &rule).unwrap().answer;
        decided += u32::from(!matches!(answer, Answer::Undecided { .. }));
        true
    });
    let rate = f64::from(decided) / f64::from(undecided);
    measured("two runs decided by the rounds that \"undecided\" asked for", rate);
    assert!(rate >= 0.75, "{rate}");
}
