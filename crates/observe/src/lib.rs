//! What a running database asks of its disk: reads, writes and syncs of processes that run already, and where their
//! time went.
//!
//! ```text
//! trace: Stream ─► Observer ─► Observation ─► document with drawings, JSON, parts of the load
//!                     ▲
//!            Machine (/proc, /sys): which file a descriptor is, whose child a process is
//! ```
//!
//! - **Nothing is changed.** Syncline opens no file of the database, attaches to no process and sets nothing. It reads
//!   `/proc`, `/sys` and the kernel's tracepoints.
//! - **An [`Observer`] is pure.** It gets events and asks a [`System`] for facts, which tests make up.
//! - **Memory is bounded.** Files, descriptors, sizes, spikes and events each have a limit, and what is beyond one is
//!   counted. Rates over time have a number of slots, which become longer.
//! - **What is frequent is recorded in windows.** Rates of reads and writes are then estimates, and stated to be.
//! - **What was not seen is stated.** Records that a ring had no room for, requests through `io_submit`, files that
//!   were closed before they could be named, and maps (`mmap`), which make no system calls.
//! - **Names of processes and files are from outside.** The crate `page` and the binary escape them.

// In a test a panic is the report.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod class;
mod descriptors;
mod device;
mod document;
mod explained;
mod files;
mod gauge;
pub mod layout;
mod load_parts;
mod machine;
mod missing;
mod observation;
mod observer;
mod order;
mod plot;
mod progress;
mod repeated;
mod scope;
mod sizes;
mod spikes;
mod study;
mod synced;
mod system;
mod tally;
mod target;
mod timeline;
mod windows;

pub use class::Class;
pub use machine::Machine;
pub use missing::{Lost, MissingTracepoint};
pub use observation::{
    AgainstRun, ClassFigures, ClassOverTime, DeviceFigures, DiskFigure, Explanation, FileFigures, Latency,
    LatencyBin, NotSeen, Observation, OverTime, Part, Recording, RoleFigures, SizeFigures, Spike,
    SpikeFigures, StreamFigures, SyncFigures, Writer,
};
pub use observer::Observer;
pub use progress::{ClassProgress, Progress};
pub use study::NoStudy;
pub use system::{Disk, DiskCounters, FoundFile, Opened, System};
pub use target::{Target, TargetError};
