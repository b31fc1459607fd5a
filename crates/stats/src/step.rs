//! A step: a response that changes its level once in the course of a run, as a volume does whose credits are used up.

use crate::blocks;
use crate::distribution::student_p;
use crate::interval::{NoInterval, TRIALS_MIN};
use crate::sample;

/// Values on either side of a step, at least: one alone is an outlier.
const SIDE_MIN: usize = 2;

/// Sums of equal logarithms differ by this much at most.
const ROUNDING: f64 = 1e-12;

/// The most likely step in a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Index of the first value after it.
    pub at: usize,
    /// Geometric mean after it ÷ geometric mean before it.
    pub ratio: f64,
    /// Two-sided p-value that there is none, adjusted for the places that were looked at (Bonferroni).
    pub p: f64,
}

/// The place at which a series of positive values in time order differs most before and after: Student's t of two
/// samples on logarithms at every place, and the smallest p-value.
///
/// Source: Worsley, *On the Likelihood Ratio Test for a Shift in Location of Normal Populations*, JASA 74 (1979), with
/// Bonferroni's bound for its distribution.
///
/// # Errors
/// [`NoInterval`] for fewer than six values, or values that are not positive and finite.
pub fn step(series: &[f64]) -> Result<Step, NoInterval> {
    let n = series.len();
    if n < TRIALS_MIN {
        return Err(NoInterval::TooFew { n, needed: TRIALS_MIN });
    }
    let logs = series.iter().map(|value| blocks::log(*value)).collect::<Result<Vec<_>, _>>()?;
    let places = SIDE_MIN..=n - SIDE_MIN;
    let tried = places.clone().count() as f64;
    let found = places.filter_map(|at| Some((at, split(&logs, at)?)));
    let (at, (difference, p)) = found.min_by(|a, b| a.1.1.total_cmp(&b.1.1)).ok_or(NoInterval::NotFinite)?;
    Ok(Step { at, ratio: difference.exp(), p: (p * tried).min(1.0) })
}

/// Difference of the means after and before a place, and its p-value.
fn split(logs: &[f64], at: usize) -> Option<(f64, f64)> {
    let (before, after) = logs.split_at(at);
    let (mean_before, mean_after) = (sample::mean(before)?, sample::mean(after)?);
    let residual = |values: &[f64], mean: f64| values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    let freedom = (logs.len() - 2) as f64;
    let variance = (residual(before, mean_before) + residual(after, mean_after)) / freedom;
    let error = (variance * (1.0 / before.len() as f64 + 1.0 / after.len() as f64)).sqrt();
    let difference = mean_after - mean_before;
    if difference.abs() < ROUNDING {
        return Some((0.0, 1.0));
    }
    Some((difference, if error > 0.0 { student_p(difference / error, freedom) } else { 0.0 }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand_xoshiro::SplitMix64;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    #[test]
    fn a_volume_whose_credits_are_used_up_takes_a_step() {
        let found = step(&[3000.0, 3010.0, 2990.0, 3005.0, 3000.0, 301.0, 300.0, 299.0]).unwrap();
        assert_eq!(found.at, 5);
        assert!((found.ratio - 0.1).abs() < 0.01 && found.p < 1e-6, "{found:?}");
    }

    #[test]
    fn a_level_series_has_none() {
        assert_eq!(step(&[7.0; 8]).map(|found| found.p), Ok(1.0));
        assert_eq!(step(&[1.0; 5]), Err(NoInterval::TooFew { n: 5, needed: TRIALS_MIN }));
        assert_eq!(step(&[1.0, 1.0, 0.0, 1.0, 1.0, 1.0]), Err(NoInterval::NotPositive));
    }

    /// For series without a step at most one in twenty seems to have one.
    #[test]
    fn chance_seldom_looks_like_a_step() {
        let mut random = SplitMix64::seed_from_u64(7);
        // A sum of twelve uniform figures is close to normal.
        let mut normal =
            || (0..12).map(|_| (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64).sum::<f64>() - 6.0;
        for n in [6, 10, 20] {
            let series = |_: u32| (0..n).map(|_| (0.05 * normal()).exp()).collect::<Vec<f64>>();
            let found = (0..2000).map(series).filter(|series| step(series).unwrap().p < 0.05).count();
            assert!(found <= 120, "{found} of 2000 at n = {n}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(series in proptest::collection::vec(any::<f64>(), 0..12)) {
            let _ = step(&series);
        }
    }
}
