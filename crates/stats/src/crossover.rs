//! Where does arm B overtake arm A as a numeric factor rises?
//!
//! Between two levels every round's log ratio(B/A) is interpolated linearly on the log₂ axis; at each point a t
//! interval of these is an exact test of "the arms are equal here" (if the truth is as straight as the interpolation).
//! The points where it contains 0 are the interval of the crossover: inversion of tests, as in Fieller's theorem.

use crate::blocks;
use crate::confidence::Confidence;
use crate::family::simultaneous_level;
use crate::interval::{Interval, NoInterval, log_interval};
use crate::rounds::{fewest, would_reach};
use crate::sample;

/// Points per gap between levels at which the pointwise interval is looked at, before bisection.
const STEPS: usize = 64;

/// Side of B relative to A.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// B's response is greater than A's.
    Above,
    /// B's response is smaller than A's.
    Below,
}

/// Whether and where the arms change places.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Crossover {
    /// They do, once.
    At {
        /// The level (in the factor's unit) where the mean log ratio is zero, and the levels that cannot be
        /// distinguished from it.
        level: Interval,
        /// Side of B at the lowest levels; it ends on the other one.
        starts: Side,
    },
    /// They do not: at every level B lies on the same side, each by its own interval.
    None { always: Side },
    /// They change places more than once.
    Several {
        /// Number of changes between levels that are each beyond doubt.
        changes: usize,
    },
    /// The intervals do not say.
    Undecided,
}

/// Looks for the crossover in `rounds[round][column]` of natural-log ratios B/A over `levels[column]`.
///
/// That the arms do change sides is decided with intervals that hold for all levels together (Bonferroni); the interval
/// of the crossover itself is pointwise. "None" needs no correction: it claims every level at once.
///
/// Source: Fieller, *Some problems in interval estimation*, JRSS B 1954 (inversion); Bonferroni.
///
/// # Errors
/// [`NoInterval`] for fewer than six rounds or two levels, incomplete rounds, values that are not finite, levels that
/// are not positive and increasing, or a `level` outside (0, 1).
pub fn crossover(
    levels: &[f64],
    rounds: &[Vec<f64>],
    confidence: impl Into<Confidence>,
) -> Result<Crossover, NoInterval> {
    let confidence = confidence.into();
    let columns = blocks::check(rounds, 2)?;
    let x = blocks::log2_levels(levels, columns)?;
    let together = confidence.at(simultaneous_level(confidence.level, columns));
    let mut pointwise = Vec::with_capacity(columns);
    let mut certain = Vec::with_capacity(columns);
    for index in 0..columns {
        let column = blocks::column(rounds, index);
        pointwise.push(side(&log_interval(&column, confidence)?, confidence.level));
        certain.extend(side(&log_interval(&column, together)?, together.level).map(|side| (index, side)));
    }
    if let Some(Some(first)) = pointwise.first().copied()
        && pointwise.iter().all(|&side| side == Some(first))
    {
        return Ok(Crossover::None { always: first });
    }
    let changes: Vec<_> = certain.windows(2).filter(|pair| pair[0].1 != pair[1].1).collect();
    match changes.as_slice() {
        [] => Ok(Crossover::Undecided),
        [change] => {
            let curve = Curve { x: &x, rounds, confidence };
            let found = curve.locate(change[0].0, change[1].0)?;
            Ok(Crossover::At { level: found, starts: change[0].1 })
        }
        _ => Ok(Crossover::Several { changes: changes.len() }),
    }
}

