//! Contrasts between two sides of one or several runs each, with the spread between runs inside the interval.
//!
//! The trials of one run share what changes from run to run: where its files lie, what the host's neighbours did, the
//! state of the disk. Their scatter therefore does not show it, and the interval of [`crate::unpaired`] alone is too
//! narrow for two runs: two runs of one thing differ "significantly" far more often than one time in twenty. Here the
//! spread comes from the runs themselves if there are enough of them, otherwise from a value that is assumed and named.

use crate::blocks;
use crate::equivalence::{self, Rule};
use crate::interval::{NoInterval, TRIALS_MIN};
use crate::sample;
use crate::unpaired::{Model, SCATTER_MIN, UnpairedDecision, decide_by, p_value_of};

/// The fewest runs of a side that show how much runs differ.
pub const RUNS_MIN: usize = SCATTER_MIN;

/// Where the spread between runs comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RunSpread {
    /// Runs took turns: one of each side makes a pair, and the scatter of the pairs' ratios is all the spread there is.
    OfPairs,
    /// Each side has at least [`RUNS_MIN`] runs, each of which is one value.
    OfRuns,
    /// Assumed: the standard deviation of a run's mean logarithm around the side's, beside the scatter of its trials.
    Assumed {
        /// 0.05 is 5 %.
        log_sd: f64,
    },
}

/// How many times the second side's geometric mean is the first's, decided from `side[run][trial]`. If runs are pairs,
/// `first[i]` and `second[i]` are one; `rounds_needed` are pairs then, and runs of a side if these are the sample.
///
/// Sources: pairs: [`crate::equivalence`]. Runs as values, because the unit of the experiment is what was repeated and
/// not what was measured within it: Kalibera & Jones, *Rigorous Benchmarking in Reasonable Time*, ISMM 2013, section 6.
/// The known variance adds to Welch's, with Satterthwaite's degrees of freedom: Satterthwaite, *An approximate
/// distribution of estimates of variance components*, Biometrics Bulletin 1946.
///
/// # Errors
/// [`NoInterval`] for fewer than six pairs, three runs a side or (if the spread is assumed) six trials a side, values
/// that are not positive and finite, a spread below zero, or a rule out of range.
pub fn decide(
    first: &[Vec<f64>],
    second: &[Vec<f64>],
    spread: RunSpread,
    rule: &Rule,
) -> Result<UnpairedDecision, NoInterval> {
    if spread == RunSpread::OfPairs {
        let decided = equivalence::decide(&log_ratios(first, second)?, rule)?;
        return Ok(UnpairedDecision {
            answer: decided.answer,
            interval: decided.ratio.interval,
            p: decided.ratio.p,
            equivalent: decided.equivalence.equivalent,
            inside_noise: decided.inside_noise,
        });
    }
    let sample = Sample::new(first, second, spread)?;
    decide_by(&sample.first, &sample.second, rule, &sample.model)
}

/// The p-value of a ratio of 1 alone.
///
/// # Errors
/// As [`decide`].
pub fn p_value(first: &[Vec<f64>], second: &[Vec<f64>], spread: RunSpread) -> Result<f64, NoInterval> {
    if spread == RunSpread::OfPairs {
        return Ok(decide(first, second, spread, &Rule::for_asks(1, 1.0))?.p);
    }
    let sample = Sample::new(first, second, spread)?;
    p_value_of(&sample.first, &sample.second, &sample.model)
}

/// Two samples for Welch's test, with what is known beside them.
struct Sample {
    first: Vec<f64>,
    second: Vec<f64>,
    model: Model,
}

impl Sample {
    fn new(first: &[Vec<f64>], second: &[Vec<f64>], spread: RunSpread) -> Result<Self, NoInterval> {
        match spread {
            RunSpread::OfPairs | RunSpread::OfRuns => Ok(Self {
                first: means(first)?,
                second: means(second)?,
                model: Model { known_variance: 0.0, n_min: RUNS_MIN },
            }),
            RunSpread::Assumed { log_sd } => {
                let runs =
                    |side: &[Vec<f64>]| side.iter().filter(|run| !run.is_empty()).count().max(1) as f64;
                let known_variance = log_sd * log_sd * (1.0 / runs(first) + 1.0 / runs(second));
                Ok(Self {
                    first: first.concat(),
                    second: second.concat(),
                    model: Model { known_variance, n_min: TRIALS_MIN },
                })
            }
        }
    }
}

/// One value for each run that has any: the geometric mean of its trials.
fn means(side: &[Vec<f64>]) -> Result<Vec<f64>, NoInterval> {
    side.iter().filter(|run| !run.is_empty()).map(|run| Ok(log_mean(run)?.exp())).collect()
}

