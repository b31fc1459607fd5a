//! A buffer pool and a table of several sizes: what a page costs to write and to read, and how large the pool must be
//! so that a second pass finds every page. This is page 002.
//!
//! A trial is several [`Phase`]s over one table. On Syncline's pool each is a state machine of page operations,
//! [`PoolPhase`]; PostgreSQL runs the same phases as SQL statements. Either way the result of a phase is a [`Run`], and
//! [`metrics()`] combines the runs.

mod definitions;
mod describe;
mod levels;
mod machine;
mod maps;
mod metrics;
mod order;
mod parameters;
mod phase;
mod schema;

pub use levels::{Access, Maps, Subject, Table};
pub use machine::PoolPhase;
pub use maps::map_pages;
pub use metrics::{Counts, PoolMeasurement, Run, metrics};
pub use parameters::{Handles, PARAMETERS, Parameters};
pub use phase::Phase;
pub use schema::SCHEMA;

/// The levels of the parameter `policy`. The crate `trial` knows which file of the buffer crate implements each.
pub const POLICIES: &[&str] = &["clock_sweep", "lru", "sieve"];

#[cfg(test)]
mod tests;
