//! Drift: the trend of a response over the course of a run.

use crate::blocks;
use crate::distribution::{student_p, student_two_sided};
use crate::interval::{Interval, NoInterval, TRIALS_MIN};
use crate::sample;

/// How a response moved over the rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// Change of the natural log of the response per round, with its t interval (n − 2 degrees of freedom).
    pub slope: Interval,
    /// Last ÷ first round along the fitted line, as a ratio with its interval.
    pub total: Interval,
    /// Two-sided p-value that there is no drift.
    pub p: f64,
}

/// Drift of one configuration from `(round, value)` points: least squares of ln(value) on the round. Rounds may have
/// gaps.
///
/// Source: Draper & Smith, *Applied Regression Analysis*, 3rd ed., chapter 1.
///
/// # Errors
/// [`NoInterval`] for fewer than six points, values that are not positive and finite, all points in one round
/// ([`NoInterval::NotFinite`]), or a `level` outside (0, 1).
pub fn drift(points: &[(f64, f64)], level: f64) -> Result<Drift, NoInterval> {
    let n = points.len();
    if n < TRIALS_MIN {
        return Err(NoInterval::TooFew { n, needed: TRIALS_MIN });
    }
    let x: Vec<f64> = points.iter().map(|point| point.0).collect();
    let y = points.iter().map(|point| blocks::log(point.1)).collect::<Result<Vec<_>, _>>()?;
    let slope = sample::slope(&x, &y).ok_or(NoInterval::NotFinite)?;
    let (centre_x, centre_y) =
        (sample::mean(&x).ok_or(NoInterval::NotFinite)?, sample::mean(&y).ok_or(NoInterval::NotFinite)?);
    let residual: f64 = x.iter().zip(&y).map(|(a, b)| (b - centre_y - slope * (a - centre_x)).powi(2)).sum();
    let spread: f64 = x.iter().map(|a| (a - centre_x).powi(2)).sum();
    let freedom = (n - 2) as f64;
    let error = (residual / freedom / spread).sqrt();
    let half_width = student_two_sided(level, freedom).ok_or(NoInterval::OutOfRange)? * error;
    let slope_interval =
        Interval { estimate: slope, low: slope - half_width, high: slope + half_width, level, n }.finite()?;
    let range = x.iter().copied().fold(f64::MIN, f64::max) - x.iter().copied().fold(f64::MAX, f64::min);
    let total = Interval {
        estimate: slope * range,
        low: slope_interval.low * range,
        high: slope_interval.high * range,
        ..slope_interval
    };
    Ok(Drift { slope: slope_interval, total: total.exp()?, p: student_p(slope / error, freedom) })
}

/// Drift of a whole study from complete `rounds[round][configuration]`: the geometric mean over all configurations, one
/// value per round. Configurations differ, rounds do not, so what moves from round to round is drift.
///
/// # Errors
/// As [`drift`], and [`NoInterval::Ragged`] for incomplete rounds.
pub fn drift_over_configurations(rounds: &[Vec<f64>], level: f64) -> Result<Drift, NoInterval> {
    blocks::check(rounds, 1)?;
    let points = blocks::logs(rounds)?
        .iter()
        .enumerate()
        .map(|(round, logs)| Ok((round as f64, sample::mean(logs).ok_or(NoInterval::NotFinite)?.exp())))
        .collect::<Result<Vec<_>, NoInterval>>()?;
    drift(&points, level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    /// Expected figures: scipy 1.17.1, `scipy.stats.linregress(range(8), np.log(y))`.
    #[test]
    fn drift_matches_linregress() {
        let values = [100.0, 103.0, 101.0, 106.0, 108.0, 107.0, 111.0, 115.0];
        let points: Vec<_> = values.iter().enumerate().map(|(round, value)| (round as f64, *value)).collect();
        let outcome = drift(&points, 0.95).unwrap();
        assert_close(outcome.slope.estimate, 0.018_382_818_427_543_93, 1e-9);
        assert_close(outcome.p, 2.897_943_984e-4, 1e-7);
        assert_close(outcome.slope.low, 0.012_388_235_243_340_175, 1e-9);
    }

    #[test]
    fn steady_growth_multiplies_over_the_run() {
        let rounds: Vec<Vec<f64>> =
            (0..7).map(|round| vec![10.0 * 1.1f64.powi(round), 1.1f64.powi(round)]).collect();
        let outcome = drift_over_configurations(&rounds, 0.95).unwrap();
        assert_close(outcome.total.estimate, 1.1f64.powi(6), 1e-9);
        assert!(outcome.p < 1e-9);
    }

    #[test]
    fn one_round_over_and_over_has_no_slope() {
        assert_eq!(drift(&[(1.0, 2.0); 8], 0.95), Err(NoInterval::NotFinite));
    }

    proptest! {
        #[test]
        fn never_panics(points in proptest::collection::vec((any::<f64>(), any::<f64>()), 0..12), level in any::<f64>()) {
            let _ = drift(&points, level);
        }
    }
}
