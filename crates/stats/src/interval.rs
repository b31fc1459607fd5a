//! Confidence intervals for the mean and the median of one configuration's trials.

use crate::confidence::Confidence;
use crate::distribution::student_two_sided;
use crate::sample;

/// Fewest trials that get an interval. With five, the widest order-statistic interval of the median reaches 93.75 %
/// only.
pub const TRIALS_MIN: usize = 6;

/// Values whose deviation is below this part of them are equal: what is left is the rounding of sums.
const ROUNDING: f64 = 1e-12;

/// An estimate and the interval that covers the true value with probability `level`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Point estimate, in the unit of the values (or a plain ratio).
    pub estimate: f64,
    /// Lower bound, same unit.
    pub low: f64,
    /// Upper bound, same unit.
    pub high: f64,
    /// Coverage probability, exact if the method has a discrete one: 0.95, or 0.979 for a median of 10 trials. For
    /// equal values it may be less than was requested ([`mean_interval`]).
    pub level: f64,
    /// Trials (or rounds) behind it, never operations.
    pub n: usize,
}

/// Why there is no interval.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum NoInterval {
    /// Fewer trials or rounds than the method needs.
    #[error("{n} {}, an interval needs {needed}", if *.n == 1 { "trial" } else { "trials" })]
    TooFew { n: usize, needed: usize },
    /// Fewer levels, cells or arms than the question needs.
    #[error("{n} of the {needed} levels that the question needs")]
    TooFewColumns { n: usize, needed: usize },
    /// A value is NaN or infinite, or so large that the arithmetic overflows.
    #[error("a value is not a finite number")]
    NotFinite,
    /// Ratios and logarithms need values above zero.
    #[error("a value is not above zero, as a ratio needs it")]
    NotPositive,
    /// Rounds of different length, or as many levels as columns were expected.
    #[error("the rounds are not complete: every round needs one value for every level")]
    Ragged,
    /// Numeric levels must rise from column to column.
    #[error("the levels of the factor do not increase from one column to the next")]
    LevelsNotIncreasing,
    /// A confidence level, alpha, margin, limit or tolerance lies outside its range.
    #[error(
        "a confidence level must lie between 0 and 1, a margin above 1, and neither may leave its tail empty"
    )]
    OutOfRange,
}

impl Interval {
    /// Half the distance between the bounds, in the unit of the values.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Whether `value` lies between the bounds (bounds included).
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Whether the interval has the confidence that was requested: one of equal values may not ([`mean_interval`]), and
    /// proves nothing then.
    pub fn reaches(&self, level: f64) -> bool {
        self.level >= level
    }

    /// The interval of `exp(x)` from the interval of `x`: logarithm to ratio.
    pub(crate) fn exp(self) -> Result<Self, NoInterval> {
        Self { estimate: self.estimate.exp(), low: self.low.exp(), high: self.high.exp(), ..self }.finite()
    }

    /// Refuses bounds that overflowed.
    pub(crate) fn finite(self) -> Result<Self, NoInterval> {
        if self.estimate.is_finite() && self.low.is_finite() && self.high.is_finite() {
            Ok(self)
        } else {
            Err(NoInterval::NotFinite)
        }
    }
}

/// Student's t interval for the mean: mean ± t(n − 1)·s/√n. Needs [`TRIALS_MIN`] values.
///
/// Equal values have no scatter for t to use, and would give an interval of zero width at any level. They show what
/// order statistics show: with all n trials at one point the median is there with confidence 1 − 2¹⁻ⁿ. If that is less
/// than `level`, it is the interval's level (n = 6: 96.9 %). Source: Student, *The probable error of a mean*,
/// Biometrika 1908; NIST/SEMATECH e-Handbook 1.3.5.2; for equal values as [`median_interval`].
///
/// # Errors
/// [`NoInterval`] for fewer values, values that are not finite, or a `level` outside (0, 1).
pub fn mean_interval(values: &[f64], level: f64) -> Result<Interval, NoInterval> {
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    t_interval(values, level.into(), ROUNDING * largest)
}

