//! A buffer pool and a table of a few sizes: what a page costs to write and to read, and how large the pool must be for
//! a second pass to find everything. Page 002.
//!
//! A trial is several [`Phase`]s over one table. On our own pool each is a state machine of page operations,
//! [`PoolPhase`]; PostgreSQL runs the same phases as SQL statements. Either way a phase comes to a [`Run`], and
//! [`metrics()`] puts the runs together.

mod describe;
mod levels;
mod machine;
mod maps;
mod metrics;
mod order;
mod parameters;
mod phase;
mod schema;

pub use levels::{Access, Subject, Table};
pub use machine::PoolPhase;
pub use maps::map_pages;
pub use metrics::{Counts, Outcome, Run, metrics};
pub use parameters::Parameters;
pub use phase::Phase;
pub use schema::SCHEMA;

/// The parameter `policy`'s levels. The crate `trial` knows which file of the buffer crate each is.
pub const POLICIES: &[&str] = &["clock_sweep", "lru", "sieve"];

#[cfg(test)]
mod tests;
