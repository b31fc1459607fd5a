//! Clients of a database server, each of which runs one script again and again: what `pgbench` does.
//!
//! The settings of the server, its programs and the place of its files are parameters, so that any two servers can be
//! the arms of a study. One [`Client`] is one connection. [`metrics()`] combines what the clients recorded with what
//! the server counted.

mod cycle;
mod definitions;
mod describe;
mod durability;
mod levels;
mod machine;
mod metrics;
mod parameters;
mod schema;
mod size;
mod without_effect;

pub use durability::durability;
pub use levels::{Checkpoints, Subject, WalSegments};
pub use machine::Client;
pub use metrics::{ServerCounts, TransactionMeasurement, metrics};
pub use parameters::{Handles, PARAMETERS, Parameters};
pub use schema::SCHEMA;
pub use size::{SHARED_BUFFERS_OF_COLD_SCRIPTS, pages_of_accounts, scale_beyond, shared_buffers_bytes};

pub use without_effect::without_effect;

#[cfg(test)]
mod tests;
