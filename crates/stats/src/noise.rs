//! The noise floor: what the instrument calls a difference when there is none.
//!
//! Every study runs its baseline twice per round (an A/A arm). The ratio of the two should be 1; how far its interval
//! reaches from 1 is the smallest effect the study can claim, whatever the p-value says.

use crate::confidence::Confidence;
use crate::contrast::paired_ratio;
use crate::interval::{Interval, NoInterval};

/// The largest ratio (either way) that two identical arms could still differ by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoiseFloor {
    /// Outer bound of the A/A ratio's interval, as a ratio of at least 1: 1.03 means ±3 % is noise.
    pub ratio: f64,
    /// The A/A ratio's own interval. If it leaves out 1, the duplicate differs from the baseline and order or state
    /// leaks.
    pub interval: Interval,
}

/// The floor from `(baseline, duplicate)` pairs, one per round: the larger of |ln low| and |ln high| of their ratio.
///
/// # Errors
/// As [`paired_ratio`].
pub fn noise_floor(
    rounds: &[(f64, f64)],
    confidence: impl Into<Confidence>,
) -> Result<NoiseFloor, NoInterval> {
    let interval = paired_ratio(rounds, confidence)?.interval;
    Ok(NoiseFloor { ratio: interval.high.max(1.0 / interval.low), interval })
}

impl NoiseFloor {
    /// Whether a ratio lies inside the floor (its bounds included), so that no finding may be claimed from it.
    pub fn contains_effect(&self, ratio: f64) -> bool {
        (1.0 / self.ratio..=self.ratio).contains(&ratio)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;

    #[test]
    fn the_floor_is_the_outer_bound_either_way() {
        let rounds =
            [(100.0, 99.0), (101.0, 99.0), (99.0, 98.5), (100.0, 98.0), (102.0, 101.0), (100.0, 99.5)];
        let floor = noise_floor(&rounds, 0.95).unwrap();
        assert_close(floor.ratio, 1.0 / floor.interval.low, 1e-12);
        assert!(
            floor.contains_effect(1.0) && floor.contains_effect(floor.ratio) && !floor.contains_effect(1.2)
        );
        assert!(!floor.contains_effect(f64::NAN));
    }
}
