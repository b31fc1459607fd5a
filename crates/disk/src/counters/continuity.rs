//! Two clocks that differ by suspended time only: `CLOCK_BOOTTIME` counts it, `CLOCK_MONOTONIC` does not
//! (clock_gettime(2)).

use model::mechanism::{Continuity, Measured, Window};
use rustix::time::{ClockId, clock_gettime};

/// Both clocks at one instant, seconds since the machine was started.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clocks {
    monotonic_s: f64,
    boottime_s: f64,
}

/// The two clocks are read one after the other; a suspended machine sleeps for longer than that takes.
const SUSPENDED_MIN_S: f64 = 0.01;

impl Clocks {
    pub fn read() -> Self {
        Self { monotonic_s: seconds(ClockId::Monotonic), boottime_s: seconds(ClockId::Boottime) }
    }

    /// What went by until a later reading.
    pub(super) fn until(&self, later: &Self, longest_gap_s: Measured<f64>) -> Continuity {
        let suspended = |clocks: &Self| clocks.boottime_s - clocks.monotonic_s;
        let grown_s = suspended(later) - suspended(self);
        Continuity {
            window: Measured::Value(Window { began_s: self.monotonic_s, ended_s: later.monotonic_s }),
            suspended_s: Measured::Value(if grown_s > SUSPENDED_MIN_S { grown_s } else { 0.0 }),
            longest_gap_s,
        }
    }
}

fn seconds(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suspended_time_is_what_one_clock_counts_and_the_other_does_not() {
        let at = |monotonic_s, boottime_s| Clocks { monotonic_s, boottime_s };
        let none = || Measured::unsupported("nothing is driven");
        let suspended_s =
            |before: Clocks, after: Clocks| before.until(&after, none()).suspended_s.value().copied();
        assert_eq!(suspended_s(at(100.0, 700.0), at(102.0, 762.0)), Some(60.0));
        // Read one after the other, a little apart each time.
        assert_eq!(suspended_s(at(100.0, 700.0), at(102.0, 702.0005)), Some(0.0));
    }
}
