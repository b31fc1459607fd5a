//! Do the trials look like data whose t interval covers less than it says?
//!
//! With 6 to 30 trials no test settles this: what is found here deserves a warning, what is not found may still be
//! there. A slow mode that comes up one time in ten does not show at all in half of the studies of six trials, and that
//! is exactly when the interval is wrong. The simulation measures all of it; `docs/statistics.md` has the table.

use crate::interval::{NoInterval, TRIALS_MIN};
use crate::sample;

/// What the trials of one configuration look like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// Nothing that normal data do not show in 97 of 100 cases.
    Unremarkable,
    /// A long tail on one side.
    Skewed {
        /// Adjusted Fisher–Pearson skewness; positive: the tail is on the high side.
        skewness: f64,
    },
    /// Two clumps with a gap between them that is wide compared with the clumps (one far trial makes a clump of its
    /// own).
    Bimodal {
        /// Trials in the lower clump.
        lower: usize,
        /// Trials in the upper clump.
        upper: usize,
    },
}

/// Values that normal samples of n exceed with 2.5 % (|skewness|) and 1 % (gap) probability: (n, skewness, gap).
/// Simulated with numpy 2.4.6 (`default_rng(1)`, 200,000 samples or more each, `scipy.stats.skew(bias=False)`); three
/// digits hold.
const CRITICAL: [(f64, f64, f64); 9] = [
    (6.0, 1.906, 3.245),
    (7.0, 1.821, 2.323),
    (8.0, 1.738, 1.857),
    (10.0, 1.603, 1.358),
    (12.0, 1.487, 1.120),
    (15.0, 1.358, 0.916),
    (20.0, 1.193, 0.745),
    (30.0, 0.993, 0.596),
    (50.0, 0.775, 0.477),
];

/// Measured coverage of a nominal 95 % t interval of the mean: (trials, log-normal with σ = 1, two modes of which the
/// slow one comes up one time in ten). `tests/simulation.rs` holds these figures to what it measures.
pub const MEAN_COVERAGE: [(usize, f64, f64); 3] = [(6, 0.82, 0.46), (10, 0.84, 0.65), (20, 0.87, 0.87)];

/// Looks at the trials of one configuration.
///
/// Two statistics, each against its distribution under normal data: the widest gap between neighbouring values over the
/// rest of the range (first, since a clump far away is also skew), and the skewness G₁. Normal data are remarked on in
/// about 3 % of cases. Source of G₁: Joanes & Gill, *Comparing measures of sample skewness and kurtosis*, The
/// Statistician 1998.
///
/// # Errors
/// [`NoInterval`] for fewer than six values or values that are not finite.
pub fn shape(values: &[f64]) -> Result<Shape, NoInterval> {
    let n = values.len();
    if n < TRIALS_MIN {
        return Err(NoInterval::TooFew { n, needed: TRIALS_MIN });
    }
    let ascending = sample::sorted(values).ok_or(NoInterval::NotFinite)?;
    let range = ascending[n - 1] - ascending[0];
    if !range.is_finite() {
        return Err(NoInterval::NotFinite);
    }
    let (skewness_max, gap_max) = critical(n as f64);
    let gap_after = |index: usize| ascending[index + 1] - ascending[index];
    let widest = (0..n - 1).max_by(|&a, &b| gap_after(a).total_cmp(&gap_after(b))).unwrap_or(0);
    let gap = gap_after(widest);
    if range > 0.0 && gap > gap_max * (range - gap) {
        return Ok(Shape::Bimodal { lower: widest + 1, upper: n - widest - 1 });
    }
    let skewness = skewness(values).ok_or(NoInterval::NotFinite)?;
    Ok(if skewness.abs() > skewness_max { Shape::Skewed { skewness } } else { Shape::Unremarkable })
}

/// G₁ = √(n(n − 1))/(n − 2) · m₃/m₂^1.5; 0 for equal values.
fn skewness(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    let deviation = sample::standard_deviation(values)?;
    if deviation <= 0.0 {
        return Some(0.0);
    }
    let centre = sample::mean(values)?;
    // Standardised before it is cubed: cubes of large values overflow.
    let cubes: f64 = values.iter().map(|value| ((value - centre) / deviation).powi(3)).sum();
    let skewness = n / ((n - 1.0) * (n - 2.0)) * cubes;
    skewness.is_finite().then_some(skewness)
}

