//! A disk that forgets: for tests of durability, a block device in memory that loses, at a cut, what was not flushed.
//!
//! ```text
//! files ─► ext4 or XFS ─► loop device ─► FUSE: one file, `disk` ─► Image: current | flushed | pending requests
//!                                                                        └─ cut ─► Snapshot ─► another disk
//! ```
//!
//! - **An image has two states and what lies between them.** A read sees the current one. A flush makes it durable.
//!   A cut gives back what was flushed, or that and a seeded subset of the requests since then, in any order and torn.
//! - **A cut never stops the disk.** The snapshot is what it was at that moment. A process that uses the disk goes on
//!   until the caller kills it, and gets acknowledgements that are worth nothing: one counts only if it was received
//!   before the cut.
//! - **A snapshot is switched on as another disk that forgets**, so that a recovery can be cut too.
//! - **A killed process leaves no thread that waits for its own disk.** The server has file descriptors and a mount
//!   namespace of its own (`disk::kernel::apart`). What stays mounted is found by its work directory and removed by
//!   the next start.
//! - **The server never touches what is on its disk**, and gets memory without writing dirty pages back. Threads of
//!   this process may use the files. They should not map them: a page fault that waits for the disk can hold what the
//!   server needs. The process dumps no core from the first disk on: the kernel would stop the server and then wait for
//!   the threads that wait for it.
//! - **Memory**: the pages that are not zero, twice those that were written since the last flush, and what snapshots
//!   have that later changed.
//!
//! On Linux 6.18, two busy cores: 5,600–14,000 commits a second of 4 KiB on ext4 (overwrite, fdatasync), 2,800–5,200
//! that append; a disk of 1 GiB in 0.1–0.2 s, a cut in 40–70 µs, a recovery of ext4 in 0.1–0.3 s. A recovery of XFS
//! takes seconds after tens of thousands of appends. `cargo bench -p syncline-forget` measures them.

mod cut;
mod disk;
mod error;
mod file_system;
mod image;
mod pages;
mod request;
mod server;

pub use crate::disk::{ForgettingDisk, unsupported};
pub use cut::{Cut, Torn};
pub use error::{ForgetError, Unsupported};
pub use file_system::{Counts, Delays, Moment};
pub use image::{Image, PastTheEnd, Snapshot};
