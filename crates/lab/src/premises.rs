//! Where trials take place.

use crate::worker::WorkerCommand;
use model::trial::ServerSource;
use model::{Configuration, Description};
use std::path::{Path, PathBuf};

/// Where trials take place: made and cleaned up by the binary, which knows the disk.
pub trait Premises {
    /// Directory that Syncline made for the trials' files.
    fn work_directory(&self) -> &Path;
    /// What a trial of this configuration needs; the error is one sentence and fails the trial.
    fn allocate(&mut self, description: &Description, values: &Configuration) -> Result<Resources, String>;
    /// Called when the trial with these resources has ended, however it ended. Returns what happened to its processes
    /// that they could not tell themselves, in one sentence.
    fn release(&mut self, resources: &Resources) -> Option<String>;
}

/// What a trial is given.
#[derive(Clone, Debug)]
pub struct Resources {
    /// What its worker is started with: program, prefix, pinning.
    pub worker: WorkerCommand,
    /// A memory control group to enter, if the trial is capped and the prefix does not cap it.
    pub memory_group: Option<PathBuf>,
    /// A control group with limits of I/O to enter, if the trial has some.
    pub io_group: Option<PathBuf>,
    /// Bytes of the loop image that holds the plan's files on the trial's file system.
    pub image_bytes: u64,
    /// A directory that Syncline made in another place, for a server's files.
    pub other_work_directory: Option<PathBuf>,
    /// Where a server comes from, for trials that drive one.
    pub server: Option<ServerSource>,
}
