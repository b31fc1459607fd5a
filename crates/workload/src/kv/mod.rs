//! A key-value engine as a server uses it: loaded in random order, drained, then read, written and scanned. This is the
//! HedgeDB half of page 001.
//!
//! A trial is several [`Phase`]s, each driven by itself; one [`KvPhase`] is one thread in one phase. [`metrics()`]
//! combines them.

mod definitions;
mod describe;
pub mod keys;
mod machine;
mod metrics;
mod mix;
mod parameters;
mod phase;
mod schema;
pub mod values;
mod writes;

pub use definitions::SIZE_PARAMETER;
pub use machine::KvPhase;
pub use metrics::{KvMeasurement, Run, defect, metrics};
pub use mix::{Phases, Step};
pub use parameters::{Handles, PARAMETERS, Parameters};
pub use phase::Phase;
pub use schema::SCHEMA;

/// The levels of the parameter `engine`. The crate `trial` knows which of them are built in.
pub const ENGINES: &[&str] = &["noop", "memory", "store", "fjall", "lmdb", "redb", "sqlite", "rocksdb"];

#[cfg(test)]
mod tests;
