//! Laws that figures obey if they are what they are stated to be.
//!
//! - **A law is held against [`Claim`]s**: figures, how uncertain each is, and what is known about how they were
//!   made. A row of a table that somebody published is a claim (`published`), and so is a trial of a run of
//!   Syncline (`verdict`). The laws know neither.
//! - **A law has one limit for every source.** What makes figures uncertain (rounding for print, the resolution of
//!   a histogram, the edges of a window) belongs to the claim.
//! - **A law that lacks what it takes does not judge.** It says what it lacks.
//! - **One file holds a law** (`list/`, `disk/`): the condition, its limits with their sources, its words and its
//!   tests.
//!
//! All of it is pure.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod claim;
mod disk;
mod in_flight;
mod law;
pub mod list;
mod reading;
mod status;
#[cfg(test)]
mod tests;

pub use claim::{
    Arrivals, Cache, Circumstances, Claim, Direction, Estimate, Figure, Latency, LatencyFigure, Median,
    Number, NumberKind, Percentile, Property, Rated, Spread, SpreadKind, Sync, System, Timed, is_engine,
    time,
};
pub use disk::DISK_LAWS;
pub use law::{Judgement, Law, Looks};
pub use list::LAWS;
pub use reading::{Concern, Reading};
pub use status::Status;
