//! When each operation of a traced trial was: a trace has times, and an operation is found in it by its thread and its
//! own times.

use model::Nanos;
use model::traced::{Stamp, Stamps};

/// The stamps that a member of a team keeps. All memory is taken up front.
#[derive(Clone, Debug)]
pub(crate) struct StampLog {
    /// The thread that drives the member.
    thread: u32,
    /// `CLOCK_MONOTONIC` when the workload's time was zero, were there no time between its turns.
    pub(crate) zero: Nanos,
    /// Each with the index of its family.
    kept: Vec<(usize, Stamp)>,
    kept_max: usize,
    /// Operations beyond that, by family.
    beyond_limit: Vec<u64>,
}

impl StampLog {
    /// The log of the calling thread.
    pub(crate) fn of_this_thread(families: usize, kept_max: usize) -> Self {
        Self {
            thread: rustix::thread::gettid().as_raw_nonzero().get().unsigned_abs(),
            zero: Nanos::ZERO,
            kept: Vec::with_capacity(kept_max),
            kept_max,
            beyond_limit: vec![0; families],
        }
    }

    /// Keeps the stamps of an operation, which are in the workload's time.
    #[inline]
    pub(crate) fn add(&mut self, family: usize, began: Nanos, ended: Nanos) {
        if self.kept.len() < self.kept_max {
            let (began, ended) = (self.zero + began, self.zero + ended);
            self.kept.push((family, Stamp { thread: self.thread, began_ns: began.0, ended_ns: ended.0 }));
        } else {
            self.beyond_limit[family] += 1;
        }
    }

    /// Adds those of a team mate.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.kept.extend_from_slice(&other.kept);
        for (mine, theirs) in self.beyond_limit.iter_mut().zip(&other.beyond_limit) {
            *mine += theirs;
        }
    }

    /// Those of each family that has any.
    pub(crate) fn by_family(&self, families: &[&str]) -> Vec<Stamps> {
        let of_family = |(index, family): (usize, &&str)| Stamps {
            family: (*family).to_owned(),
            kept: self.kept.iter().filter(|(of, _)| *of == index).map(|(_, stamp)| *stamp).collect(),
            beyond_limit: self.beyond_limit.get(index).copied().unwrap_or(0),
        };
        let all = families.iter().enumerate().map(of_family);
        all.filter(|stamps| !stamps.kept.is_empty() || stamps.beyond_limit > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_on_the_machines_clock_and_those_beyond_the_limit_are_counted() {
        let mut log = StampLog::of_this_thread(2, 2);
        log.zero = Nanos(1000);
        log.add(0, Nanos(1), Nanos(3));
        log.add(1, Nanos(3), Nanos(8));
        log.add(1, Nanos(8), Nanos(9));
        let families = log.by_family(&["read_latency", "write_latency"]);
        let times = |stamps: &Stamps| -> Vec<(u64, u64)> {
            stamps.kept.iter().map(|stamp| (stamp.began_ns, stamp.ended_ns)).collect()
        };
        assert_eq!(times(&families[0]), [(1001, 1003)]);
        assert_eq!(times(&families[1]), [(1003, 1008)]);
        assert_eq!((families[0].beyond_limit, families[1].beyond_limit), (0, 1));
    }
}
