//! The two traits `Workload` and `Backend`, and the one loop between them.
//!
//! A [`Workload`] decides which operations come next; a [`Backend`] performs them; the [`Driver`] connects the two,
//! stamps every operation and owns the clock. All three are generic and monomorphised: no allocation, lock, formatting
//! or dynamic call per operation, and one clock read per batch.
//!
//! - **This crate is separate from `model`.** Workloads and backends both need the traits, and `model` has no
//!   behaviour.
//! - **The workload assigns the id and the buffer offset of each operation**, because it knows its own depth. A pool in
//!   the driver would need a free list in the loop; this way the whole arena is one registered buffer.
//! - **Operations that are performed inline share one loop** (`inline.rs`). System calls, a mapping and an engine have
//!   the same queue, stamps, waiting and deadline; such a backend consists only of the call that performs an operation.

mod clock;
mod drive;
mod inline;
mod meeting;
mod progress;
mod recorder;
mod slice;
mod stamps;
mod team;
pub mod wait;

pub use clock::{Clock, MonotonicClock, VirtualClock};
pub use drive::{DriveError, Driven, Driver};
pub use inline::{Inline, Perform};
pub use progress::Progress;
pub use recorder::{LATENCY_NANOS_MAX, Recorder};
pub use slice::{Slice, SliceLength, Turns};
pub use team::run_team;

use model::{Completion, Nanos};
use std::io;

/// What a workload says after it has been polled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing more until an operation completes.
    Wait,
    /// Poll again at this time, or earlier if an operation completes.
    At(Nanos),
    /// No further operations will come.
    Done,
}

/// A seeded state machine that emits operations. It does no I/O and reads no clock.
pub trait Workload {
    /// The kind of operation it emits.
    type Op;

    /// Appends the operations that are due now to `out`. Never emits more than `in_flight_max` at once.
    fn poll(&mut self, now: Nanos, out: &mut Vec<Self::Op>) -> Next;

    /// Appends what is needed to complete the work that has started, such as the sync of a write, and starts nothing
    /// new; [`Next::Done`] if nothing is. Called instead of `poll` when a turn has ended. Most operations are complete
    /// by themselves.
    fn complete_started(&mut self, _now: Nanos, _out: &mut Vec<Self::Op>) -> Next {
        Next::Done
    }

    /// Takes note of a completed operation (always a full success) and records latencies.
    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder);

    /// Most operations that are ever in flight; every operation's id is below it.
    fn in_flight_max(&self) -> usize;

    /// The latency families this workload records, in the order of [`Recorder::latency`]'s index.
    fn families(&self) -> &'static [&'static str];
}

/// What performs operations.
pub trait Backend {
    /// The kind of operation it performs.
    type Op;

    /// Accepts operations; returns how many were taken. The rest is offered again after the next reap.
    fn submit(&mut self, operations: &[Self::Op]) -> io::Result<usize>;

    /// Appends completions to `out`: waits until at least `at_least` have come or `deadline` has passed. With
    /// nothing in flight it waits for the deadline.
    fn reap(&mut self, at_least: usize, deadline: Option<Nanos>, out: &mut Vec<Completion>)
    -> io::Result<()>;

    /// The time at which the last reap ended, if the backend has read the clock then: it saves the driver a read.
    #[inline]
    fn reaped_at(&self) -> Option<Nanos> {
        None
    }

    /// System calls made so far to submit, wait and perform; waiting with nothing in flight is not counted.
    fn system_calls(&self) -> u64;
}
