//! Many runs of one disk in the order of time: per question a series, and where its level changed. A pure function of
//! the runs.
//!
//! - **Figures are relative to the anchor of their run** (`probe`), because the speed of a shared machine moves by a
//!   tenth from hour to hour. Only the anchor's own figure is absolute.
//! - **Runs are ordered by the time at which they were created**, and a change lies between two runs. Nothing else is
//!   made of their clocks, because these step.
//! - **A figure of a failed audit is left out**, and its run is counted. That others used the machine is the exception:
//!   it is the noise of the series.
//! - **Another disk, or other parameters, are another history.** A kernel, a firmware or a mount option that changed is
//!   listed at the change.
//! - **Fewer than ten runs have no changes**, and no words about them.

mod document;
mod event;
mod gather;
mod limit;
mod probe;
mod question;
mod series;
mod spikes;
#[cfg(test)]
mod tests;

pub use document::Plots;
pub use event::Event;
pub use gather::{DiskHistory, History, RunOfHistory, Unused};
pub use limit::{HistoryRuling, JudgedSeries};
pub use probe::{Disk, Probe, Unfit};
pub use question::{Question, Relation};
pub use series::{Change, Level, Point, Series, Smallest, Withheld};
pub use spikes::{SpikesOfCause, SpikesOfDisk};