/// The log ratio of each pair whose runs both have a value.
fn log_ratios(first: &[Vec<f64>], second: &[Vec<f64>]) -> Result<Vec<f64>, NoInterval> {
    let whole = first.iter().zip(second).filter(|(first, second)| !first.is_empty() && !second.is_empty());
    whole.map(|(first, second)| Ok(log_mean(second)? - log_mean(first)?)).collect()
}

fn log_mean(run: &[f64]) -> Result<f64, NoInterval> {
    let logs: Vec<f64> = run.iter().map(|value| blocks::log(*value)).collect::<Result<_, _>>()?;
    sample::mean(&logs).ok_or(NoInterval::NotFinite)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use crate::equivalence::Answer;
    use crate::unpaired;
    use proptest::prelude::*;

    const FIRST: [f64; 6] = [100.0, 103.0, 98.0, 110.0, 105.0, 99.0];
    const SECOND: [f64; 6] = [121.0, 118.0, 119.0, 125.0, 131.0, 113.0];

    fn rule() -> Rule {
        Rule::for_asks(1, 1.0)
    }

    fn one_run(values: &[f64]) -> Vec<Vec<f64>> {
        vec![values.to_vec()]
    }

    fn each_a_run(values: &[f64]) -> Vec<Vec<f64>> {
        values.iter().map(|value| vec![*value]).collect()
    }

    #[test]
    fn without_a_spread_it_is_the_plain_test() {
        let spread = RunSpread::Assumed { log_sd: 0.0 };
        let decision = decide(&one_run(&FIRST), &one_run(&SECOND), spread, &rule()).unwrap();
        assert_eq!(decision, unpaired::decide(&FIRST, &SECOND, &rule()).unwrap());
        let runs = decide(&each_a_run(&FIRST), &each_a_run(&SECOND), RunSpread::OfRuns, &rule()).unwrap();
        assert_close(runs.interval.low, decision.interval.low, 1e-12);
    }

    /// Two runs without any scatter: all that is left is the assumed spread, 1.959 964 · √2 · 0.05.
    #[test]
    fn an_assumed_spread_is_a_known_error() {
        let spread = RunSpread::Assumed { log_sd: 0.05 };
        let decision = decide(&one_run(&[2.0; 6]), &one_run(&[2.0; 6]), spread, &rule()).unwrap();
        assert_close(decision.interval.high.ln(), 1.959_964 * 0.05 * 2.0_f64.sqrt(), 1e-3);
        assert!(matches!(decision.answer, Answer::Undecided { .. }), "{decision:?}");
        // Two runs of each side halve its variance.
        let two = vec![vec![2.0; 6]; 2];
        let decision = decide(&two, &two, spread, &rule()).unwrap();
        assert_close(decision.interval.high.ln(), 1.959_964 * 0.05, 1e-3);
    }

    #[test]
    fn pairs_cancel_what_they_share() {
        let drift = [1.0, 3.0, 2.0, 5.0, 4.0, 6.0];
        let side = |factor: f64| -> Vec<Vec<f64>> {
            drift
                .iter()
                .enumerate()
                .map(|(at, it)| vec![it * factor * (1.0 + 0.001 * at as f64 * factor)])
                .collect()
        };
        let decision = decide(&side(1.0), &side(1.1), RunSpread::OfPairs, &rule()).unwrap();
        assert!((decision.interval.estimate - 1.1).abs() < 0.01 && decision.answer == Answer::Different);
        assert_eq!(decision.interval.n, 6);
        // A pair that lacks one run is none.
        let mut torn = side(1.1);
        torn[2].clear();
        let few = decide(&side(1.0), &torn, RunSpread::OfPairs, &rule());
        assert_eq!(few, Err(NoInterval::TooFew { n: 5, needed: 6 }));
    }

    #[test]
    fn what_cannot_be_compared_says_why() {
        let two = vec![vec![1.0; 6]; 2];
        assert_eq!(
            p_value(&two, &two, RunSpread::OfRuns),
            Err(NoInterval::TooFew { n: 2, needed: RUNS_MIN })
        );
        let spread = RunSpread::Assumed { log_sd: -1.0 };
        let negative = RunSpread::Assumed { log_sd: f64::NAN };
        assert!(p_value(&two, &two, spread).is_ok(), "a deviation has no sign");
        assert_eq!(p_value(&two, &two, negative), Err(NoInterval::OutOfRange));
    }

    proptest! {
        #[test]
        fn never_panics(
            first in proptest::collection::vec(proptest::collection::vec(any::<f64>(), 0..4), 0..9),
            second in proptest::collection::vec(proptest::collection::vec(any::<f64>(), 0..4), 0..9),
            log_sd in any::<f64>(),
        ) {
            for spread in [RunSpread::OfPairs, RunSpread::OfRuns, RunSpread::Assumed { log_sd }] {
                if let Ok(decision) = decide(&first, &second, spread, &rule()) {
                    prop_assert!((0.0..=1.0).contains(&decision.p));
                }
            }
        }
    }
}
