//! The estimate of the rounds that would decide: how right it is on average, for every kind of question.

use stats::Better;
use stats::crossover::{Crossover, crossover, rounds_to_decide};
use stats::equivalence::{Answer, Rule, decide};
use stats::knee::{KNEE_TOLERANCE, knee};
use stats::rank::{rank, rounds_to_separate};
use stats::threshold::{Extreme, Limit, threshold};

use crate::documented::require;
use crate::random::Source;

const STUDIES: usize = 1_000;
/// Rounds behind each estimate.
const ROUNDS: usize = 6;
const LEVELS: [f64; 3] = [1.0, 2.0, 4.0];

/// A question put to a study of a given number of rounds: whether it is decided, and its remark otherwise.
struct Asked {
    decided: bool,
    rounds_needed: Option<usize>,
}

/// Checks that of undecided studies of six rounds the median estimate is within a factor of two of the rounds that
/// decide four studies in five, as simulation finds these; and that the document says so.
fn check(what: &str, seed: u64, study: impl Fn(&mut Source, usize) -> Asked) {
    let mut source = Source::new(seed);
    let mut told: Vec<usize> = (0..STUDIES)
        .map(|_| study(&mut source, ROUNDS))
        .filter(|asked| !asked.decided)
        // What no realistic number decides lies at the far end.
        .map(|asked| asked.rounds_needed.unwrap_or(usize::MAX))
        .collect();
    told.sort_unstable();
    let median = told[told.len() / 2];
    let truth = (ROUNDS..200).find(|rounds| {
        let decided = (0..STUDIES).filter(|_| study(&mut source, *rounds).decided).count();
        decided * 5 >= STUDIES * 4
    });
    let truth = truth.unwrap_or(usize::MAX);
    let row = format!("| {what} | {truth} | {median} |");
    println!("{row} of {}", told.len());
    assert!(median <= 2 * truth && truth <= 2 * median, "{row}");
    require(&row, &row);
}

/// `rounds[round][column]` with these means of its logarithms.
fn table(source: &mut Source, rounds: usize, means: &[f64], deviation: f64) -> Vec<Vec<f64>> {
    (0..rounds).map(|_| means.iter().map(|mean| mean + deviation * source.normal()).collect()).collect()
}

fn exp(logs: &[Vec<f64>]) -> Vec<Vec<f64>> {
    logs.iter().map(|row| row.iter().map(|value| value.exp()).collect()).collect()
}

fn compared(source: &mut Source, rounds: usize, effect: f64, deviation: f64) -> Asked {
    let logs: Vec<f64> = (0..rounds).map(|_| effect + deviation * source.normal()).collect();
    match decide(&logs, &Rule::for_asks(1, 1.0)).unwrap().answer {
        Answer::Undecided { rounds_needed } => Asked { decided: false, rounds_needed },
        Answer::Different | Answer::Equivalent => Asked { decided: true, rounds_needed: None },
    }
}

#[test]
fn a_comparison_is_told_about_what_it_takes() {
    check("comparison, effect of 8 %, spread of 10 %", 1, |source, n| compared(source, n, 0.08, 0.1));
    check("comparison, no effect, spread of 5 %", 2, |source, n| compared(source, n, 0.0, 0.05));
}

#[test]
fn a_limit_is_told_about_what_it_takes() {
    check("threshold, 10 % of room, spread of 10 %", 3, |source, n| {
        let found = threshold(
            &table(source, n, &[0.9, 1.2, 1.5], 0.1),
            Limit::AtMost(1.0),
            Extreme::Largest,
            1.0 - 0.05 / 3.0,
        )
        .unwrap();
        Asked { decided: found.column.is_some(), rounds_needed: found.rounds_needed }
    });
}

#[test]
fn a_knee_is_told_about_what_it_takes() {
    check("knee, a level 3 % below the best, spread of 3 %", 4, |source, n| {
        let found = knee(
            &LEVELS,
            &exp(&table(source, n, &[-0.5, -0.03, 0.0], 0.02)),
            Better::Higher,
            KNEE_TOLERANCE,
            0.95,
        )
        .unwrap();
        let rounds_needed = found.rounds_to_lower(KNEE_TOLERANCE, 0.95);
        Asked { decided: found.column < found.peak_column, rounds_needed }
    });
}

#[test]
fn a_ranking_is_told_about_what_it_takes() {
    check("ranking, best 12 % ahead, spread of 10 %", 5, |source, n| {
        let table = exp(&table(source, n, &[0.12, 0.0, 0.0], 0.07));
        let places = rank(&table, Better::Higher, 0.95).unwrap();
        let rounds_needed = rounds_to_separate(&table, 0.95, 1.0).unwrap();
        Asked { decided: places.iter().any(|place| place.rank > 1), rounds_needed }
    });
}

#[test]
fn a_crossover_is_told_about_what_it_takes() {
    for (what, seed, means) in [
        ("crossover, 10 % apart at either end, spread of 10 %", 6, [-0.1, 0.0, 0.1]),
        ("no crossover, 10 % apart at least, spread of 10 %", 7, [0.1, 0.2, 0.3]),
    ] {
        check(what, seed, |source, n| {
            let logs = table(source, n, &means, 0.1);
            let decided = crossover(&LEVELS, &logs, 0.95).unwrap() != Crossover::Undecided;
            Asked { decided, rounds_needed: rounds_to_decide(&logs, 0.95).unwrap() }
        });
    }
}
