//! How many rounds would decide what those so far leave open, effect and spread staying as they were seen.
//!
//! The number is as good as the spread that it comes from: seen over six rounds, that is off by a quarter one time in
//! two, and the number by a half. What it is on average, `tests/simulation/rounds.rs` measures.

use crate::confidence::Confidence;
use crate::distribution::{normal_quantile, student_upper};

/// Beyond this many rounds a study is not going to be run.
pub const ROUNDS_MAX: usize = 10_000;
/// Chance with which the rounds asked for would decide, if effect and spread are as observed.
pub(crate) const POWER: f64 = 0.8;

/// Whether `n` rounds would prove a mean to lie beyond a bound that it is `distance` away from, by a two-sided interval
/// with this confidence, with power 0.8 if one value scatters by `deviation`.
///
/// Approximation: the t test's power by the normal distribution shifted by effect ÷ error, with t critical values;
/// Chow, Shao & Wang, *Sample Size Calculations in Clinical Research*, 2nd ed., section 3.1.
pub(crate) fn would_reach(
    distance: f64,
    deviation: f64,
    confidence: impl Into<Confidence>,
    n: usize,
) -> bool {
    let confidence = confidence.into();
    let error = deviation * confidence.widening(n) / (n as f64).sqrt();
    reaches(distance, error, n as f64 - 1.0, confidence.level)
}

/// The same of a mean whose standard error has this number of degrees of freedom.
pub(crate) fn reaches(distance: f64, error: f64, freedom: f64, level: f64) -> bool {
    let critical = student_upper((1.0 - level) / 2.0, freedom);
    let decided = critical.zip(normal_quantile(POWER));
    distance > 0.0 && decided.is_some_and(|(t, quantile)| distance / error - t >= quantile)
}

/// The fewest rounds above `have` that decide, if `decides` stays true once it is: errors and critical values fall with
/// the rounds. `None` beyond [`ROUNDS_MAX`].
pub(crate) fn fewest(have: usize, decides: impl Fn(usize) -> bool) -> Option<usize> {
    let (mut too_few, mut enough) = (have, ROUNDS_MAX);
    if too_few >= enough || !decides(enough) {
        return None;
    }
    while enough - too_few > 1 {
        let middle = usize::midpoint(too_few, enough);
        if decides(middle) { enough = middle } else { too_few = middle }
    }
    Some(enough)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exact power by the non-central t (scipy 1.17.1, `scipy.stats.nct`): n = 9 gives 0.748, n = 10 gives 0.803.
    #[test]
    fn an_effect_of_one_deviation_needs_ten_rounds() {
        let rounds = fewest(6, |n| would_reach(0.1, 0.1, 0.95, n)).unwrap();
        assert!((10..=11).contains(&rounds), "{rounds}");
    }

    #[test]
    fn what_lies_on_the_bound_or_behind_it_is_never_beyond() {
        for distance in [0.0, -0.1, f64::NAN] {
            assert_eq!(fewest(6, |n| would_reach(distance, 0.1, 0.95, n)), None);
        }
        // Without any spread the next round decides.
        assert_eq!(fewest(6, |n| would_reach(0.1, 0.0, 0.95, n)), Some(7));
        assert_eq!(fewest(ROUNDS_MAX, |_| true), None);
    }
}
