//! The accelerator that readers read for: it takes one batch after another, works on each for the same time, and waits
//! for a batch that is not read yet. Nothing computes; its times follow from those at which batches were complete.
//!
//! Readers exchange three kinds of numbers and take no lock: how many bytes reads were started for, how many have come,
//! and when each batch was complete. Each reader works out by itself which batches the accelerator has taken. Their
//! clocks begin with their first polls, some microseconds apart.

use super::parameters::Parameters;
use model::Nanos;
use std::sync::atomic::{AtomicU64, Ordering};

/// A batch that is not complete.
const NOT_READ: u64 = u64::MAX;
/// A reader that waits for a batch that others still read looks again after this time.
const LOOK_AGAIN: Nanos = Nanos(200_000);

/// The batches of one pass, shared by its readers.
#[derive(Debug)]
pub(super) struct Accelerator {
    step: Nanos,
    batch_bytes: u64,
    /// Batches that are read, or being read, beyond those that it has taken.
    prefetch: u64,
    all_bytes: u64,
    /// Bytes that reads were started for.
    claimed: AtomicU64,
    /// Bytes that have come.
    read: AtomicU64,
    /// When each batch was complete.
    complete: Box<[AtomicU64]>,
}

/// The batches that the accelerator has taken, as a reader last saw them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Taken {
    batches: u64,
    /// When the accelerator is done with the last of them.
    free: Nanos,
}

/// The time of the accelerator from its first step to its last one's begin. As in MLPerf Storage, what comes before the
/// first step counts nowhere: it is the start of the pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AcceleratorTime {
    /// Time in which it worked.
    pub busy: Nanos,
    /// All of it: the rest is waiting for batches.
    pub all: Nanos,
}

impl AcceleratorTime {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { busy: self.busy + other.busy, all: self.all + other.all }
    }
}

impl Accelerator {
    /// That of a pass over this many bytes; `None` if no accelerator waits for them.
    pub(super) fn new(parameters: &Parameters, all_bytes: u64) -> Option<Self> {
        let is_there = parameters.step_time > Nanos::ZERO;
        is_there.then(|| Self {
            step: parameters.step_time,
            batch_bytes: parameters.batch_size,
            prefetch: u64::from(parameters.prefetch),
            all_bytes,
            claimed: AtomicU64::new(0),
            read: AtomicU64::new(0),
            complete: (0..all_bytes.div_ceil(parameters.batch_size))
                .map(|_| AtomicU64::new(NOT_READ))
                .collect(),
        })
    }

    /// Takes note of batches that it has begun to work on by now.
    fn go_on(&self, taken: &mut Taken, now: Nanos) {
        while let Some(at) = self.next(*taken)
            && at <= now
        {
            *taken = Taken { batches: taken.batches + 1, free: at + self.step };
        }
    }

    /// When it takes the batch behind those; `None` if that is not complete, or there is none.
    fn next(&self, taken: Taken) -> Option<Nanos> {
        let complete = self.complete.get(usize::try_from(taken.batches).ok()?)?;
        // What was stored before a batch was complete is not needed: a time is all of it.
        let at = complete.load(Ordering::Relaxed);
        (at != NOT_READ).then(|| Nanos(at).max(taken.free))
    }

    /// Lets a reader start a read, if it belongs to a batch that may be read ahead by now.
    ///
    /// # Errors
    /// It may not yet: the time at which to ask again.
    pub(super) fn start(&self, taken: &mut Taken, now: Nanos, bytes: u64) -> Result<(), Nanos> {
        self.go_on(taken, now);
        let room = taken.batches.saturating_add(self.prefetch).saturating_mul(self.batch_bytes);
        // Readers that look at the same time may all start a read: a pass is ahead by less than a read for each.
        if self.claimed.load(Ordering::Relaxed) < room {
            self.claimed.fetch_add(bytes, Ordering::Relaxed);
            return Ok(());
        }
        Err(self.next(*taken).unwrap_or_else(|| taken.free.max(now + LOOK_AGAIN)))
    }

