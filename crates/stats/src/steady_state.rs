//! Steady state after SNIA's rule.

use crate::sample;

/// Points in the measurement window.
pub const WINDOW: usize = 5;
/// Largest range of the window's values, as a share of their average.
pub const RANGE_MAX: f64 = 0.20;
/// Largest rise or fall of the line fitted through the window, as a share of their average.
pub const SLOPE_EXCURSION_MAX: f64 = 0.10;

/// Whether a series of averages (of equal stretches of time or work) has settled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SteadyState {
    /// The last window meets the rule, and so does every window from index `since` on.
    Steady {
        /// First index of the series from which all windows are steady.
        since: usize,
    },
    /// The last window breaks the rule.
    NotSteady {
        /// Its range as a share of its average; the rule allows [`RANGE_MAX`].
        range: f64,
        /// Its slope excursion as a share of its average; the rule allows [`SLOPE_EXCURSION_MAX`].
        slope_excursion: f64,
    },
    /// No statement is possible.
    NotAssessable(NotAssessable),
}

/// Why steady state cannot be assessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAssessable {
    /// Fewer points than the window.
    #[error("{n} points, the steady-state rule needs {needed}")]
    TooShort { n: usize, needed: usize },
    /// A value is not a finite positive number.
    #[error("a value is not a positive finite number")]
    NotPositive,
}

/// Applies the rule to a series in time order (throughputs or latencies, any positive unit): within a window of five,
/// the range is at most 20 % of the average, and the least-squares line moves by at most 10 % of the average.
///
/// Source: SNIA Solid State Storage Performance Test Specification (PTS) 2.0, definition of "Steady State".
pub fn steady_state(series: &[f64]) -> SteadyState {
    if series.len() < WINDOW {
        return SteadyState::NotAssessable(NotAssessable::TooShort { n: series.len(), needed: WINDOW });
    }
    let mut since = None;
    let mut last = (0.0, 0.0);
    for (start, window) in series.windows(WINDOW).enumerate() {
        let Some((range, slope_excursion)) = excursions(window) else {
            return SteadyState::NotAssessable(NotAssessable::NotPositive);
        };
        last = (range, slope_excursion);
        if range <= RANGE_MAX && slope_excursion <= SLOPE_EXCURSION_MAX {
            since = since.or(Some(start));
        } else {
            since = None;
        }
    }
    match since {
        Some(since) => SteadyState::Steady { since },
        None => SteadyState::NotSteady { range: last.0, slope_excursion: last.1 },
    }
}

/// Range and slope excursion of a window as shares of its average.
fn excursions(window: &[f64]) -> Option<(f64, f64)> {
    if window.iter().any(|&value| !value.is_finite() || value <= 0.0) {
        return None;
    }
    let average = sample::mean(window)?;
    let highest = window.iter().copied().fold(f64::MIN, f64::max);
    let lowest = window.iter().copied().fold(f64::MAX, f64::min);
    let positions: Vec<f64> = (0..window.len()).map(|index| index as f64).collect();
    let slope = sample::slope(&positions, window)?;
    Some(((highest - lowest) / average, (slope * (window.len() - 1) as f64).abs() / average))
}

/// Mean of the first and of the last third of a series, for trials too short for the rule above.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thirds {
    /// Mean of the first third, in the series' unit.
    pub first: f64,
    /// Mean of the last third, in the series' unit.
    pub last: f64,
    pub ratio: f64,
}

/// Compares the ends of a series in time order. `None` for fewer than three points or values that are not positive.
pub fn thirds(series: &[f64]) -> Option<Thirds> {
    let third = series.len() / 3;
    if third == 0 || series.iter().any(|&value| !value.is_finite() || value <= 0.0) {
        return None;
    }
    let (first, last) = (sample::mean(&series[..third])?, sample::mean(&series[series.len() - third..])?);
    let ratio = last / first;
    ratio.is_finite().then_some(Thirds { first, last, ratio })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    #[test]
    fn a_device_that_settles_is_steady_from_there_on() {
        let series = [200.0, 150.0, 120.0, 105.0, 100.0, 101.0, 99.0, 100.0, 100.0];
        assert_eq!(steady_state(&series), SteadyState::Steady { since: 3 });
    }

    #[test]
    fn a_slope_within_the_range_is_still_not_steady() {
        let SteadyState::NotSteady { range, slope_excursion } =
            steady_state(&[100.0, 103.0, 106.0, 109.0, 112.0])
        else {
            panic!()
        };
        assert!(range <= RANGE_MAX && slope_excursion > SLOPE_EXCURSION_MAX);
    }

    #[test]
    fn short_series_are_not_assessable() {
        let outcome = steady_state(&[1.0, 1.0]);
        assert_eq!(outcome, SteadyState::NotAssessable(NotAssessable::TooShort { n: 2, needed: 5 }));
        assert_eq!(steady_state(&[0.0; 6]), SteadyState::NotAssessable(NotAssessable::NotPositive));
    }

    #[test]
    fn thirds_compare_the_ends() {
        assert_close(thirds(&[1.0, 1.0, 9.0, 9.0, 2.0, 2.0, 2.0]).unwrap().ratio, 2.0, 1e-12);
        assert_eq!(thirds(&[1.0, 2.0]), None);
    }

    proptest! {
        #[test]
        fn scale_does_not_matter(series in proptest::collection::vec(50.0..150.0f64, 0..12), exponent in -20..20i32) {
            let scaled: Vec<f64> = series.iter().map(|value| value * 2f64.powi(exponent)).collect();
            let steady = |s: &[f64]| matches!(steady_state(s), SteadyState::Steady { .. });
            prop_assert_eq!(steady(&series), steady(&scaled));
        }

        #[test]
        fn never_panics(series in proptest::collection::vec(any::<f64>(), 0..12)) {
            let _ = (steady_state(&series), thirds(&series));
        }
    }
}
