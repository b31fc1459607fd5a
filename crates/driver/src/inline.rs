//! Operations performed by the driver's own thread, one after another: what every blocking subject shares, system
//! calls, mapped memory and key-value engines alike.

use crate::wait::{make_timers_exact, wait_idle};
use crate::{Backend, Clock, MonotonicClock};
use model::{Completion, Nanos, Operation, Stamps};
use std::io;

/// How a single operation is performed.
pub trait Perform {
    /// The kind of operation.
    type Op: Operation;

    /// Performs an operation and returns when it is complete: its result, or a negated errno.
    ///
    /// # Errors
    /// The operation contradicts the setup, or the subject failed; the trial is over.
    fn perform(&mut self, operation: &Self::Op) -> io::Result<i32>;

    /// Performs all of these operations in one call and puts their results into `results`, which is empty, in their
    /// order; or does nothing and returns `None`, and they are performed one after another.
    ///
    /// # Errors
    /// As [`perform`](Self::perform).
    fn perform_together(
        &mut self,
        _operations: &[Self::Op],
        _results: &mut Vec<i32>,
    ) -> Option<io::Result<()>> {
        None
    }

    /// System calls made so far.
    fn system_calls(&self) -> u64;
}

/// A queue in front of a [`Perform`].
///
/// Submitted operations wait in a queue and are performed by `reap`, first in, first out. However deep the queue, one
/// operation is in progress at a time, as in a thread of a server that does synchronous I/O; so in a batch each is
/// stamped itself: it begins when its turn comes, which is when the one before it ended. Operations that the subject
/// performs together begin and end together.
#[derive(Debug)]
pub struct Inline<P: Perform> {
    performer: P,
    clock: MonotonicClock,
    queue: Vec<P::Op>,
    /// The results of operations that are performed together.
    results: Vec<i32>,
    /// How many of the queue are performed: those that a deadline cut off follow.
    performed: usize,
    in_flight_max: usize,
    /// Whether the deadline of the last call left operations in the queue.
    has_leftovers: bool,
    /// The last operation's end, if the last call stamped it.
    reaped_at: Option<Nanos>,
}

impl<P: Perform> Inline<P> {
    /// A backend on the thread that will drive it; `in_flight_max` is the workload's.
    ///
    /// # Errors
    /// The kernel refuses exact timers.
    pub fn new(performer: P, clock: MonotonicClock, in_flight_max: usize) -> io::Result<Self> {
        make_timers_exact()?;
        Ok(Self {
            performer,
            clock,
            queue: Vec::with_capacity(in_flight_max),
            results: Vec::with_capacity(in_flight_max),
            performed: 0,
            in_flight_max,
            has_leftovers: false,
            reaped_at: None,
        })
    }
}

impl<P: Perform> Inline<P> {
    /// Everything queued was performed by one call.
    fn complete_together(
        &mut self,
        began: Nanos,
        performed: io::Result<()>,
        out: &mut Vec<Completion>,
    ) -> io::Result<()> {
        let ended = self.clock.now();
        let stamps = Some(Stamps { began, ended });
        let queued = &self.queue[self.performed..];
        if performed.is_ok() {
            let results = queued.iter().zip(&self.results);
            out.extend(results.map(|(queued, result)| Completion {
                id: queued.id(),
                result: *result,
                stamps,
            }));
        }
        self.queue.clear();
        self.performed = 0;
        self.has_leftovers = false;
        self.reaped_at = Some(ended);
        performed
    }
}

impl<P: Perform> Backend for Inline<P> {
    type Op = P::Op;

    #[inline]
    fn submit(&mut self, operations: &[P::Op]) -> io::Result<usize> {
        if self.performed > 0 {
            self.queue.drain(..self.performed);
            self.performed = 0;
        }
        let taken = operations.len().min(self.in_flight_max - self.queue.len());
        self.queue.extend_from_slice(&operations[..taken]);
        Ok(taken)
    }

    fn reap(
        &mut self,
        at_least: usize,
        deadline: Option<Nanos>,
        out: &mut Vec<Completion>,
    ) -> io::Result<()> {
        self.reaped_at = None;
        match &self.queue[self.performed..] {
            [] => return wait_idle(self.clock, at_least, deadline),
            // Submitted just now and complete when this call returns: the driver's own stamps say that, for one clock
            // read instead of three.
            [only] if !self.has_leftovers => {
                let (id, result) = (only.id(), self.performer.perform(only));
                // One that failed is at its end too: no later call tries it again.
                self.queue.clear();
                out.push(Completion { id, result: result?, stamps: None });
                return Ok(());
            }
            [_, ..] => {}
        }
        let enough = out.len() + at_least;
        let mut began = self.clock.now();
        self.results.clear();
        let queued = &self.queue[self.performed..];
        if let Some(performed) = self.performer.perform_together(queued, &mut self.results) {
            return self.complete_together(began, performed, out);
        }
        let mut outcome = Ok(());
        for operation in &self.queue[self.performed..] {
            let result = self.performer.perform(operation);
            let ended = self.clock.now();
            self.performed += 1;
            match result {
                Ok(result) => {
                    let stamps = Some(Stamps { began, ended });
                    out.push(Completion { id: operation.id(), result, stamps });
                }
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            }
            began = ended;
            // The workload may have more to emit by now; what is queued is performed at the next call.
            if out.len() >= enough && deadline.is_some_and(|deadline| ended >= deadline) {
                break;
            }
        }
        self.reaped_at = Some(began);
        self.has_leftovers = self.performed < self.queue.len();
        if !self.has_leftovers {
            self.queue.clear();
            self.performed = 0;
        }
        outcome
    }

    #[inline]
    fn reaped_at(&self) -> Option<Nanos> {
        self.reaped_at
    }

    fn system_calls(&self) -> u64 {
        self.performer.system_calls()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{ScanKind, ScanOp};

    /// Opens files; that of one number fails.
    struct Failing {
        file: u32,
        performed: Vec<u32>,
    }

    impl Perform for Failing {
        type Op = ScanOp;

        fn perform(&mut self, operation: &ScanOp) -> io::Result<i32> {
            self.performed.push(operation.file);
            if operation.file == self.file { Err(io::Error::other("no")) } else { Ok(0) }
        }

        fn system_calls(&self) -> u64 {
            0
        }
    }

    /// Once a failed operation stayed in the queue, and the next reap performed it again.
    #[test]
    fn what_failed_is_not_performed_again() -> io::Result<()> {
        for files in 1..=4 {
            for failing in 0..files {
                let performer = Failing { file: failing, performed: Vec::new() };
                let mut backend = Inline::new(performer, MonotonicClock::start(), 4)?;
                let opens = |id| ScanOp { id, kind: ScanKind::Open, file: id, offset: 0, length: 0 };
                backend.submit(&(0..files).map(opens).collect::<Vec<_>>())?;
                let mut out = Vec::new();
                assert!(backend.reap(1, None, &mut out).is_err());
                assert_eq!(out.len(), failing as usize, "those before it are complete");
                backend.reap(0, None, &mut out)?;
                assert_eq!(backend.submit(&[opens(9)])?, 1);
                backend.reap(1, None, &mut out)?;
                let others = (0..files).filter(|id| *id != failing).chain([9]);
                assert_eq!(out.iter().map(|done| done.id).collect::<Vec<_>>(), others.collect::<Vec<_>>());
                let expected = (0..files).chain([9]).collect::<Vec<_>>();
                assert_eq!(backend.performer.performed, expected);
            }
        }
        Ok(())
    }
}
