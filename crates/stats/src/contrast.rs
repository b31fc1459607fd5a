//! Contrasts: how many times a treatment's response is the baseline's, paired within rounds.
//!
//! The log ratio of each round is one value of one sample, so whatever a round did to both arms (drift, a neighbour on
//! the device) cancels, and the plain t interval applies. If both arms share a shape, the log ratios are symmetric even
//! if latencies are not, which is why this interval holds its coverage on skewed data (`docs/statistics.md`).

use crate::blocks;
use crate::confidence::Confidence;
use crate::distribution::student_p;
use crate::interval::{Interval, NoInterval, are_equal_logs, level_of_equal, log_interval};
use crate::sample;

/// A ratio treatment ÷ baseline with its interval and test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// Geometric mean ratio and its t interval, both taken back from logarithms; 1 means no difference.
    pub interval: Interval,
    /// Two-sided p-value of Student's t test that the ratio is 1, with the error of the interval. For equal ratios that
    /// of the sign test, 2¹⁻ⁿ; 1 at ratio 1.
    pub p: f64,
    /// Mean natural-log ratio.
    pub log_mean: f64,
    /// Standard deviation (n − 1) of the log ratios over rounds.
    pub log_sd: f64,
    /// Factor by which dependence between rounds widens the interval: 1 for independent rounds.
    pub widened_by: f64,
}

impl Ratio {
    pub fn n(&self) -> usize {
        self.interval.n
    }

    /// Whether the interval leaves out 1.
    pub fn excludes_one(&self) -> bool {
        !self.interval.contains(1.0)
    }

    /// Standard error of the mean log ratio.
    pub(crate) fn log_error(&self) -> f64 {
        self.log_sd * self.widened_by / (self.n() as f64).sqrt()
    }

    /// Whether the ratio is the same in every round: nothing scatters that t could go by.
    pub(crate) fn is_equal_in_all(&self) -> bool {
        are_equal_logs(self.log_sd)
    }
}

/// Natural-log ratios treatment ÷ baseline, one per round, from `(baseline, treatment)` pairs.
///
/// # Errors
/// [`NoInterval::NotPositive`] or [`NoInterval::NotFinite`].
pub fn log_ratios(rounds: &[(f64, f64)]) -> Result<Vec<f64>, NoInterval> {
    rounds.iter().map(|&(baseline, treatment)| Ok(blocks::log(treatment)? - blocks::log(baseline)?)).collect()
}

/// The contrast of `(baseline, treatment)` pairs, one pair per round, with this confidence: a level, if rounds are
/// independent.
///
/// Source: paired t on log ratios; Senn, *Cross-over Trials in Clinical Research*, 2nd ed., chapter 3.
///
/// # Errors
/// [`NoInterval`] for fewer than six rounds, values that are not positive and finite, or a `level` outside (0, 1).
pub fn paired_ratio(rounds: &[(f64, f64)], confidence: impl Into<Confidence>) -> Result<Ratio, NoInterval> {
    ratio_of_logs(&log_ratios(rounds)?, confidence)
}

/// The contrast from natural-log ratios, one per round: for main effects, after [`mean_over_cells`].
///
/// # Errors
/// As [`paired_ratio`].
pub fn ratio_of_logs(log_ratios: &[f64], confidence: impl Into<Confidence>) -> Result<Ratio, NoInterval> {
    let confidence = confidence.into();
    let log_interval = log_interval(log_ratios, confidence)?;
    let log_sd = sample::standard_deviation(log_ratios).ok_or(NoInterval::NotFinite)?;
    let n = log_ratios.len() as f64;
    let widened_by = confidence.widening(log_ratios.len());
    let p = if !are_equal_logs(log_sd) {
        student_p(log_interval.estimate / (widened_by * log_sd / n.sqrt()), n - 1.0)
    } else if are_equal_logs(log_interval.estimate.abs()) {
        1.0
    } else {
        1.0 - level_of_equal(log_ratios.len())
    };
    Ok(Ratio { interval: log_interval.exp()?, p, log_mean: log_interval.estimate, log_sd, widened_by })
}

