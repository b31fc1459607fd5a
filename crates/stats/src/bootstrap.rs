//! Resampling: bands around curves.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::distribution::normal_quantile;
use crate::interval::{Interval, NoInterval, TRIALS_MIN};
use crate::sample;

/// Fewest resamples: at level 0.95 each tail then holds 25 of them.
pub const RESAMPLES_MIN: usize = 1000;

/// Resamples of trials, drawn once for every curve of as many trials: how often each has each of them.
#[derive(Clone, Debug)]
pub struct Resamples {
    trials: usize,
    /// One resample after another.
    times: Vec<f64>,
}

impl Resamples {
    /// Draws that many; the same `seed` draws the same.
    ///
    /// # Errors
    /// [`NoInterval`] for fewer than six trials or fewer than [`RESAMPLES_MIN`] resamples.
    pub fn draw(trials: usize, resamples: usize, seed: u64) -> Result<Self, NoInterval> {
        if trials < TRIALS_MIN {
            return Err(NoInterval::TooFew { n: trials, needed: TRIALS_MIN });
        }
        tail_quantile(0.95, resamples)?;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut times = vec![0.0; trials * resamples];
        for resample in times.chunks_exact_mut(trials) {
            for _ in 0..trials {
                resample[index_below(&mut random, trials)] += 1.0;
            }
        }
        Ok(Self { trials, times })
    }

    /// Trials that each resample draws from.
    pub fn trials(&self) -> usize {
        self.trials
    }
}

/// Pointwise band around a curve that is the mean of the trials' curves, from `trials[trial][grid point]`.
///
/// # Errors
/// As [`Resamples::draw`] and [`band`], and [`NoInterval::Ragged`] when the curves differ in length.
pub fn mean_curve_band(
    trials: &[Vec<f64>],
    level: f64,
    resamples: usize,
    seed: u64,
) -> Result<Vec<Interval>, NoInterval> {
    let points = trials.first().map_or(0, Vec::len);
    if trials.iter().any(|curve| curve.len() != points) {
        return Err(NoInterval::Ragged);
    }
    let mean_curve = |times: &[f64]| -> Vec<f64> {
        let drawn: f64 = times.iter().sum();
        let sum_at =
            |point: usize| trials.iter().zip(times).map(|(trial, times)| times * trial[point]).sum::<f64>();
        (0..points).map(|point| sum_at(point) / drawn).collect()
    };
    band(&Resamples::draw(trials.len(), resamples, seed)?, mean_curve, level)
}

/// Pointwise percentile band around a curve of whole trials: `curve` gets how often a resample has each trial and
/// returns the curve on the caller's grid, e.g. the quantiles of those trials' merged histograms.
///
/// The band is pointwise, and with few trials narrower than it says: at n = 6 a nominal 95 % covers the mean of normal
/// data about 85 % of the time (`docs/statistics.md`). It is a picture of the spread, findings do not rest on it.
///
/// Source: Efron & Tibshirani, *An Introduction to the Bootstrap*, 1993, section 13.3.
///
/// # Errors
/// [`NoInterval`] for a `level` outside (0, 1), curves of varying length or values that are not finite.
pub fn band(
    resamples: &Resamples,
    mut curve: impl FnMut(&[f64]) -> Vec<f64>,
    level: f64,
) -> Result<Vec<Interval>, NoInterval> {
    let trials = resamples.trials;
    let count = resamples.times.len() / trials;
    tail_quantile(level, count)?;
    let estimate = curve(&vec![1.0; trials]);
    let mut replicates = vec![Vec::with_capacity(count); estimate.len()];
    for times in resamples.times.chunks_exact(trials) {
        let values = curve(times);
        if values.len() != estimate.len() {
            return Err(NoInterval::Ragged);
        }
        replicates.iter_mut().zip(values).for_each(|(point, value)| point.push(value));
    }
    let tail = (1.0 - level) / 2.0;
    estimate
        .iter()
        .zip(&mut replicates)
        .map(|(&estimate, point)| {
            let mut quantile = |q| sample::quantile_by_selection(point, q).ok_or(NoInterval::NotFinite);
            let (low, high) = (quantile(tail)?.min(estimate), quantile(1.0 - tail)?.max(estimate));
            Interval { estimate, low, high, level, n: trials }.finite()
        })
        .collect()
}

fn tail_quantile(level: f64, resamples: usize) -> Result<f64, NoInterval> {
    if !(level > 0.0 && level < 1.0) || resamples < RESAMPLES_MIN {
        return Err(NoInterval::OutOfRange);
    }
    normal_quantile(1.0 - (1.0 - level) / 2.0).ok_or(NoInterval::OutOfRange)
}

/// Uniform index below `bound` by multiply-shift; its bias of bound/2⁶⁴ is far below any resampling error.
fn index_below(random: &mut Xoshiro256PlusPlus, bound: usize) -> usize {
    ((u128::from(random.next_u64()) * bound as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    #[test]
    fn a_band_surrounds_its_curve() {
        let trials: Vec<Vec<f64>> = (0..8).map(|i| vec![f64::from(i), 10.0, 2.0 * f64::from(i)]).collect();
        let found = mean_curve_band(&trials, 0.95, 1000, 3).unwrap();
        assert_close(found[0].estimate, 3.5, 1e-12);
        assert!(found[0].low < 2.5 && found[0].high > 4.5);
        assert_close(found[1].half_width(), 0.0, 0.0);
        assert_close(found[2].high, 2.0 * found[0].high, 1e-12);
        assert_eq!(mean_curve_band(&[vec![1.0], vec![]], 0.95, 1000, 3), Err(NoInterval::Ragged));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn never_panics(values in proptest::collection::vec(any::<f64>(), 0..30), level in any::<f64>()) {
            if let Ok(resamples) = Resamples::draw(values.len(), 1000, 1) {
                let _ = band(&resamples, |times| times.iter().zip(&values).map(|(a, b)| a * b).collect(), level);
            }
        }
    }
}
