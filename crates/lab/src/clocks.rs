//! The clocks of all ranks over the turns of a round. Pure.
//!
//! `CLOCK_MONOTONIC` of two hosts drifts by 1 to 50 µs each second, so an offset is true at one moment. Clocks are
//! compared before the first turn and after the last, and the offset in between lies on the line through both.

use model::Nanos;
use model::shared::ClockOffset;

/// The clocks of the ranks beside the first, at the beginning and at the end of the turns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clocks(Vec<Drift>);

#[derive(Clone, Debug, PartialEq)]
struct Drift {
    from_s: f64,
    to_s: f64,
    before: ClockOffset,
    after: ClockOffset,
}

/// A comparison of all clocks that ended at this time of rank 0.
pub type Comparison = (Nanos, Vec<ClockOffset>);

impl Clocks {
    pub fn between((from, before): Comparison, (to, after): Comparison) -> Self {
        let (from_s, to_s) = (from.seconds(), to.seconds());
        let drift = |before: ClockOffset| {
            let after = *after.iter().find(|after| after.rank == before.rank)?;
            Some(Drift { from_s, to_s, before, after })
        };
        Self(before.into_iter().filter_map(drift).collect())
    }

    /// How far the clock of a rank is ahead of that of rank 0 at the moment at which it shows this.
    pub fn offset_s(&self, rank: u32, shows_s: f64) -> f64 {
        self.0.iter().find(|drift| drift.before.rank == rank).map_or(0.0, |drift| drift.offset_s(shows_s))
    }

    /// The offsets in the middle of the turns. Each is off by at most what the comparisons were and half of what the
    /// clock has drifted between them, unless its rate more than doubles.
    pub fn offsets(&self) -> Vec<ClockOffset> {
        self.0.iter().map(Drift::middle).collect()
    }
}

impl Drift {
    fn drifted_s(&self) -> f64 {
        self.after.offset_s - self.before.offset_s
    }

    fn offset_s(&self, shows_s: f64) -> f64 {
        let passed_s = shows_s - self.before.offset_s - self.from_s;
        let span_s = self.to_s - self.from_s;
        let part = if span_s > 0.0 { (passed_s / span_s).clamp(0.0, 1.0) } else { 0.0 };
        self.before.offset_s + part * self.drifted_s()
    }

    fn middle(&self) -> ClockOffset {
        let compared_s = self.before.uncertainty_s.max(self.after.uncertainty_s);
        ClockOffset {
            rank: self.before.rank,
            offset_s: self.before.offset_s + self.drifted_s() / 2.0,
            uncertainty_s: compared_s + self.drifted_s().abs() / 2.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    /// Compared before the files were made, the clock was off by as much as a slice lasts when the turns began.
    #[test]
    fn a_clock_that_drifts_is_followed() {
        let offset = |rank, offset_s, uncertainty_s| ClockOffset { rank, offset_s, uncertainty_s };
        let before = (Nanos::from_millis(1_000_000), vec![offset(1, 500.0, 2e-6), offset(2, -7.0, 3e-6)]);
        let after = (Nanos::from_millis(1_100_000), vec![offset(1, 500.004, 5e-6), offset(2, -7.0, 1e-6)]);
        let clocks = Clocks::between(before, after);
        for (shows_s, offset_s) in [(1_500.0, 500.0), (1_525.001, 500.001), (1_600.004, 500.004)] {
            assert!((clocks.offset_s(1, shows_s) - offset_s).abs() < 1e-6, "{shows_s}");
        }
        check(clocks.offset_s(1, 9_000.0), 500.004);
        check(clocks.offset_s(0, 9_000.0), 0.0);
        let offsets = clocks.offsets();
        check(offsets[0].offset_s, 500.002);
        check(offsets[0].uncertainty_s, 5e-6 + 2e-3);
        check(offsets[1].uncertainty_s, 3e-6);
    }

    #[test]
    fn clocks_that_were_compared_twice_at_once_do_not_drift() {
        let compared = || (Nanos::ZERO, vec![ClockOffset { rank: 1, offset_s: 4.0, uncertainty_s: 0.0 }]);
        check(Clocks::between(compared(), compared()).offset_s(1, 4.0), 4.0);
    }
}