/// Rounds in all after which [`crossover`] would find a change of places, or prove that there is none; `None` if no
/// realistic number would.
///
/// # Errors
/// As [`crossover`].
pub fn rounds_to_decide(
    rounds: &[Vec<f64>],
    confidence: impl Into<Confidence>,
) -> Result<Option<usize>, NoInterval> {
    let confidence = confidence.into();
    let columns = blocks::check(rounds, 2)?;
    let together = confidence.at(simultaneous_level(confidence.level, columns));
    let of_column = |index: usize| {
        let column = blocks::column(rounds, index);
        let mean = sample::mean(&column).ok_or(NoInterval::NotFinite)?;
        Ok((mean, sample::standard_deviation(&column).ok_or(NoInterval::NotFinite)?))
    };
    let found: Vec<(f64, f64)> = (0..columns).map(of_column).collect::<Result<_, NoInterval>>()?;
    let any = |n, sign: f64| found.iter().any(|(mean, sd)| would_reach(sign * mean, *sd, together, n));
    let all = |n, sign: f64| found.iter().all(|(mean, sd)| would_reach(sign * mean, *sd, confidence, n));
    Ok(fewest(rounds.len(), |n| any(n, 1.0) && any(n, -1.0) || all(n, 1.0) || all(n, -1.0)))
}

fn side(interval: &Interval, level: f64) -> Option<Side> {
    if !interval.reaches(level) {
        None
    } else if interval.low > 0.0 {
        Some(Side::Above)
    } else if interval.high < 0.0 {
        Some(Side::Below)
    } else {
        None
    }
}

struct Curve<'a> {
    x: &'a [f64],
    rounds: &'a [Vec<f64>],
    confidence: Confidence,
}

