//! Clients of a database server, each with one request at a time: a statement on one row, or what a key-value server
//! has in its place. It is what sysbench and YCSB call their point operations.
//!
//! The server, its settings and what its clients ask are parameters, so that any two servers of one kind can be the
//! arms of a study. One [`Client`] is one connection. [`metrics()`] combines what the clients recorded with what the
//! kernel counted.

mod definitions;
mod describe;
mod durability;
mod levels;
mod log_cycles;
mod machine;
mod metrics;
mod parameters;
mod schema;
mod settings;
mod without_effect;

pub use levels::{LogCycles, ServerKind};
pub use machine::Client;
pub use metrics::{RequestMeasurement, metrics};
pub use parameters::{Handles, PARAMETERS, Parameters};
pub use schema::SCHEMA;

#[cfg(test)]
mod tests;
