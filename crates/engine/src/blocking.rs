//! The one backend of all engines: operations performed by the driver's own thread, one after another.

use crate::{Engine, EngineError};
use driver::{Backend, Clock, MonotonicClock};
use model::kv::NOT_FOUND;
use model::{Completion, KvKind, KvOp, Nanos, Stamps};
use std::hint;
use std::io;
use std::num::NonZeroU64;
use std::thread;
use std::time::Duration;

/// The last part of a wait is spun: waking an idle core takes tens of microseconds, which an open loop would count as
/// latency of the operation that was due.
const SPIN: Nanos = Nanos(60_000);

/// A value longer than this makes the first get that meets it allocate.
const VALUE_BYTES: usize = 1 << 16;

/// An operation on which an engine failed. It is what the [`io::Error`] of [`Blocking`] holds, so the engine's own
/// message reaches the record.
#[derive(Debug, thiserror::Error)]
#[error("{operation}: {source}")]
pub struct OperationFailed {
    /// What was asked for.
    pub operation: KvOp,
    /// What the engine said.
    pub source: EngineError,
}

/// Makes a [`Backend`] of an engine.
///
/// Submitted operations wait in a queue and are performed by `reap`, first in, first out. However deep the queue, one
/// operation is in progress at a time, as in a thread of a server that calls its storage engine; so in a batch each is
/// stamped itself: it begins when its turn comes, which is when the one before it ended.
///
/// `system_calls` is 0 because a trait of numbers has no other word for it: an engine's system calls happen in its own
/// code and threads, and nobody here can count them. Whoever reports them reports
/// [`Blocking::SYSTEM_CALLS`] instead.
#[derive(Debug)]
pub struct Blocking<'e, E> {
    performer: Performer<'e, E>,
    clock: MonotonicClock,
    queue: Vec<KvOp>,
    in_flight_max: usize,
    /// Whether the deadline of the last call left operations in the queue.
    has_leftovers: bool,
}

#[derive(Debug)]
struct Performer<'e, E> {
    engine: &'e E,
    payload: &'e [u8],
    /// Where gets put what they read.
    value: Vec<u8>,
    /// One byte of every cache line that scans read.
    touched: u64,
}

impl<'e, E: Engine> Blocking<'e, E> {
    /// Why a record has no count of system calls.
    pub const SYSTEM_CALLS: &'static str =
        "an engine makes its system calls in its own code and threads, where nobody counts them";

    /// A backend on the thread that will drive it. Puts take their values from `payload`; `in_flight_max` is the
    /// workload's.
    ///
    /// # Errors
    /// The kernel refuses exact timers.
    pub fn new(
        engine: &'e E,
        payload: &'e [u8],
        clock: MonotonicClock,
        in_flight_max: usize,
    ) -> io::Result<Self> {
        // prctl(2), PR_SET_TIMERSLACK: by default the kernel ends timed waits up to 50 µs late to save wake-ups.
        rustix::thread::set_current_timer_slack(Some(NonZeroU64::MIN))?;
        let performer = Performer { engine, payload, value: Vec::with_capacity(VALUE_BYTES), touched: 0 };
        Ok(Self {
            performer,
            clock,
            queue: Vec::with_capacity(in_flight_max),
            in_flight_max,
            has_leftovers: false,
        })
    }
}

impl<E: Engine> Performer<'_, E> {
    /// Performs an operation: bytes or entries moved, 0, or [`NOT_FOUND`].
    #[inline]
    fn perform(&mut self, operation: &KvOp) -> io::Result<i32> {
        let key = operation.key.as_bytes();
        let result = match operation.kind {
            KvKind::Put => {
                let begin = operation.value.offset as usize;
                let Some(value) = self.payload.get(begin..begin + operation.value.length as usize) else {
                    return Err(invalid(operation));
                };
                self.engine.put(key, value).map(|()| value.len() as i32)
            }
            KvKind::Get => {
                let found = self.engine.get(key, &mut self.value);
                found.map(|found| if found { self.value.len() as i32 } else { NOT_FOUND })
            }
            KvKind::Delete => self.engine.delete(key).map(|()| 0),
            KvKind::Scan => {
                let mut touched = self.touched;
                // An engine may hand out a reference into a page that nobody has read yet: a scan that does not look
                // at values does not read them.
                let scanned = self.engine.scan(key, operation.limit as usize, |_, value| {
                    touched = value.iter().step_by(64).fold(touched, |sum, byte| sum + u64::from(*byte));
                });
                self.touched = hint::black_box(touched);
                scanned.map(|entries| entries as i32)
            }
            KvKind::Sync => self.engine.sync().map(|()| 0),
        };
        result.map_err(|source| failed(operation, source))
    }
}

/// The put reaches outside the payload: the workload and the setup disagree.
#[cold]
fn invalid(operation: &KvOp) -> io::Error {
    let text = format!("{operation:?}: its value is not inside the payload");
    io::Error::new(io::ErrorKind::InvalidInput, text)
}

#[cold]
fn failed(operation: &KvOp, source: EngineError) -> io::Error {
    io::Error::other(OperationFailed { operation: *operation, source })
}

impl<E: Engine> Backend for Blocking<'_, E> {
    type Op = KvOp;

    #[inline]
    fn submit(&mut self, operations: &[KvOp]) -> io::Result<usize> {
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
        if self.queue.is_empty() {
            return wait_idle(self.clock, at_least, deadline);
        }
        if let ([operation], false) = (&self.queue[..], self.has_leftovers) {
            // Submitted just now and complete when this call returns: the driver's own stamps say that, for one clock
            // read instead of three.
            let result = self.performer.perform(operation)?;
            out.push(Completion { id: operation.id, result, stamps: None });
            self.queue.clear();
            return Ok(());
        }
        let enough = out.len() + at_least;
        let mut performed = 0;
        let mut began = self.clock.now();
        for operation in &self.queue {
            let result = self.performer.perform(operation)?;
            let ended = self.clock.now();
            out.push(Completion { id: operation.id, result, stamps: Some(Stamps { began, ended }) });
            performed += 1;
            began = ended;
            // The workload may have more to emit by now; what is queued is performed at the next call.
            if out.len() >= enough && deadline.is_some_and(|deadline| ended >= deadline) {
                break;
            }
        }
        self.queue.drain(..performed);
        self.has_leftovers = !self.queue.is_empty();
        Ok(())
    }

    fn system_calls(&self) -> u64 {
        0
    }
}

/// Waits for the deadline with nothing in flight.
///
/// # Errors
/// Without a deadline nothing will ever happen: the workload waits for an operation that it has not emitted.
fn wait_idle(clock: MonotonicClock, at_least: usize, deadline: Option<Nanos>) -> io::Result<()> {
    let Some(deadline) = deadline else {
        if at_least == 0 {
            return Ok(());
        }
        return Err(io::Error::other("the workload waits for a completion, but nothing is in flight"));
    };
    let left = deadline.since(clock.now());
    if left > SPIN {
        thread::sleep(Duration::from(left - SPIN));
    }
    while clock.now() < deadline {
        hint::spin_loop();
    }
    Ok(())
}