/// Critical skewness and gap for `n`, linear in 1/n between the table's rows; the last row's beyond it (there a gap is
/// rarer still), with the skewness falling as 1/√n.
fn critical(n: f64) -> (f64, f64) {
    let last = CRITICAL[CRITICAL.len() - 1];
    if n >= last.0 {
        return (last.1 * (last.0 / n).sqrt(), last.2);
    }
    let row = CRITICAL.iter().rposition(|row| row.0 <= n).unwrap_or(0).min(CRITICAL.len() - 2);
    let (from, to) = (CRITICAL[row], CRITICAL[row + 1]);
    let share = (1.0 / from.0 - 1.0 / n) / (1.0 / from.0 - 1.0 / to.0);
    (from.1 + share * (to.1 - from.1), from.2 + share * (to.2 - from.2))
}

impl Shape {
    /// The warning that goes with it, for `n` trials; `None` if there is nothing to warn of.
    pub fn warning(&self, n: usize) -> Option<String> {
        // The table's row for at most n trials, so the figure never flatters.
        let (trials, skewed, bimodal) =
            MEAN_COVERAGE.into_iter().rev().find(|row| row.0 <= n).unwrap_or(MEAN_COVERAGE[0]);
        match self {
            Self::Unremarkable => None,
            Self::Skewed { skewness } => Some(format!(
                "the trials are skewed (skewness {skewness:.1}): on log-normal data (\u{3c3} = 1) a 95 % t interval of \
                 {trials} trials covers the mean {:.0} % of the time; prefer the median and its interval",
                skewed * 100.0
            )),
            Self::Bimodal { lower, upper } => Some(format!(
                "the trials fall into two groups ({lower} low, {upper} high): where one trial in ten is slow, a 95 % t \
                 interval of {trials} trials covers the mean {:.0} % of the time; find out what the groups are",
                bimodal * 100.0
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    /// Expected figure: scipy 1.17.1, `scipy.stats.skew(x, bias=False)`.
    #[test]
    fn skewness_matches_scipy() {
        assert_close(skewness(&[3.1, 4.7, 2.2, 9.8, 5.5, 4.1]).unwrap(), 1.451_282_404_690_494, 1e-9);
    }

    #[test]
    fn shapes_are_told_apart() {
        assert_eq!(shape(&[9.8, 10.1, 10.0, 9.9, 10.2, 10.05]), Ok(Shape::Unremarkable));
        assert_eq!(shape(&[10.0, 10.1, 9.9, 10.0, 10.05, 50.0]), Ok(Shape::Bimodal { lower: 5, upper: 1 }));
        let skewed = shape(&[1.0, 1.1, 1.2, 1.4, 1.7, 2.1, 2.9, 3.1, 5.2, 9.9]).unwrap();
        assert!(matches!(skewed, Shape::Skewed { skewness } if skewness > 1.5));
        assert_eq!(shape(&[5.0; 6]), Ok(Shape::Unremarkable));
    }

    #[test]
    fn warnings_state_the_coverage_for_that_many_trials() {
        assert_eq!(Shape::Unremarkable.warning(6), None);
        assert!(
            Shape::Skewed { skewness: 2.0 }.warning(8).unwrap().contains("of 6 trials covers the mean 82 %")
        );
        assert!(
            Shape::Bimodal { lower: 9, upper: 1 }
                .warning(10)
                .unwrap()
                .contains("of 10 trials covers the mean 65 %")
        );
    }

    #[test]
    fn critical_values_fall_with_n() {
        for n in 6..80 {
            let (here, next) = (critical(f64::from(n)), critical(f64::from(n + 1)));
            assert!(next.0 < here.0 && next.1 <= here.1, "n = {n}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(values in proptest::collection::vec(any::<f64>(), 0..40)) {
            let _ = shape(&values);
        }

        #[test]
        fn scale_and_order_do_not_matter(values in proptest::collection::vec(0.1..100.0f64, 6..30), exponent in -20..20i32) {
            let mut changed: Vec<f64> = values.iter().map(|value| value * 2f64.powi(exponent)).collect();
            changed.sort_by(f64::total_cmp);
            let name = |v: &[f64]| std::mem::discriminant(&shape(v).unwrap());
            prop_assert_eq!(name(&values), name(&changed));
        }
    }
}
