//! What `syncline watch` is: probes of one disk at intervals, a history of them, and what monitoring is shown.
//!
//! - **Whether a probe takes place is decided by pure functions** ([`budget`], [`load`], [`schedule`]) from what is
//!   recorded and from the kernel's counters. [`service`] asks them, and a test runs it in virtual time.
//! - **A probe is an ordinary run.** It is written under a hidden name and takes its own name when it is complete
//!   ([`history_directory`]), so a reader of the folder sees whole runs only, whenever the service is killed.
//! - **The record of a probe is written before the probe.** A probe that was killed counts as having written what was
//!   reserved for it, so no crash frees a part of the budget.
//! - **Only what the record names is ever removed**, and only if nothing in it is foreign. At most two runs a probe are
//!   removed: a clock that was set wrong costs two runs, and not the history.
//! - **Waiting uses the monotonic clock**, the record the wall clock. A clock that was set back lets nobody probe more:
//!   what is recorded within a day before or after now counts.
//! - **A disk that cannot be shown to be idle is not probed.**

pub mod budget;
pub mod disk_lock;
pub mod endpoint;
mod error;
pub mod exposition;
pub mod history_directory;
pub mod load;
pub mod notification;
pub mod rotation;
pub mod schedule;
pub mod service;
pub mod state;

pub use error::WatchError;
