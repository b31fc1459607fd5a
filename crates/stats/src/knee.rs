//! The knee: the smallest level that already gives (nearly) all there is.

use crate::Better;
use crate::blocks;
use crate::confidence::Confidence;
use crate::contrast::{Ratio, ratio_of_logs};
use crate::interval::NoInterval;
use crate::rounds::{fewest, would_reach};

/// How far below the peak still counts as "all there is": 5 %.
pub const KNEE_TOLERANCE: f64 = 0.05;

/// The smallest level from which on, up to the peak, every one is proven to be within the tolerance of the peak.
#[derive(Debug, Clone, PartialEq)]
pub struct Knee {
    /// Column and level of the knee.
    pub column: usize,
    /// Its level, in the factor's unit.
    pub level: f64,
    /// Column of the best mean.
    pub peak_column: usize,
    /// Its level, in the factor's unit.
    pub peak_level: f64,
    /// Goodness of each column relative to the peak (1 = as good), paired by round; exactly 1 for the peak itself.
    pub relative: Vec<Ratio>,
    /// The peak is the last level, so the response may still be improving beyond the range: the knee is a lower bound.
    pub peak_at_edge: bool,
}

/// Finds the knee of `rounds[round][column]` (positive responses) over `levels[column]`: going down from the peak, the
/// last level whose ratio to it, paired by round, has a lower bound of at least 1 − `tolerance` with this confidence
/// (two-sided).
///
/// The order is fixed before the data are seen and the search ends at the first level that is not proven, so that all
/// claims together err as often as one, however many levels there are (fixed-sequence testing; Maurer, Hothorn &
/// Lehmacher 1995). Looking for the smallest proven level anywhere would have a chance at each of them.
///
/// The peak is chosen from the same data, which flatters it a little; the knee can only come out larger for that.
///
/// # Errors
/// [`NoInterval`] as [`crate::trend::trend`]; also for a `tolerance` outside (0, 1) or a `level` outside (0, 1).
pub fn knee(
    levels: &[f64],
    rounds: &[Vec<f64>],
    better: Better,
    tolerance: f64,
    confidence: impl Into<Confidence>,
) -> Result<Knee, NoInterval> {
    let confidence = confidence.into();
    if !(tolerance > 0.0 && tolerance < 1.0) {
        return Err(NoInterval::OutOfRange);
    }
    let columns = blocks::check(rounds, 2)?;
    blocks::log2_levels(levels, columns)?;
    let mut goodness = blocks::logs(rounds)?;
    goodness.iter_mut().flatten().for_each(|value| *value *= better.sign());
    let peak_column =
        blocks::index_of_greatest(&blocks::column_means(&goodness)).ok_or(NoInterval::NotFinite)?;
    let relative = (0..columns)
        .map(|column| ratio_of_logs(&blocks::difference(&goodness, column, peak_column), confidence))
        .collect::<Result<Vec<_>, _>>()?;
    let is_near = |column: &usize| {
        let found = &relative[*column].interval;
        found.reaches(confidence.level) && found.low >= 1.0 - tolerance
    };
    let column = (0..peak_column).rev().take_while(is_near).last().unwrap_or(peak_column);
    Ok(Knee {
        column,
        level: levels[column],
        peak_column,
        peak_level: levels[peak_column],
        relative,
        peak_at_edge: peak_column + 1 == columns,
    })
}

impl Knee {
    /// Rounds in all that would prove a level below this one to be within `tolerance` of the peak too, with this
    /// confidence; `None` if no such level seems to be, or none that a realistic number of rounds would prove.
    pub fn rounds_to_lower(&self, tolerance: f64, confidence: impl Into<Confidence>) -> Option<usize> {
        let confidence = confidence.into();
        let bound = (1.0 - tolerance).ln();
        let below = self.column.checked_sub(1).and_then(|column| self.relative.get(column))?;
        fewest(below.n(), |n| would_reach(below.log_mean - bound, below.log_sd, confidence, n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rounds(curve: [f64; 5]) -> Vec<Vec<f64>> {
        [0.99, 1.0, 1.01, 0.995, 1.005, 1.0]
            .iter()
            .enumerate()
            .map(|(round, noise)| {
                curve
                    .iter()
                    .enumerate()
                    .map(|(column, v)| if (round + column) % 2 == 0 { v * noise } else { *v })
                    .collect()
            })
            .collect()
    }

    const LEVELS: [f64; 5] = [1.0, 2.0, 4.0, 8.0, 16.0];

    #[test]
    fn throughput_saturates_at_the_knee() {
        let found =
            knee(&LEVELS, &rounds([10.0, 19.0, 35.0, 39.5, 40.0]), Better::Higher, KNEE_TOLERANCE, 0.95)
                .unwrap();
        assert_eq!((found.column, found.peak_column, found.peak_at_edge), (3, 4, true));
    }

    #[test]
    fn latency_is_best_where_it_is_lowest() {
        let found =
            knee(&LEVELS, &rounds([9.0, 5.0, 4.0, 4.05, 6.0]), Better::Lower, KNEE_TOLERANCE, 0.95).unwrap();
        assert_eq!((found.column, found.peak_column, found.peak_at_edge), (2, 2, false));
    }

    #[test]
    fn a_dip_before_the_peak_ends_the_search() {
        let found =
            knee(&LEVELS, &rounds([39.8, 30.0, 39.7, 39.9, 40.0]), Better::Higher, KNEE_TOLERANCE, 0.95)
                .unwrap();
        assert_eq!(found.column, 2);
        assert_eq!(found.rounds_to_lower(KNEE_TOLERANCE, 0.95), None);
    }

    proptest! {
        #[test]
        fn the_knee_is_never_beyond_the_peak(curve in proptest::array::uniform5(1.0..100.0f64)) {
            let found = knee(&LEVELS, &rounds(curve), Better::Higher, KNEE_TOLERANCE, 0.95).unwrap();
            prop_assert!(found.column <= found.peak_column);
        }

        #[test]
        fn never_panics(values in proptest::collection::vec(any::<f64>(), 0..40), tolerance in any::<f64>()) {
            let table: Vec<Vec<f64>> = values.chunks(5).map(<[f64]>::to_vec).collect();
            let _ = knee(&LEVELS, &table, Better::Lower, tolerance, 0.95);
        }
    }
}
