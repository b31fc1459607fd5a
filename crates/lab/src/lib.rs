//! Plan → rounds → worker → record: runs an experiment, one process per trial, and can be killed at any instant.
//!
//! The lab does no I/O on the disk under test: preparing files, evicting, mounting are verbs of the worker process,
//! and the place where files live is handed to it ([`conduct::Premises`]).

pub mod conduct;
pub mod host;
pub mod looks;
pub mod next;
pub mod order;
mod patience;
pub mod plan;
pub mod run_directory;
pub mod space;
pub mod spent;
pub mod worker;
