//! Many asks, one study: error rates that hold for all of them together.

/// A p-value that is not a probability.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("p-value {index} is not between 0 and 1")]
pub struct NotAProbability {
    /// Position in the input.
    pub index: usize,
}

/// Holm's step-down adjusted p-values, in the order of the input. Rejecting if the adjusted value is at most α keeps
/// the chance of *any* false rejection in the family at α, whatever the dependence between the tests.
///
/// Source: Holm, *A simple sequentially rejective multiple test procedure*, Scand. J. Statist. 1979; R's `p.adjust`.
///
/// # Errors
/// [`NotAProbability`] for NaN or a value outside [0, 1].
pub fn holm(p_values: &[f64]) -> Result<Vec<f64>, NotAProbability> {
    if let Some(index) = p_values.iter().position(|p| !(0.0..=1.0).contains(p)) {
        return Err(NotAProbability { index });
    }
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut greatest: f64 = 0.0;
    for (step, &index) in order.iter().enumerate() {
        let remaining = (p_values.len() - step) as f64;
        greatest = greatest.max((p_values[index] * remaining).min(1.0));
        adjusted[index] = greatest;
    }
    Ok(adjusted)
}

/// Level of each of `asks` intervals so that all of them cover together with probability at least `level`:
/// 1 − (1 − level)/asks. Bonferroni's inequality: exact bound under any dependence. `asks` of 0 counts as 1.
pub fn simultaneous_level(level: f64, asks: usize) -> f64 {
    1.0 - (1.0 - level) / asks.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    /// By hand: sorted 0.005·4, 0.01·3, 0.03·2, and 0.04·1 raised to the step before it.
    #[test]
    fn holm_matches_r() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]).unwrap();
        for (value, expected) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert_close(*value, expected, 1e-12);
        }
        assert_eq!(holm(&[]), Ok(vec![]));
        assert_eq!(holm(&[0.1, f64::NAN]), Err(NotAProbability { index: 1 }));
    }

    #[test]
    fn simultaneous_levels_share_the_error() {
        assert_close(simultaneous_level(0.95, 5), 0.99, 1e-12);
        assert_close(simultaneous_level(0.95, 0), 0.95, 1e-12);
    }

    proptest! {
        #[test]
        fn holm_keeps_the_order_and_never_lowers(p_values in proptest::collection::vec(0.0..=1.0f64, 0..20)) {
            let adjusted = holm(&p_values).unwrap();
            for (i, p) in p_values.iter().enumerate() {
                prop_assert!(adjusted[i] >= *p && adjusted[i] <= 1.0);
                for (j, other) in p_values.iter().enumerate() {
                    prop_assert!(p > other || adjusted[i] <= adjusted[j]);
                }
            }
        }
    }
}
