//! Seeded state machines that emit operations. They do no I/O and read no clock, so they also run on a simulated
//! device.
//!
//! To add a workload, write one module here, add its schema to [`SCHEMAS`], and wire it to a subject in the crate
//! `trial`.
//!
//! - **Only a workload knows its parameters.** It describes each configuration once, as data in the plan
//!   (`Schema::describe`, [`model::Description`]): streams, files, caps in bytes, durability, what requests flushes,
//!   how long a trial lasts. Everybody else reads that and no parameter. An unknown level is an error, never another
//!   level.
//! - **A configuration names its files** (`Description::files`), and the name contains everything that distinguishes a
//!   file. Two equal names are the same file; reuse, space checks and image sizes follow from that.
//! - **A layout that a trial uses up** (append, fallocated) cannot wrap: the trial ends when the log is full, and
//!   records that.
//! - **With `exact` pacing the reads of a commit run beside the write and the sync of the previous one**, and then
//!   pause. The ratio holds, and reads and commits still overlap, as the study requires.
//! - **The jobs of a `device` trial share its file.** Random jobs use all of it, sequential jobs one slice each.
//!   Without `offset_increment`, fio's sequential jobs read the same blocks one after another, and the second job
//!   measures the cache of the first.

pub mod append;
mod arrivals;
pub mod commit;
#[cfg(test)]
mod configured;
mod describe;
pub mod device;
pub mod distribution;
mod evidence;
pub mod export;
mod io_engine;
pub mod kv;
mod mix;
pub mod object;
pub mod older_plan;
pub mod phases;
pub mod pool;
mod popularity;
pub mod requests;
pub mod scan;
mod scatter;
mod server_settings;
pub mod steady_ramp;
pub mod transactions;

pub use evidence::Evidence;
pub use io_engine::IoEngine;
pub use popularity::Popularity;

use model::Schema;
use model::suggestion;

/// Every workload there is.
pub const SCHEMAS: &[&Schema] = &[
    &append::SCHEMA,
    &commit::SCHEMA,
    &device::SCHEMA,
    &kv::SCHEMA,
    &object::SCHEMA,
    &pool::SCHEMA,
    &requests::SCHEMA,
    &scan::SCHEMA,
    &transactions::SCHEMA,
];

/// Finds a workload's schema; the error names the nearest known one.
pub fn schema(workload: &str) -> Result<&'static Schema, String> {
    SCHEMAS.iter().find(|schema| schema.workload() == workload).copied().ok_or_else(|| {
        suggestion::unknown("workload", workload, SCHEMAS.iter().map(|schema| schema.workload()))
    })
}
