//! When the next probe is due. Pure.

use jiff::Timestamp;
use std::time::Duration;

/// How long a service that starts now waits for its first probe: until an interval has passed since the last one began,
/// so that a restart brings no probe forward. A last one in the future says nothing, because a clock was set back.
pub fn first_wait(last: Option<Timestamp>, now: Timestamp, interval: Duration) -> Duration {
    let since = last.and_then(|last| Duration::try_from(now.duration_since(last)).ok());
    since.map_or(Duration::ZERO, |since| interval.saturating_sub(since))
}

/// When the probe after the one that was due at `due` is due, on a clock that never goes back. A probe that took longer
/// than an interval, or a machine that slept, leaves out what it missed: probes never follow each other at once.
pub fn next_due(due: Duration, interval: Duration, now: Duration) -> Duration {
    let next = due.saturating_add(interval);
    if next >= now || interval.is_zero() {
        return next.max(now);
    }
    let missed = now.saturating_sub(next).as_nanos() / interval.as_nanos() + 1;
    let intervals = u32::try_from(missed).unwrap_or(u32::MAX);
    next.saturating_add(interval.saturating_mul(intervals)).max(now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HOUR: Duration = Duration::from_hours(1);

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    #[test]
    fn a_restart_brings_no_probe_forward() {
        assert_eq!(first_wait(None, at(1000), HOUR), Duration::ZERO);
        assert_eq!(first_wait(Some(at(1000)), at(1600), HOUR), Duration::from_mins(50));
        assert_eq!(first_wait(Some(at(1000)), at(9000), HOUR), Duration::ZERO);
        assert_eq!(first_wait(Some(at(9000)), at(1000), HOUR), Duration::ZERO);
    }

    #[test]
    fn what_was_missed_is_left_out() {
        let minutes = Duration::from_mins;
        assert_eq!(next_due(minutes(0), HOUR, minutes(1)), HOUR);
        assert_eq!(next_due(minutes(0), HOUR, minutes(60)), HOUR);
        assert_eq!(next_due(minutes(0), HOUR, minutes(61)), 2 * HOUR);
        assert_eq!(next_due(minutes(0), HOUR, minutes(1000)), 17 * HOUR);
        assert_eq!(next_due(minutes(5), Duration::ZERO, minutes(7)), minutes(7));
    }

    proptest! {
        #[test]
        fn the_next_probe_keeps_the_grid_and_is_less_than_two_intervals_away(
            due in 0_u64..1_000_000, interval in 1_u64..10_000, late in 0_u64..1_000_000
        ) {
            let seconds = Duration::from_secs;
            let next = next_due(seconds(due), seconds(interval), seconds(due + late));
            prop_assert!(next > seconds(due) && next >= seconds(due + late));
            prop_assert!(next <= seconds(due + late + interval));
            prop_assert_eq!((next.as_secs() - due) % interval, 0);
        }
    }
}
