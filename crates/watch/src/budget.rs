//! Bytes that probes may write within 24 hours. Pure.

use crate::state::{Outcome, ProbeEntry, SkipReason, is_within_a_day};
use jiff::Timestamp;

/// What a probe counts for if it was killed and no probe before it was counted.
pub const ASSUMED_BYTES: u64 = 1 << 30;
/// The next probe may write as much as the largest of the last ones.
const RECENT: usize = 10;

/// Bytes that count now: those of the 24 hours before now, and of those after it, because a clock that was set back
/// frees nothing. What is further in the future was recorded by a clock that was wrong.
pub fn spent_bytes(probes: &[ProbeEntry], now: Timestamp) -> u64 {
    let counted = probes.iter().filter(|probe| is_within_a_day(probe.began_at, now));
    counted.fold(0, |sum, probe| sum.saturating_add(probe.written_bytes))
}

/// Bytes that the next probe probably writes; `None` if none has been counted yet.
pub fn expected_bytes(probes: &[ProbeEntry]) -> Option<u64> {
    let finished = probes.iter().rev().filter(|probe| probe.outcome == Outcome::Finished);
    finished.take(RECENT).map(|probe| probe.written_bytes).max()
}

/// Why a probe would exceed the budget, if it would. What the first probe of all writes is not known before it, so that
/// one alone may.
pub fn exceeded(probes: &[ProbeEntry], limit_bytes: u64, now: Timestamp) -> Option<SkipReason> {
    let (spent_bytes, expected_bytes) = (spent_bytes(probes, now), expected_bytes(probes));
    let is_exceeded = match expected_bytes {
        Some(expected_bytes) => spent_bytes.saturating_add(expected_bytes) > limit_bytes,
        None => spent_bytes >= limit_bytes,
    };
    is_exceeded.then_some(SkipReason::Budget { spent_bytes, expected_bytes, limit_bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HOUR: i64 = 3600;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    fn probe(began: i64, written_bytes: u64) -> ProbeEntry {
        ProbeEntry {
            written_bytes,
            outcome: Outcome::Finished,
            ..ProbeEntry::begun(String::new(), at(began), 0)
        }
    }

    #[test]
    fn a_day_counts_and_a_clock_that_is_set_back_frees_nothing() {
        let probes = [probe(0, 1), probe(20 * HOUR, 10), probe(30 * HOUR, 100), probe(1000 * HOUR, 1000)];
        assert_eq!(spent_bytes(&probes, at(31 * HOUR)), 110);
        assert_eq!(spent_bytes(&probes, at(8 * HOUR)), 111);
    }

    #[test]
    fn the_first_probe_is_not_known_and_the_next_ones_are() {
        assert_eq!(exceeded(&[], 10, at(0)), None);
        assert!(exceeded(&[], 0, at(0)).is_some());
        assert!(exceeded(&[probe(0, 11)], 10, at(48 * HOUR)).is_some(), "none fits");
        assert!(exceeded(&[probe(0, 6)], 10, at(HOUR)).is_some());
        assert_eq!(exceeded(&[probe(0, 6)], 12, at(HOUR)), None);
        let killed = ProbeEntry::begun(String::new(), at(0), ASSUMED_BYTES);
        assert!(exceeded(&[killed], ASSUMED_BYTES, at(HOUR)).is_some());
    }

    proptest! {
        /// Probes that write at most as much as the one before stay within the budget in every window of a day.
        #[test]
        fn no_day_exceeds_the_budget(
            limit in 100_u64..10_000, first in 1_u64..100, steps in proptest::collection::vec(1_i64..40_000, 1..200)
        ) {
            let mut probes: Vec<ProbeEntry> = Vec::new();
            let mut now = 0;
            for step in steps {
                now += step;
                if exceeded(&probes, limit, at(now)).is_none() {
                    probes.push(probe(now, first));
                }
                prop_assert!(spent_bytes(&probes, at(now)) <= limit);
            }
        }
    }
}