/// The same of natural logarithms: of ratios that are equal the logarithms differ by the rounding of their terms,
/// whatever they are themselves. They are one per round, and the interval is widened for rounds that depend on each
/// other.
pub(crate) fn log_interval(logs: &[f64], confidence: impl Into<Confidence>) -> Result<Interval, NoInterval> {
    t_interval(logs, confidence.into(), ROUNDING)
}

/// Whether logarithms with this standard deviation are equal but for rounding.
pub(crate) fn are_equal_logs(deviation: f64) -> bool {
    deviation <= ROUNDING
}

/// Confidence with which `n` equal values hold the median: it is missed if all lie above it, or all below.
pub(crate) fn level_of_equal(n: usize) -> f64 {
    1.0 - 0.5_f64.powf(n as f64 - 1.0)
}

fn t_interval(values: &[f64], confidence: Confidence, negligible: f64) -> Result<Interval, NoInterval> {
    if values.len() < TRIALS_MIN {
        return Err(NoInterval::TooFew { n: values.len(), needed: TRIALS_MIN });
    }
    let (n, level) = (values.len(), confidence.level);
    let estimate = sample::mean(values).ok_or(NoInterval::NotFinite)?;
    let deviation = sample::standard_deviation(values).ok_or(NoInterval::NotFinite)?;
    let multiplier = student_two_sided(level, (n - 1) as f64).ok_or(NoInterval::OutOfRange)?;
    if deviation <= negligible {
        let level = level.min(level_of_equal(n));
        return Interval { estimate, low: estimate, high: estimate, level, n }.finite();
    }
    let half_width = multiplier * deviation * confidence.widening(n) / (n as f64).sqrt();
    Interval { estimate, low: estimate - half_width, high: estimate + half_width, level, n }.finite()
}

/// Order-statistic interval for the median: from the k-th smallest to the k-th largest value, with the greatest k whose
/// exact level, 1 − 2·P(Binomial(n, ½) < k), is at least 95 %. Valid for every continuous distribution.
///
/// Source: Conover, *Practical Nonparametric Statistics*, 3rd ed., section 3.2; n = 6 gives 96.9 %, n = 10 gives 97.9
/// %.
///
/// # Errors
/// [`NoInterval`] for fewer than [`TRIALS_MIN`] values or values that are not finite.
pub fn median_interval(values: &[f64]) -> Result<Interval, NoInterval> {
    let n = values.len();
    if n < TRIALS_MIN {
        return Err(NoInterval::TooFew { n, needed: TRIALS_MIN });
    }
    let ascending = sample::sorted(values).ok_or(NoInterval::NotFinite)?;
    let (rank, level) = median_rank(n);
    let estimate = sample::quantile_of_sorted(&ascending, 0.5).ok_or(NoInterval::NotFinite)?;
    Interval { estimate, low: ascending[rank - 1], high: ascending[n - rank], level, n }.finite()
}

