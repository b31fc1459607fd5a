//! From records to findings and audits: a pure function of a run.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod analyse;
mod answer;
mod arms;
mod asks;
mod attribution;
mod audits;
mod blocks;
mod cells;
mod circumstances;
mod comb;
pub mod compare;
mod completeness;
mod counts;
mod curves;
mod durability;
mod estimate;
mod latencies;
mod looks;
mod mechanism;
mod noise;
mod observations;
pub mod phrase;
mod promises;
mod references;
mod series;
pub mod verdict;

#[cfg(test)]
mod synthetic {
    pub(crate) use ::synthetic::*;
}
#[cfg(test)]
mod tests;

pub use analyse::{analyse, analyse_for};
pub use attribution::{Footing, Reach, Requirement, impugning, unproven};
pub use audits::Bearing;
pub use latencies::{Drawing, ReadSidecar};
pub use stats::EQUIVALENCE_MARGIN;
pub use verdict::*;
