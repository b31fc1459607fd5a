//! The one loop: poll, submit, reap, stamp, complete.

use crate::{Backend, Clock, Next, Recorder, Workload};
use model::{Completion, Nanos, Operation, Stamps};
use std::io;

/// Why a measurement ended early.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// An operation failed or fell short; nothing after it is counted.
    #[error("{operation}: {source}")]
    Operation {
        /// The operation, as the workload emitted it.
        operation: String,
        /// The kernel's error.
        source: io::Error,
    },
    /// The backend itself failed.
    #[error("backend: {0}")]
    Backend(#[from] io::Error),
}

/// What a driver has to show.
#[derive(Debug)]
pub struct Driven<W> {
    /// The workload in its final state, with its own counts.
    pub workload: W,
    /// Latencies and series.
    pub recorder: Recorder,
    /// The first poll, on the clock.
    pub began: Nanos,
    /// The last completion, on the clock.
    pub ended: Nanos,
    /// Operations completed.
    pub operations: u64,
    /// Operations in flight, averaged over time.
    pub in_flight_mean: f64,
    /// System calls that the backend made.
    pub system_calls: u64,
    /// The longest that one round of the loop took beyond its planned wait; for a team, of any member.
    pub longest_gap: Nanos,
}

impl<W> Driven<W> {
    /// From the first poll to the last completion; for a team, from the first member's to the last member's.
    pub fn elapsed(&self) -> Nanos {
        self.ended.since(self.began)
    }

    /// Nanoseconds of elapsed time for each operation: on a backend that does nothing, what the instrument itself costs.
    pub fn ns_per_operation(&self) -> f64 {
        self.elapsed().0 as f64 / self.operations.max(1) as f64
    }
}

/// Connects a workload to a backend.
pub struct Driver<W, B, C>
where
    W: Workload,
{
    workload: W,
    backend: B,
    clock: C,
    recorder: Recorder,
    /// By operation id: the operation and when it was submitted.
    in_flight: Vec<Option<(W::Op, Nanos)>>,
    /// Emitted but not yet taken by the backend.
    pending: Vec<W::Op>,
    completions: Vec<Completion>,
    in_flight_count: usize,
    operations: u64,
    /// Operations in flight integrated over time, in operation-nanoseconds.
    in_flight_integral: u128,
    longest_gap: Nanos,
}

impl<W, B, C> Driver<W, B, C>
where
    W: Workload<Op: Operation>,
    B: Backend<Op = W::Op>,
    C: Clock,
{
    /// A driver ready to run; everything that is ever allocated is allocated here.
    pub fn new(workload: W, backend: B, clock: C) -> Self {
        let in_flight_max = workload.in_flight_max();
        Self {
            recorder: Recorder::new(workload.families()),
            in_flight: vec![None; in_flight_max],
            pending: Vec::with_capacity(in_flight_max),
            completions: Vec::with_capacity(in_flight_max),
            workload,
            backend,
            clock,
            in_flight_count: 0,
            operations: 0,
            in_flight_integral: 0,
            longest_gap: Nanos::ZERO,
        }
    }

    /// Runs the workload to its end. Times are counted from this call.
    pub fn run(mut self) -> Result<Driven<W>, DriveError> {
        let origin = self.clock.now();
        let mut now = origin;
        loop {
            let next = self.workload.poll(now.since(origin), &mut self.pending);
            self.submit(now)?;
            let (at_least, deadline) = match next {
                Next::Done if self.in_flight_count == 0 && self.pending.is_empty() => break,
                Next::Done | Next::Wait => (1, None),
                Next::At(at) => (usize::from(self.in_flight_count > 0), Some(origin + at)),
            };
            self.backend.reap(at_least, deadline, &mut self.completions)?;
            let before = now;
            now = self.backend.reaped_at().unwrap_or_else(|| self.clock.now());
            // A planned wait is not a gap.
            let due = deadline.map_or(before, |deadline| deadline.max(before));
            self.longest_gap = self.longest_gap.max(now.since(due));
            self.in_flight_integral += self.in_flight_count as u128 * u128::from(now.since(before).0);
            self.complete(now, origin)?;
            self.recorder.tick(now.since(origin));
        }
        Ok(Driven {
            workload: self.workload,
            recorder: self.recorder,
            began: origin,
            ended: now,
            operations: self.operations,
            system_calls: self.backend.system_calls(),
            longest_gap: self.longest_gap,
            in_flight_mean: self.in_flight_integral as f64 / (now.since(origin).0.max(1)) as f64,
        })
    }

    #[inline]
    fn submit(&mut self, now: Nanos) -> Result<(), DriveError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        for operation in &self.pending {
            // An operation that has to wait for the backend waits on the clock too.
            let (waiting, _) = self.in_flight[operation.id() as usize].get_or_insert((*operation, now));
            debug_assert!(waiting == operation, "the id of {waiting} is used by {operation} too");
        }
        let taken = self.backend.submit(&self.pending)?;
        self.in_flight_count += taken;
        if taken == self.pending.len() {
            self.pending.clear();
        } else {
            self.pending.drain(..taken);
        }
        Ok(())
    }

    #[inline]
    fn complete(&mut self, now: Nanos, origin: Nanos) -> Result<(), DriveError> {
        self.in_flight_count -= self.completions.len();
        self.operations += self.completions.len() as u64;
        for completion in &self.completions {
            let place = &mut self.in_flight[completion.id as usize];
            let Some((operation, began)) = place else {
                return Err(io::Error::other(format!("operation {} completed twice", completion.id)).into());
            };
            if !operation.is_success(completion.result) {
                return Err(failure(operation, completion.result));
            }
            let stamps = completion.stamps.unwrap_or(Stamps { began: *began, ended: now });
            *place = None;
            // A workload knows one time base: that of its polls.
            let stamps = Stamps { began: stamps.began.since(origin), ended: stamps.ended.since(origin) };
            self.workload.complete(&Completion { stamps: Some(stamps), ..*completion }, &mut self.recorder);
        }
        self.completions.clear();
        Ok(())
    }
}

#[cold]
fn failure<O: Operation>(operation: &O, result: i32) -> DriveError {
    let source = if result < 0 {
        io::Error::from_raw_os_error(-result)
    } else {
        let expected = operation.expected_result();
        io::Error::new(io::ErrorKind::UnexpectedEof, format!("moved {result} of {expected} bytes"))
    };
    DriveError::Operation { operation: operation.to_string(), source }
}
