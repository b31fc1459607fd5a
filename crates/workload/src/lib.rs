//! Seeded state machines that emit operations: no I/O and no clock, so they run on a simulated device too.
//!
//! To add a workload: one module here, its schema's line in [`SCHEMAS`], and its wiring to a subject in the binary.

pub mod append;
mod arrivals;
mod cache;
pub mod commit;
pub mod device;
pub mod distribution;
mod evidence;
mod io_engine;
pub mod kv;
pub mod pool;
pub mod scan;
pub mod steady_ramp;

pub use cache::Cache;
pub use evidence::Evidence;
pub use io_engine::IoEngine;

use model::parameter::Schema;
use model::suggestion;

/// Every workload there is.
pub const SCHEMAS: &[&Schema] =
    &[&append::SCHEMA, &commit::SCHEMA, &device::SCHEMA, &kv::SCHEMA, &pool::SCHEMA, &scan::SCHEMA];

/// Finds a workload's schema; the error names the nearest known one.
pub fn schema(workload: &str) -> Result<&'static Schema, String> {
    SCHEMAS.iter().find(|schema| schema.workload == workload).copied().ok_or_else(|| {
        suggestion::unknown("workload", workload, SCHEMAS.iter().map(|schema| schema.workload))
    })
}
