//! Plan → rounds → worker → record: runs an experiment, one process per trial, and can be killed at any instant.
//!
//! The lab does no I/O on the disk under test: preparing files, evicting, mounting are verbs of the worker process,
//! and the place where files live is handed to it ([`conduct::Premises`]).

pub mod conduct;
mod death;
pub mod host;
pub mod least;
pub mod looks;
pub mod next;
pub mod open_directory;
pub mod order;
mod patience;
pub mod plan;
pub mod run_directory;
pub mod space;
pub mod spent;
mod watch;
pub mod worker;
