//! What runs of one thing differ by, and where it is known from.
//!
//! Trials of one run share the place of their files and the hour, so their scatter does not show it. An assumed value is
//! no measurement of the compared machine, and every comparison that rests on it says so.

use super::comparison::Side;
use super::several::took_turns;
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
    /// What these sides allow.
    pub(super) fn of(a: Side<'_>, b: Side<'_>) -> Self {
        let (runs_a, runs_b) = (a.begun.len(), b.begun.len());
        if runs_a >= TRIALS_MIN && took_turns(a.begun, b.begun) {
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

/// Rates, mean and median latencies, and quantiles below the tail: two checks back to back on a quiet virtual machine
/// differed by 7.6 %, which is 5.4 % for each.
const USUAL: f64 = 0.05;
/// p99 and beyond, the maximum, and the standard deviation.
const TAIL: f64 = 0.12;
/// The smallest quantile of the tail.
const TAIL_FROM: f64 = 0.99;

/// The assumed standard deviation of the logarithm of a run's mean around that of other runs. Counts that the program or
/// the kernel makes do not depend on how fast a disk is that day.
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