    /// Takes note of a read that has ended.
    pub(super) fn end(&self, bytes: u64, ended: Nanos) {
        let before = self.read.fetch_add(bytes, Ordering::Relaxed);
        let after = before + bytes;
        // The last batch may be smaller.
        let complete =
            if after >= self.all_bytes { self.complete.len() as u64 } else { after / self.batch_bytes };
        for batch in before / self.batch_bytes..complete {
            if let Some(at) = self.complete.get(batch as usize) {
                at.store(ended.0, Ordering::Relaxed);
            }
        }
    }

    /// Its time, when all readers have ended; nothing if there were fewer than two steps.
    pub(super) fn time(&self) -> AcceleratorTime {
        let mut taken = Taken::default();
        let (mut first, mut last) = (None, Nanos::ZERO);
        while let Some(at) = self.next(taken) {
            first.get_or_insert(at);
            last = at;
            taken = Taken { batches: taken.batches + 1, free: at + self.step };
        }
        let Some(first) = first else { return AcceleratorTime::default() };
        let busy = Nanos(self.step.0.saturating_mul(taken.batches - 1));
        AcceleratorTime { busy, all: last.since(first) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::SCHEMA;

    const MS: u64 = 1_000_000;

    /// Batches of 10 bytes, each worked on for 10 ms.
    fn accelerator(all_bytes: u64, prefetch: &str) -> Accelerator {
        let changes = [("step_time", "10ms"), ("batch_size", "10B"), ("prefetch", prefetch)];
        let parameters = Parameters::read(&crate::configured::configured(&SCHEMA, &changes)).unwrap();
        Accelerator::new(&parameters, all_bytes).unwrap()
    }

    fn time(busy: u64, all: u64) -> AcceleratorTime {
        AcceleratorTime { busy: Nanos(busy * MS), all: Nanos(all * MS) }
    }

    #[test]
    fn without_a_step_there_is_none() {
        let parameters = Parameters::read(&crate::configured::configured(&SCHEMA, &[])).unwrap();
        assert!(Accelerator::new(&parameters, 100).is_none());
    }

    #[test]
    fn it_waits_for_batches_that_come_late_and_for_nothing_before_the_first() {
        for (complete, expected) in [
            // All there at once: it never waits.
            (&[5, 5, 5, 5][..], time(30, 30)),
            // Each comes in time.
            (&[100, 105, 111, 119], time(30, 30)),
            // Each comes 25 ms after the one before.
            (&[25, 50, 75, 100], time(30, 75)),
            // One is late by 7 ms.
            (&[0, 17, 20, 21], time(30, 37)),
            (&[3], time(0, 0)),
        ] {
            let accelerator = accelerator(10 * complete.len() as u64, "2");
            for at in complete {
                accelerator.end(10, Nanos(at * MS));
            }
            assert_eq!(accelerator.time(), expected, "{complete:?}");
        }
    }

    #[test]
    fn a_read_completes_as_many_batches_as_it_fills() {
        // 34 bytes are three batches and a smaller one.
        let accelerator = accelerator(34, "2");
        accelerator.end(9, Nanos(MS));
        assert_eq!(accelerator.next(Taken::default()), None);
        accelerator.end(20, Nanos(2 * MS));
        assert_eq!(accelerator.time(), time(10, 10), "two batches");
        accelerator.end(5, Nanos(3 * MS));
        assert_eq!(accelerator.time(), time(30, 30));
    }

    #[test]
    fn readers_are_ahead_by_the_prefetch_and_no_more() {
        let accelerator = accelerator(100, "2");
        let mut taken = Taken::default();
        let start = |taken: &mut Taken, now| accelerator.start(taken, Nanos(now * MS), 10);
        assert_eq!((start(&mut taken, 0), start(&mut taken, 0)), (Ok(()), Ok(())));
        // The first batch is still being read: nobody knows when it will be complete.
        assert_eq!(start(&mut taken, 1), Err(Nanos(MS) + LOOK_AGAIN));
        accelerator.end(10, Nanos(2 * MS));
        // It is taken at once, and makes room for one more.
        assert_eq!(start(&mut taken, 2), Ok(()));
        accelerator.end(10, Nanos(3 * MS));
        // The second one is taken when the first is done.
        assert_eq!(start(&mut taken, 3), Err(Nanos(12 * MS)));
        assert_eq!(start(&mut taken, 12), Ok(()));
        // The third is not read, and is not taken before the second one is done.
        assert_eq!(start(&mut taken, 13), Err(Nanos(22 * MS)));
    }
}