/// Greatest rank k (from 1) whose symmetric order-statistic interval has a level of at least 95 %, and that level.
fn median_rank(n: usize) -> (usize, f64) {
    // Binomial(n, ½) by its recurrence in logarithms: 2⁻ⁿ itself underflows from n = 1075.
    let mut log_mass = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = log_mass.exp();
    let (mut rank, mut level) = (1, 1.0 - 2.0 * tail);
    for successes in 1..n / 2 {
        log_mass += ((n - successes + 1) as f64 / successes as f64).ln();
        tail += log_mass.exp();
        let wider_level = 1.0 - 2.0 * tail;
        if wider_level < 0.95 {
            break;
        }
        (rank, level) = (successes + 1, wider_level);
    }
    (rank, level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    /// Expected figures: scipy 1.17.1, `scipy.stats.t.interval(0.95, 5, mean, sem)`.
    #[test]
    fn mean_interval_matches_scipy() {
        let interval = mean_interval(&[3.1, 4.7, 2.2, 9.8, 5.5, 4.1], 0.95).unwrap();
        assert_close(interval.estimate, 4.9, 1e-12);
        assert_close(interval.low, 2.100_543_142_891_43, 1e-8);
        assert_close(interval.high, 7.699_456_857_108_569, 1e-8);
    }

    /// "At least 100 % (99.85 % level)" came from a t interval of six equal values.
    #[test]
    fn equal_values_have_the_confidence_of_order_statistics_and_no_more() {
        for (n, level) in [(6, 0.968_75), (10, 0.998_046_875)] {
            for value in [1.0, 0.1, 3.3e-7, 0.0] {
                let interval = mean_interval(&vec![value; n], 0.9999).unwrap();
                assert_close(interval.level, level, 1e-12);
                assert_close(interval.low, interval.high, 0.0);
                assert!(!interval.reaches(0.9999) && interval.reaches(0.95));
            }
            assert_close(mean_interval(&vec![1.0; n], 0.95).unwrap().level, 0.95, 1e-12);
            assert_close(log_interval(&vec![1.0 + 1e-16; n], 0.9999).unwrap().level, level, 1e-12);
        }
    }

    #[test]
    fn too_few_trials_are_named() {
        let reason = mean_interval(&[1.0, 2.0, 3.0, 4.0], 0.95).unwrap_err();
        assert_eq!(reason.to_string(), "4 trials, an interval needs 6");
        assert_eq!(median_interval(&[1.0]).unwrap_err().to_string(), "1 trial, an interval needs 6");
    }

    #[test]
    fn levels_outside_their_range_are_refused() {
        for level in [0.0, 1.0, -0.1, 1.5, f64::NAN, f64::INFINITY] {
            assert_eq!(mean_interval(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], level), Err(NoInterval::OutOfRange));
        }
    }

    /// Expected figures: scipy 1.17.1, the greatest k whose `1 - 2*scipy.stats.binom.cdf(k-1, n, 0.5)` is at least
    /// 0.95.
    #[test]
    fn median_ranks_match_scipy() {
        for (n, rank, level) in
            [(6, 1, 0.968_75), (8, 1, 0.992_187_5), (10, 2, 0.978_515_625), (20, 6, 0.958_610_534_667_968_8)]
        {
            let (k, exact) = median_rank(n);
            assert_eq!(k, rank, "n = {n}");
            assert_close(exact, level, 1e-12);
        }
        assert_eq!(median_rank(10_000).0, 4902);
    }

    #[test]
    fn median_interval_of_six_is_the_range() {
        let interval = median_interval(&[5.0, 1.0, 4.0, 2.0, 6.0, 3.0]).unwrap();
        assert_close(interval.low, 1.0, 0.0);
        assert_close(interval.high, 6.0, 0.0);
        assert_close(interval.estimate, 3.5, 1e-12);
    }

    proptest! {
        #[test]
        fn never_panics(values in proptest::collection::vec(any::<f64>(), 0..40), level in any::<f64>()) {
            if let Ok(interval) = mean_interval(&values, level) {
                prop_assert!(interval.contains(interval.estimate));
            }
            if let Ok(interval) = median_interval(&values) {
                prop_assert!(interval.contains(interval.estimate) && interval.level >= 0.95);
            }
        }

        #[test]
        fn scale_and_order_do_not_matter(values in proptest::collection::vec(0.1..100.0f64, 6..40), scale in 0.01..100.0f64) {
            let base = mean_interval(&values, 0.95).unwrap();
            let mut changed: Vec<f64> = values.iter().map(|value| value * scale).collect();
            changed.reverse();
            let scaled = mean_interval(&changed, 0.95).unwrap();
            prop_assert!((scaled.low - base.low * scale).abs() <= 1e-9 * scale * base.estimate);
            prop_assert!((scaled.high - base.high * scale).abs() <= 1e-9 * scale * base.estimate);
            let median = median_interval(&values).unwrap();
            let scaled_median = median_interval(&changed).unwrap();
            prop_assert!((scaled_median.low - median.low * scale).abs() <= 1e-9 * scale * median.low);
        }
    }
}
