//! What runs of one thing differ by, and where it is known from.
//!
//! Trials of one run share the place of their files and the hour, so their scatter does not show it. An assumed value
//! does not come from the compared machine, and every comparison that rests on it says so.

use model::metric::{self, Source, Statistic};
use serde::Serialize;
use stats::run_spread::RUNS_MIN;
use stats::{RunSpread, TRIALS_MIN};

/// Where the spread between runs that every interval includes comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BetweenRuns {
    /// From pairs: the runs of both sides took turns.
    Pairs { pairs: usize },
    /// From the runs of each side.
    Runs { a: usize, b: usize },
    /// It is assumed, by the class of the metric.
    Assumed,
}

impl BetweenRuns {
    /// What two sides allow whose runs were created at these times, in order.
    pub(super) fn of(begun_a: &[String], begun_b: &[String]) -> Self {
        let (runs_a, runs_b) = (begun_a.len(), begun_b.len());
        if runs_a >= TRIALS_MIN && took_turns(begun_a, begun_b) {
            Self::Pairs { pairs: runs_a }
        } else if runs_a.min(runs_b) >= RUNS_MIN {
            Self::Runs { a: runs_a, b: runs_b }
        } else {
            Self::Assumed
        }
    }

    /// The same for the statistics of one metric.
    pub(super) fn of_metric(self, metric: &str) -> RunSpread {
        match self {
            Self::Pairs { .. } => RunSpread::OfPairs,
            Self::Runs { .. } => RunSpread::OfRuns,
            Self::Assumed => RunSpread::Assumed { log_sd: assumed_log_sd(metric) },
        }
    }
}

/// Rates, mean and median latencies, and quantiles below the tail: a little above the 5.4 % of two checks and the 7.4 %
/// of three checks of a virtual machine whose audits passed (`docs/runs/compare.md`). Figures that come from memory get
/// the same, for want of undisturbed runs.
const USUAL: f64 = 0.08;
/// p99 and beyond, the maximum, and the standard deviation: a little above the 10 % of the same three checks.
const TAIL: f64 = 0.12;
/// The smallest quantile of the tail.
const TAIL_FROM: f64 = 0.99;

/// The assumed standard deviation of the logarithm of a run's mean around that of other runs. Counts that the program
/// or the kernel makes do not depend on how fast a disk is that day.
fn assumed_log_sd(metric: &str) -> f64 {
    let Some(found) = metric::find(metric) else { return TAIL };
    match found.family.source {
        Source::Program | Source::Device => return 0.0,
        Source::Clock | Source::Process => {}
    }
    match found.statistic.map(|index| metric::STATISTICS[index].1) {
        Some(Statistic::Quantile(quantile)) if quantile >= TAIL_FROM => TAIL,
        Some(Statistic::Max | Statistic::StandardDeviation) => TAIL,
        Some(Statistic::Quantile(_) | Statistic::Mean) | None => USUAL,
    }
}

/// Whether runs of two sides took turns: in order of time, every two are one of each side. Times are those at which
/// runs were created, in order.
fn took_turns(a: &[String], b: &[String]) -> bool {
    let of_pair = |place: usize| a.get(place).zip(b.get(place));
    let is_over = |(one, next): (usize, usize)| match (of_pair(one), of_pair(next)) {
        (Some((a, b)), Some((next_a, next_b))) => a.max(b) <= next_a.min(next_b),
        _ => false,
    };
    a.len() == b.len() && (1..a.len()).all(|next| is_over((next - 1, next)))
}
