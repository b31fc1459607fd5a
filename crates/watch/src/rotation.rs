//! Which runs a history gives up. Pure.

use crate::state::{Outcome, ProbeEntry};
use jiff::Timestamp;
use std::time::Duration;

/// Runs that are removed after one probe, at most: a clock that was set wrong costs no history.
pub const REMOVED_MAX: usize = 2;

/// How much of a history is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// Runs, at least 1.
    pub runs: usize,
    /// How long.
    pub time: Duration,
}

/// The runs to remove now, the oldest first: those above the number and those that are too old. The newest stays.
pub fn expired(probes: &[ProbeEntry], keep: Keep, now: Timestamp) -> Vec<String> {
    let kept: Vec<&ProbeEntry> =
        probes.iter().filter(|probe| probe.outcome == Outcome::Finished && probe.is_kept).collect();
    let above = kept.len().saturating_sub(keep.runs.max(1));
    let is_old = |probe: &ProbeEntry| {
        Duration::try_from(now.duration_since(probe.began_at)).is_ok_and(|age| age > keep.time)
    };
    let older = &kept[..kept.len().saturating_sub(1)];
    let expired = older.iter().enumerate().filter(|(place, probe)| *place < above || is_old(probe));
    expired.take(REMOVED_MAX).map(|(_, probe)| probe.run.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    fn probes(times: &[i64]) -> Vec<ProbeEntry> {
        let finished = |(place, time): (usize, &i64)| ProbeEntry {
            outcome: Outcome::Finished,
            ..ProbeEntry::begun(place.to_string(), at(*time), 0)
        };
        times.iter().enumerate().map(finished).collect()
    }

    fn keep(runs: usize, seconds: u64) -> Keep {
        Keep { runs, time: Duration::from_secs(seconds) }
    }

    #[test]
    fn the_oldest_go_two_at_a_time_and_the_newest_stays() {
        let probes = probes(&[0, 10, 20, 30, 40]);
        assert_eq!(expired(&probes, keep(5, 1000), at(40)), Vec::<String>::new());
        assert_eq!(expired(&probes, keep(4, 1000), at(40)), ["0"]);
        assert_eq!(expired(&probes, keep(1, 1000), at(40)), ["0", "1"]);
        assert_eq!(expired(&probes, keep(9, 25), at(40)), ["0", "1"]);
        assert_eq!(expired(&probes[4..], keep(1, 1), at(1_000_000)), Vec::<String>::new());
    }

    #[test]
    fn runs_of_other_outcomes_and_removed_ones_do_not_count() {
        let mut probes = probes(&[0, 10, 20]);
        probes[0].is_kept = false;
        probes[1].outcome = Outcome::Failed;
        assert_eq!(expired(&probes, keep(1, 1000), at(40)), Vec::<String>::new());
    }

    proptest! {
        /// Whatever the clock shows, a probe costs two runs at most, and never the newest.
        #[test]
        fn no_clock_costs_the_history(times in proptest::collection::vec(0_i64..1_000_000, 1..30), now in 0_i64..10_000_000) {
            let probes = probes(&times);
            let expired = expired(&probes, keep(5, 100), at(now));
            prop_assert!(expired.len() <= REMOVED_MAX);
            prop_assert!(!expired.contains(&(times.len() - 1).to_string()));
        }
    }
}
