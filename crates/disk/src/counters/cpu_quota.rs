//! CPU quotas of control groups: `cpu.stat` of the worker's group and of those above it (kernel
//! `Documentation/scheduler/sched-bwc.rst`; v1 counts `throttled_time` in nanoseconds, v2 `throttled_usec`). A group
//! that used its quota up is kept from the CPUs until the next period, which looks like other programs and is none.

use super::text::CounterFile;
use crate::cgroup;
use model::mechanism::{Measured, QuotaCounters};
use std::path::PathBuf;

/// One group's counters since it was made.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GroupCounters {
    directory: PathBuf,
    counters: QuotaCounters,
}

/// A group that counts what its quota takes.
#[derive(Debug)]
pub(super) struct Group {
    directory: PathBuf,
    file: CounterFile,
}

/// Every group that this process is in.
pub(super) fn groups() -> Measured<Vec<Group>> {
    match cgroup::ancestry("cpu") {
        Ok(groups) if groups.is_empty() => {
            Measured::unsupported("no control group with a CPU controller can be seen here")
        }
        Ok(groups) => Measured::Value(groups.into_iter().map(Group::open).collect()),
        Err(failure) => Measured::unsupported(failure.to_string()),
    }
}

/// The counters of these groups.
pub(super) fn counters(groups: &[Group]) -> Vec<GroupCounters> {
    groups.iter().filter_map(Group::counters).collect()
}

/// What the quota that took most took between two readings; zeros if none took any.
pub(super) fn delta(before: &[GroupCounters], after: &[GroupCounters]) -> QuotaCounters {
    let grown = |after: &GroupCounters| {
        let before = before.iter().find(|before| before.directory == after.directory)?.counters;
        Some(QuotaCounters {
            periods: after.counters.periods.saturating_sub(before.periods),
            throttled_periods: after.counters.throttled_periods.saturating_sub(before.throttled_periods),
            throttled_s: (after.counters.throttled_s - before.throttled_s).max(0.0),
        })
    };
    let grown = after.iter().filter_map(grown);
    // For groups that took nothing, the one that has a quota: only there do periods pass.
    let order = |a: &QuotaCounters, b: &QuotaCounters| {
        a.throttled_s.total_cmp(&b.throttled_s).then(a.periods.cmp(&b.periods))
    };
    grown.max_by(order).unwrap_or_default()
}

impl Group {
    fn open(directory: PathBuf) -> Self {
        Self { file: CounterFile::open(directory.join("cpu.stat")), directory }
    }

    /// `None` of a group that counts nothing, such as the root.
    fn counters(&self) -> Option<GroupCounters> {
        let text = self.file.text().ok()?;
        Some(GroupCounters { counters: parse(&text)?, directory: self.directory.clone() })
    }
}

fn parse(text: &str) -> Option<QuotaCounters> {
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
        line.trim().parse::<u64>().ok()
    };
    let throttled_s = match (field("throttled_usec"), field("throttled_time")) {
        (Some(microseconds), _) => microseconds as f64 / 1e6,
        (None, Some(nanoseconds)) => nanoseconds as f64 / 1e9,
        (None, None) => return None,
    };
    Some(QuotaCounters {
        periods: field("nr_periods")?,
        throttled_periods: field("nr_throttled")?,
        throttled_s,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_interfaces_are_read_in_seconds() {
        let expected = QuotaCounters { periods: 20, throttled_periods: 7, throttled_s: 0.5 };
        let v1 = "nr_periods 20\nnr_throttled 7\nthrottled_time 500000000\n";
        let v2 =
            "usage_usec 9\nuser_usec 5\nnr_periods 20\nnr_throttled 7\nthrottled_usec 500000\nnr_bursts 0\n";
        assert_eq!(parse(v1), Some(expected));
        assert_eq!(parse(v2), Some(expected));
        // The root of v2 has no quota and counts none.
        assert_eq!(parse("usage_usec 9\nuser_usec 5\n"), None);
    }

    #[test]
    fn of_nested_groups_the_one_that_took_most_is_told() {
        let group = |directory: &str, throttled_s| GroupCounters {
            directory: directory.into(),
            counters: QuotaCounters { periods: 10, throttled_periods: 1, throttled_s },
        };
        let before = [group("/a", 1.0), group("/a/b", 0.0)];
        let after = [group("/a", 1.5), group("/a/b", 0.1), group("/new", 9.0)];
        assert!((delta(&before, &after).throttled_s - 0.5).abs() < 1e-9);
        assert_eq!(delta(&[], &[]), QuotaCounters::default());
        // A quota that has not been reached, below a root that has none.
        let idle = |periods| {
            let counters = QuotaCounters { periods, throttled_periods: 0, throttled_s: 0.0 };
            [GroupCounters { counters, ..group("/a", 0.0) }, group("/", 0.0)]
        };
        assert_eq!(delta(&idle(10), &idle(30)).periods, 20);
    }
}
