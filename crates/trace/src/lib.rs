//! Where the time of an operation went: the kernel's tracepoints, read and laid out as segments.
//!
//! ```text
//! tracefs: formats ─► Catalogue ─┐
//! kernel ─► a ring a CPU ─► Tracer ─► Trace ─► Waterfall ─► Operation: segments without a gap
//!                       └─► Stream ─► batches of events, also of the files of other processes, without an end
//! ```
//!
//! - **The kernel's layouts are not hard-coded.** Syncline reads from tracefs where this kernel has each field. If
//!   tracefs is mounted nowhere, it is mounted without a place, for this process alone.
//! - **Nothing stays on.** An event lives as long as its file descriptor, so it ends with the process, however that
//!   ends. No setting of tracefs is changed, and no compiler, BTF or kprobe is needed.
//! - **The thread that is measured reads no ring.** Another thread does, on another CPU if there is one. Records for
//!   which a ring had no room are counted, and so are events beyond the limit of memory.
//! - **The clock is that of a trial's stamps**, `CLOCK_MONOTONIC`: an operation is found by its thread and its times.
//! - **Threads are numbers here, and files have no names.** The only names that are kept are those of the programs that
//!   ran, or used the device, beside operations: without arguments, users or paths.
//! - **Time that the events do not explain is unknown**, and a segment like any other. A kernel may hide the events of
//!   some threads, or those of an idle CPU, without counting them as lost. A wait is then laid to the request that it
//!   was for, from the driver's hand until the thread ran again
//!   ([`Stage::DeviceToRun`](waterfall::Stage::DeviceToRun)).
//!
//! `cargo bench -p syncline-trace` measures, in turns, what a trace costs.

/// The examples of the README are compiled, and run, with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod catalogue;
mod clock;
mod error;
mod event;
pub mod format;
mod kernel_threads;
pub mod record;
pub mod stream;
pub mod summary;
mod trace;
mod tracepoints;
mod tracer;
pub mod waterfall;

pub use catalogue::{Catalogue, LostWithout, TRACEPOINTS, Tracepoint};
pub use clock::now_ns;
pub use error::{Absence, TraceError};
pub use event::{Action, Blocks, Call, Class, Device, Event, EventKind, Name};
pub use kernel_threads::KernelThreads;
pub use trace::{Missing, Trace};
pub use tracer::{Limits, Tracer};
