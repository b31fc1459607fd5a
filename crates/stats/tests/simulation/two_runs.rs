//! Two runs against each other: nothing is paired, and the sides may scatter differently.

use stats::equivalence::{Answer, EQUIVALENCE_MARGIN, Rule};
use stats::family::simultaneous_level;
use stats::run_spread::{self, RunSpread};
use stats::unpaired::{decide, difference};

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

/// A side's runs, each a sample around a mean of its own: `runs[run][trial]`.
fn runs(source: &mut Source, runs: usize, n: usize, between: f64, within: f64) -> Vec<Vec<f64>> {
    (0..runs)
        .map(|_| {
            let centre = 100.0 * (between * source.normal()).exp();
            trials(source, n, centre, within)
        })
        .collect()
}

/// Two checks back to back said "2 worse": runs of one thing differed by more than the trials of each scatter.
#[test]
fn two_runs_of_one_thing_are_seldom_called_different() {
    let (between, within, n) = (0.05, 0.02, 7);
    let is_different = |a: &[Vec<f64>], b: &[Vec<f64>], spread| {
        run_spread::decide(a, b, spread, &Rule::for_asks(1, 1.0)).unwrap().answer == Answer::Different
    };
    let cases = [
        ("the spread not looked at", 1, RunSpread::Assumed { log_sd: 0.0 }),
        ("the spread assumed as it is", 1, RunSpread::Assumed { log_sd: between }),
        ("the spread of 3 runs a side", 3, RunSpread::OfRuns),
        ("the spread of 6 runs a side", 6, RunSpread::OfRuns),
    ];
    for (seed, (name, count, spread)) in (7..).zip(cases) {
        let rate = share(seed, RUNS, |source| {
            let (a, b) = (runs(source, count, n, between, within), runs(source, count, n, between, within));
            is_different(&a, &b, spread)
        });
        measured(&format!("runs of one thing called different, {name}"), rate);
        let is_ignored = spread == RunSpread::Assumed { log_sd: 0.0 };
        assert!(is_ignored || rate <= 0.05 + slack(0.05, RUNS), "{name}: {rate}");
    }
}

/// A disk that becomes slower by half meanwhile, with steps that both runs of a pair share: the pairs do not see it.
#[test]
fn pairs_of_one_thing_are_seldom_called_different_on_a_disk_that_drifts() {
    let (between, within) = (0.05, 0.02);
    let rate = share(11, RUNS, |source| {
        let mut sides = [Vec::new(), Vec::new()];
        for pair in 0..8 {
            let place = 100.0 * (1.0 - 0.06 * f64::from(pair)) * (0.2 * source.normal()).exp();
            for side in &mut sides {
                let centre = place * (between * source.normal()).exp();
                side.push(trials(source, 2, centre, within));
            }
        }
        let decided = run_spread::decide(&sides[0], &sides[1], RunSpread::OfPairs, &Rule::for_asks(1, 1.0));
        decided.unwrap().answer == Answer::Different
    });
    measured("runs of one thing called different, 8 pairs on a disk that drifts", rate);
    assert!(rate <= 0.05 + slack(0.05, RUNS), "{rate}");
}

/// Segments of an operation's time that are compared together, and traced trials of each side.
const SEGMENTS: usize = 5;
const TRACED: usize = 3;

/// Whether a segment of two sides is called different, if that of the second side is this many times as long.
fn segment_differs(source: &mut Source, spreads: (f64, f64), times: f64) -> bool {
    // A log-normal mean lies above its median.
    let mut side =
        |mean: f64, spread: f64| trials(source, TRACED, mean * (-spread * spread / 2.0).exp(), spread);
    let (a, b) = (side(1.0, spreads.0), side(times, spreads.1));
    !difference(&a, &b, simultaneous_level(0.95, SEGMENTS)).unwrap().contains(0.0)
}

/// Three trials do not show the skew of a side that scatters six times as much as the other.
#[test]
fn equal_segments_of_three_traced_trials_are_rarely_called_different() {
    for (seed, spreads, limit) in [(31, (0.1, 0.1), 0.05), (32, (0.3, 0.3), 0.05), (33, (0.05, 0.3), 0.1)] {
        let rate = share(seed, RUNS, |source| {
            // All of them are drawn, so that the numbers that follow do not depend on the answers.
            let differing = (0..SEGMENTS).filter(|_| segment_differs(source, spreads, 1.0));
            differing.count() > 0
        });
        let (one, other) = spreads;
        measured(
            &format!("any of 5 equal segments called different, 3 traced trials, spreads {one} and {other}"),
            rate,
        );
        assert!(rate <= limit + slack(limit, RUNS), "{rate}");
    }
}

#[test]
fn segments_that_differ_are_found_by_three_traced_trials() {
    for (seed, times) in [(34, 1.5), (35, 2.0), (36, 3.0)] {
        let rate = share(seed, RUNS, |source| segment_differs(source, (0.1, 0.1), times));
        measured(
            &format!("one of 5 segments found, {times} times as long, 3 traced trials, spreads 0.1"),
            rate,
        );
    }
}
