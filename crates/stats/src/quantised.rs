//! Half-widths that can only be a constant times a power of two: the mark of an integer square root that returns those.
//!
//! Page 000 published t·2ᵏ/√3 for every confidence interval. Half-widths of real data spread evenly in log₂ (nearly so
//! over a factor of two), so their fractional parts fill the circle; quantised ones sit at one point of it.

/// Fewest half-widths to judge: three could share a factor of two by chance one time in a few thousand at best.
pub const VALUES_MIN: usize = 4;

/// How much a set of half-widths looks like `constant · 2ᵏ`.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantised {
    /// The constant, taken into 1 ≤ constant < 2, in the unit of the values.
    pub constant: f64,
    /// Each value's power of two: round(log₂(value/constant)).
    pub powers: Vec<i32>,
    /// Length of the shortest arc of the log₂ circle that holds all values; 0 is perfect, 1 the whole circle.
    pub arc: f64,
    /// Probability that as many smooth values would lie in an arc that short.
    pub probability_smooth: f64,
}

/// Measures `half_widths`. `None` for fewer than four values, for values that are not positive and finite, or when all
/// have the same power (then they are merely equal).
///
/// With n independent points on a circle of circumference 1, the probability that some arc of length a ≤ ½ holds all of
/// them is n·aⁿ⁻¹. Source: the circular range of Mardia & Jupp, *Directional Statistics*, 2000. Values that were
/// rounded for publication widen the arc, which the probability accounts for.
pub fn quantised(half_widths: &[f64]) -> Option<Quantised> {
    let n = half_widths.len();
    if n < VALUES_MIN || half_widths.iter().any(|value| !value.is_finite() || *value <= 0.0) {
        return None;
    }
    let mut turns: Vec<f64> = half_widths.iter().map(|value| value.log2().rem_euclid(1.0)).collect();
    turns.sort_by(f64::total_cmp);
    // The shortest arc that holds all points is the circle without its widest gap; it starts behind that gap.
    let gap_before = |index: usize| match index {
        0 => turns[0] + 1.0 - turns[n - 1],
        later => turns[later] - turns[later - 1],
    };
    let start = (0..n).max_by(|&a, &b| gap_before(a).total_cmp(&gap_before(b)))?;
    let arc = (1.0 - gap_before(start)).max(0.0);
    let mean_offset = turns.iter().map(|turn| (turn - turns[start]).rem_euclid(1.0)).sum::<f64>() / n as f64;
    let constant = (turns[start] + mean_offset).rem_euclid(1.0).exp2();
    let powers: Vec<i32> = half_widths.iter().map(|value| (value / constant).log2().round() as i32).collect();
    if powers.iter().all(|power| *power == powers[0]) {
        return None;
    }
    let probability_smooth = if arc <= 0.5 { (n as f64 * arc.powi(n as i32 - 1)).min(1.0) } else { 1.0 };
    Some(Quantised { constant, powers, arc, probability_smooth })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    /// Page 000: t = 4.303 (three trials, 95 %), half-width 4.303·2ᵏ/√3, printed with one decimal.
    #[test]
    fn the_integer_square_root_of_page_000_is_recognised() {
        let printed: Vec<f64> = [3, 4, 4, 5, 6, 3, 7, 5]
            .iter()
            .map(|k| (4.303 * 2f64.powi(*k) / 3f64.sqrt() * 10.0).round() / 10.0)
            .collect();
        let found = quantised(&printed).unwrap();
        assert_close(found.constant, 4.303 / 3f64.sqrt() / 2.0, 2e-3);
        assert!(found.arc < 0.01 && found.probability_smooth < 1e-12);
        assert_eq!(found.powers, [4, 5, 5, 6, 7, 4, 8, 6]);
    }

    #[test]
    fn smooth_half_widths_are_not() {
        let found = quantised(&[1.3, 4.1, 2.9, 7.7, 3.6, 1.9]).unwrap();
        assert!(found.probability_smooth > 0.05);
    }

    #[test]
    fn equal_or_few_values_say_nothing() {
        assert_eq!(quantised(&[2.0; 8]), None);
        assert_eq!(quantised(&[1.0, 2.0, 4.0]), None);
        assert_eq!(quantised(&[1.0, 2.0, 4.0, 0.0]), None);
    }

    #[test]
    fn the_seam_of_the_circle_is_no_border() {
        let found = quantised(&[0.999, 1.001, 2.0, 3.996, 8.01]).unwrap();
        assert!(found.arc < 0.01 && found.probability_smooth < 1e-6);
    }

    proptest! {
        #[test]
        fn never_panics(values in proptest::collection::vec(any::<f64>(), 0..20)) {
            if let Some(found) = quantised(&values) {
                prop_assert!((0.0..=1.0).contains(&found.probability_smooth));
            }
        }
    }
}