/// The main effect of a factor: averages `rounds[round][cell]` of log ratios over the other factors' cells within each
/// round, which leaves one value per round, so n stays the number of rounds.
///
/// # Errors
/// [`NoInterval::Ragged`] when a round lacks a cell, [`NoInterval::TooFewColumns`] without cells,
/// [`NoInterval::NotFinite`].
pub fn mean_over_cells(rounds: &[Vec<f64>]) -> Result<Vec<f64>, NoInterval> {
    let cells = rounds.first().map_or(0, Vec::len);
    if rounds.iter().any(|row| row.len() != cells) {
        return Err(NoInterval::Ragged);
    }
    if cells == 0 {
        return Err(NoInterval::TooFewColumns { n: 0, needed: 1 });
    }
    rounds.iter().map(|row| sample::mean(row).ok_or(NoInterval::NotFinite)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    const ROUNDS: [(f64, f64); 6] =
        [(100.0, 121.0), (103.0, 118.0), (98.0, 119.0), (110.0, 125.0), (105.0, 131.0), (99.0, 113.0)];

    /// Expected figures: scipy 1.17.1, `ttest_1samp(log(treatment/baseline), 0)` and `np.exp` of its interval.
    #[test]
    fn paired_ratio_matches_scipy() {
        let ratio = paired_ratio(&ROUNDS, 0.95).unwrap();
        assert_close(ratio.interval.estimate, 1.181_768_116_222_51, 1e-9);
        assert_close(ratio.interval.low, 1.133_362_732_294_217, 1e-9);
        assert_close(ratio.interval.high, 1.232_240_871_104_946, 1e-9);
        assert_close(ratio.p, 1.507_628_778e-4, 1e-6);
        assert!(ratio.excludes_one());
    }

    #[test]
    fn equal_arms_are_no_difference_and_a_constant_factor_is_as_sure_as_its_rounds() {
        let same = paired_ratio(&[(5.0, 5.0); 6], 0.95).unwrap();
        assert_close(same.p, 1.0, 0.0);
        assert!(!same.excludes_one());
        let twice = paired_ratio(&[(4.0, 8.0); 6], 0.95).unwrap();
        assert_close(twice.interval.low, 2.0, 1e-12);
        assert_close(twice.p, 1.0 / 32.0, 1e-12);
    }

    #[test]
    fn zero_and_negative_values_have_no_ratio() {
        assert_eq!(paired_ratio(&[(0.0, 1.0); 6], 0.95), Err(NoInterval::NotPositive));
        assert_eq!(paired_ratio(&[(1.0, -1.0); 6], 0.95), Err(NoInterval::NotPositive));
        assert_eq!(paired_ratio(&[(1.0, f64::NAN); 6], 0.95), Err(NoInterval::NotFinite));
    }

    #[test]
    fn cells_are_averaged_within_a_round() {
        assert_eq!(mean_over_cells(&[vec![1.0, 3.0], vec![2.0, 4.0]]), Ok(vec![2.0, 3.0]));
        assert_eq!(mean_over_cells(&[vec![1.0], vec![]]), Err(NoInterval::Ragged));
    }

    proptest! {
        #[test]
        fn swapping_arms_inverts_the_ratio(rounds in proptest::collection::vec((0.1..100.0f64, 0.1..100.0f64), 6..20)) {
            let forward = paired_ratio(&rounds, 0.95).unwrap();
            let swapped: Vec<_> = rounds.iter().map(|&(a, b)| (b, a)).collect();
            let backward = paired_ratio(&swapped, 0.95).unwrap();
            prop_assert!((forward.interval.low * backward.interval.high - 1.0).abs() < 1e-9);
            prop_assert!((forward.p - backward.p).abs() < 1e-9);
        }

        #[test]
        fn never_panics(rounds in proptest::collection::vec((any::<f64>(), any::<f64>()), 0..20), level in any::<f64>()) {
            if let Ok(ratio) = paired_ratio(&rounds, level) {
                prop_assert!(ratio.interval.contains(ratio.interval.estimate));
                prop_assert!((0.0..=1.0).contains(&ratio.p));
            }
        }
    }
}
