//! The parameters that every trial has, typed.

use crate::every_trial::{FILESYSTEM, FileSystem, MEMORY_CAP, MemoryCap, RANKS};
use crate::{LevelError, Levels, Nanos};

/// One value for each parameter that every trial has.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialParameters {
    /// Where the files live.
    pub filesystem: FileSystem,
    /// CPU that the worker is pinned to; further jobs take the following CPUs.
    pub cpu: Option<usize>,
    /// Whether the worker runs under `SCHED_FIFO`.
    pub realtime: bool,
    /// Limit of the worker's memory.
    pub memory_cap: Option<MemoryCap>,
    /// How long ago its files were last written when a trial begins, at least.
    pub age: Nanos,
    /// Idle time before a trial, after the device has gone quiet.
    pub cooldown: Nanos,
    /// Ranks that measure at the same time; all if it is not given.
    pub ranks: Option<u64>,
}

impl TrialParameters {
    /// Reads a complete configuration.
    pub fn read(levels: &Levels<'_>) -> Result<Self, LevelError> {
        Ok(Self {
            filesystem: levels.level(FILESYSTEM)?,
            cpu: levels.optional_count("cpu")?.map(|cpu| cpu as usize),
            realtime: levels.flag("realtime")?,
            memory_cap: levels.cap(MEMORY_CAP)?,
            age: levels.duration("age")?,
            cooldown: levels.duration("cooldown")?,
            ranks: levels.optional_count(RANKS)?,
        })
    }
}