impl Curve<'_> {
    /// The pointwise interval at position `at` (in columns: 1.25 is a quarter of the way from column 1 to 2).
    fn interval(&self, at: f64) -> Result<Interval, NoInterval> {
        let below = (at.floor() as usize).min(self.x.len() - 2);
        let share = at - below as f64;
        let values: Vec<f64> =
            self.rounds.iter().map(|row| row[below] * (1.0 - share) + row[below + 1] * share).collect();
        log_interval(&values, self.confidence)
    }

    /// Level in the factor's unit at a position in columns.
    fn level_at(&self, at: f64) -> f64 {
        let below = (at.floor() as usize).min(self.x.len() - 2);
        let share = at - below as f64;
        (self.x[below] * (1.0 - share) + self.x[below + 1] * share).exp2()
    }

    /// Crossing and hull of the levels compatible with it, between two columns that lie on opposite sides.
    fn locate(&self, from: usize, to: usize) -> Result<Interval, NoInterval> {
        let points = (to - from) * STEPS;
        let at = |step: usize| from as f64 + step as f64 / STEPS as f64;
        let starts_above = self.interval(at(0))?.estimate > 0.0;
        let still_on_first_side = |i: &Interval| if starts_above { i.low > 0.0 } else { i.high < 0.0 };
        let already_on_last_side = |i: &Interval| if starts_above { i.high < 0.0 } else { i.low > 0.0 };
        let not_yet_crossed = |i: &Interval| if starts_above { i.estimate > 0.0 } else { i.estimate < 0.0 };
        let (mut low, mut crossing, mut high) = (None, None, None);
        for step in 1..=points {
            let (here, interval) = (at(step), self.interval(at(step))?);
            let before = at(step - 1);
            if low.is_none() && !still_on_first_side(&interval) {
                low = Some(self.bisect(before, here, still_on_first_side)?);
            }
            if crossing.is_none() && !not_yet_crossed(&interval) {
                crossing = Some(self.bisect(before, here, not_yet_crossed)?);
            }
            if !already_on_last_side(&interval) {
                high = None;
            } else if high.is_none() {
                high = Some(self.bisect(before, here, |i| !already_on_last_side(i))?);
            }
        }
        // `to` itself lies on the other side at a stricter level than the interval's, so all three were found by the
        // end.
        let [low, crossing, high] =
            [low, crossing, high].map(|position| self.level_at(position.unwrap_or(to as f64)));
        Interval { estimate: crossing, low, high, level: self.confidence.level, n: self.rounds.len() }
            .finite()
    }

    /// Position between `holds_at` and `fails_at` where `condition` stops to hold.
    fn bisect(
        &self,
        mut holds_at: f64,
        mut fails_at: f64,
        condition: impl Fn(&Interval) -> bool,
    ) -> Result<f64, NoInterval> {
        for _ in 0..40 {
            let middle = f64::midpoint(holds_at, fails_at);
            if condition(&self.interval(middle)?) { holds_at = middle } else { fails_at = middle }
        }
        Ok(f64::midpoint(holds_at, fails_at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    const LEVELS: [f64; 5] = [1.0, 2.0, 4.0, 8.0, 16.0];

    fn rounds(curve: [f64; 5], noise: f64) -> Vec<Vec<f64>> {
        let pattern = [-1.0, -0.6, -0.2, 0.2, 0.6, 1.0];
        pattern.iter().map(|offset| curve.iter().map(|value| value + noise * offset).collect()).collect()
    }

    #[test]
    fn a_straight_crossing_is_found_with_its_interval() {
        // Zero at log2(level) = 2.5; every round shifted by up to ±0.1, so the bounds follow from one t interval.
        let table = rounds([-0.5, -0.3, -0.1, 0.1, 0.3], 0.1);
        let Crossover::At { level, starts } = crossover(&LEVELS, &table, 0.95).unwrap() else { panic!() };
        assert_eq!(starts, Side::Below);
        assert_close(level.estimate, 2f64.powf(2.5), 1e-6);
        let half_width = log_interval(&blocks::column(&table, 0), 0.95).unwrap().half_width();
        assert_close(level.low, (2.5 - half_width / 0.2).exp2(), 1e-6);
        assert_close(level.high, (2.5 + half_width / 0.2).exp2(), 1e-6);
    }

    #[test]
    fn one_side_throughout_is_none() {
        let outcome = crossover(&LEVELS, &rounds([0.5, 0.4, 0.3, 0.4, 0.5], 0.05), 0.95);
        assert_eq!(outcome, Ok(Crossover::None { always: Side::Above }));
    }

    #[test]
    fn noise_is_undecided_and_a_hump_is_several() {
        let outcome = crossover(&LEVELS, &rounds([-0.1, 0.0, 0.1, 0.1, 0.2], 1.0), 0.95);
        assert_eq!(outcome, Ok(Crossover::Undecided));
        let outcome = crossover(&LEVELS, &rounds([-0.5, 0.5, 0.5, -0.5, -0.5], 0.05), 0.95);
        assert_eq!(outcome, Ok(Crossover::Several { changes: 2 }));
    }

    #[test]
    fn what_is_open_says_what_would_close_it() {
        let needed = |curve, noise| rounds_to_decide(&rounds(curve, noise), 0.95).unwrap();
        let one_side = needed([0.1, 0.2, 0.3, 0.3, 0.3], 0.3).unwrap();
        assert!((30..60).contains(&one_side), "{one_side}");
        let crossing = needed([-0.3, -0.2, 0.0, 0.2, 0.3], 0.5).unwrap();
        assert!((10..40).contains(&crossing), "{crossing}");
        assert_eq!(needed([0.0; 5], 0.3), None);
    }

    proptest! {
        #[test]
        fn the_estimate_lies_in_its_interval(
            curve in proptest::array::uniform5(-1.0..1.0f64), noise in 0.0..0.3f64
        ) {
            if let Ok(Crossover::At { level, .. }) = crossover(&LEVELS, &rounds(curve, noise), 0.95) {
                prop_assert!(level.low <= level.estimate * 1.000_001 && level.estimate <= level.high * 1.000_001);
            }
        }

        #[test]
        fn never_panics(values in proptest::collection::vec(any::<f64>(), 0..40), width in 1..6usize, level in any::<f64>()) {
            let table: Vec<Vec<f64>> = values.chunks(width).map(<[f64]>::to_vec).collect();
            let _ = crossover(&LEVELS[..width.min(5)], &table, level);
        }
    }
}
