//! Many runs in, a statement about their disks out, with its words as a document: pure functions.
//!
//! - **A run is reduced to a digest as soon as it is read** ([`Digest`]), so a thousand runs fit into memory and are
//!   read in any number of threads. Only the digests of one disk, in the order of time, are compared with each other.
//! - **A disk is a host and a directory**, and is compared with the disks of its stratum only: device model, firmware,
//!   kernel and file system. It is in the stratum of its latest run, so what was measured before a new kernel is not
//!   used.
//! - **A question is a metric of a configuration**: a rate or a latency of a study's responses, with every parameter.
//!   Trials are the unit of replication as everywhere; a disk's figure is the mean logarithm over its rounds.
//!   Percentiles are never averaged over disks: the histograms of a stratum are added, and the percentiles are those of
//!   the sum.
//! - **A disk's first measurement is its latest run**, for each question that it asks: what became slow since an
//!   earlier one is found. A run with `again` in its plan settles suspicions and raises none. A run says which it is,
//!   because nothing in its figures does.
//! - **What was not measured is not within its limits.** Failed trials, questions without figures, ranks without a run,
//!   runs that measured nothing and runs that disturbed each other are counted in the statement.
//! - **A suspect is not a finding.** Its first measurement lies, with its whole 95 % interval, beyond a limit of its
//!   stratum: the median and the MAD over disks, at a level that Holm's procedure sets over all disks and questions,
//!   and never nearer to the median than 5 %.
//! - **A disk is named slow after a second measurement** that proves it alone, by a one-sided t test against the limit,
//!   with Holm's procedure over the suspects. The limit moves with the controls: disks that are not suspects and were
//!   measured again about then. A day on which everything is slow therefore names nobody. No audit of either run may
//!   have failed.
//! - **Audits come last.** Only the runs that would name a disk are judged, because a verdict takes longer than a
//!   digest.
//! - **On a shared volume the number of ranks is a factor** ([`scaling`]): rates are those of all ranks in the time in
//!   which all measured, and each has a knee of its own.
//! - **What is too small is not assessable**: strata of fewer than eight disks, runs of fewer than six rounds, fewer
//!   than six controls. It is never "not slow".

// In a test a panic is the report.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod confirm;
mod digest;
mod disk;
mod disk_result;
mod distribution;
mod document;
mod fact;
mod figures;
mod gap;
mod gather;
mod launch;
mod question;
mod remeasure;
mod rule;
pub mod scaling;
mod screen;
mod standing;
mod state;
mod statement;
mod suspect;
#[cfg(test)]
mod tests;

pub use digest::{Digest, Latencies};
pub use disk::{Disk, Stratum};
pub use distribution::{Distribution, Figure};
pub use document::Plots;
pub use fact::Fact;
pub use gap::{FailedTrials, MissingRanks, Overlap, Unread, Unused};
pub use gather::Fleet;
pub use question::Question;
pub use remeasure::{Again, Remeasure, Role, remeasure};
pub use rule::{CONTROLS_MIN, DISKS_MIN, LEVEL, MARGIN, ROUNDS_MIN, TOGETHER_H};
pub use standing::DiskStatus;
pub use statement::{Difference, DiskResult, RunOfDisk, RunUse, Statement, StratumResult};
pub use suspect::{Confirmation, DoubtedRun, Suspect, SuspectOutcome};
