//! Outliers are marked, never dropped.

use crate::interval::{NoInterval, TRIALS_MIN};
use crate::sample;

/// Modified z-score from which a trial is marked.
pub const SCORE_MAX: f64 = 3.5;

/// Modified z-scores 0.6745·(x − median)/MAD, signed. If more than half of the values are equal the MAD is zero, and
/// the mean absolute deviation takes its place: (x − median)/(1.2533·mean deviation). All zero for equal values.
///
/// Sources: Iglewicz & Hoaglin, *How to Detect and Handle Outliers*, 1993; the replacement as in IBM SPSS's
/// documentation.
///
/// # Errors
/// [`NoInterval`] for fewer than six values or values that are not finite.
pub fn modified_z_scores(values: &[f64]) -> Result<Vec<f64>, NoInterval> {
    if values.len() < TRIALS_MIN {
        return Err(NoInterval::TooFew { n: values.len(), needed: TRIALS_MIN });
    }
    let centre = sample::median(values).ok_or(NoInterval::NotFinite)?;
    let deviations: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    let median_deviation = sample::median(&deviations).ok_or(NoInterval::NotFinite)?;
    let scale = if median_deviation > 0.0 {
        median_deviation / 0.6745
    } else {
        1.253_314 * sample::mean(&deviations).ok_or(NoInterval::NotFinite)?
    };
    let score = |value: &f64| if scale > 0.0 { (value - centre) / scale } else { 0.0 };
    Ok(values.iter().map(score).collect())
}

/// Whether each value's modified z-score exceeds [`SCORE_MAX`], in input order.
///
/// # Errors
/// As [`modified_z_scores`].
pub fn outliers(values: &[f64]) -> Result<Vec<bool>, NoInterval> {
    Ok(modified_z_scores(values)?.iter().map(|score| score.abs() > SCORE_MAX).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    #[test]
    fn the_far_value_is_marked_and_only_that() {
        let marks = outliers(&[10.0, 10.2, 9.9, 10.1, 30.0, 10.0]).unwrap();
        assert_eq!(marks, [false, false, false, false, true, false]);
    }

    /// Median 10.05 and MAD 0.1 by hand: 0.6745 · 19.95 / 0.1.
    #[test]
    fn scores_follow_the_definition() {
        let scores = modified_z_scores(&[10.0, 10.2, 9.9, 10.1, 30.0, 10.0]).unwrap();
        assert_close(scores[4], 0.6745 * 19.95 / 0.1, 1e-9);
    }

    #[test]
    fn a_majority_of_equal_values_does_not_hide_the_odd_one() {
        let mut values = [5.0; 20];
        values[7] = 6.0;
        assert!(outliers(&values).unwrap()[7]);
        assert_eq!(outliers(&[5.0; 6]), Ok(vec![false; 6]));
    }

    proptest! {
        #[test]
        fn never_panics(values in proptest::collection::vec(any::<f64>(), 0..20)) {
            let _ = outliers(&values);
        }

        #[test]
        fn order_does_not_matter(mut values in proptest::collection::vec(0.0..10.0f64, 6..20)) {
            let count = |v: &[f64]| outliers(v).unwrap().iter().filter(|mark| **mark).count();
            let before = count(&values);
            values.reverse();
            prop_assert_eq!(before, count(&values));
        }
    }
}
