//! Objects that are read, written, listed and removed: files of a directory, or objects of a store.
//!
//! A trial is one mix of operations on a dataset of objects whose names, sizes and bytes follow from their numbers, or
//! repeats a [`log`] of operations. One [`ObjectLoad`] is one client; [`Fill`] makes the dataset. [`metrics()`]
//! combines the clients.

mod definitions;
mod describe;
mod fill;
mod levels;
pub mod log;
mod machine;
mod metrics;
mod moved;
mod parameters;
mod schema;
mod size_classes;
mod sizes;
mod written;

pub use fill::Fill;
pub use levels::{LogFormat, SizeDistribution, Step};
pub use machine::ObjectLoad;
pub use metrics::{ObjectMeasurement, metrics, restore_metrics, size_classes};
pub use parameters::{Handles, PARAMETERS, Parameters};
pub use schema::SCHEMA;
pub use sizes::ObjectSizes;

#[cfg(test)]
mod tests;
