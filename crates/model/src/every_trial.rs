//! The parameters that every trial has, whatever its workload.

use crate::parameter::{ParameterKind, count_up_to};
use crate::{FileSystem, IoCap, Level, Nanos, Value};

parameters! {
    /// One value for each parameter that every trial has.
    pub struct TrialParameters;
    /// The parameters that every trial has, whatever its workload.
    pub const EVERY_TRIAL: TrialHandles;

    /// file system of the files: the directory's own, or a fresh loop image with this one (needs root), with options of
    /// mount and mkfs, such as xfs+noatime+logbsize=256k
    filesystem: FileSystem = "host",
    /// CPU to which the worker is pinned from its start; further jobs use the following CPUs
    cpu: Option<u32> = "none" in count_up_to(4095),
    /// run the worker under SCHED_FIFO, which removes scheduling delays on a busy machine and needs the privilege
    realtime: bool = "false",
    /// limit of the worker's memory, including the page cache: a size, or a percentage of its files
    memory_cap: Option<MemoryCap> = "none",
    /// limits per second of what the worker reads and writes on the device, as a control group sets them: riops, wiops,
    /// rbps, wbps; buffered writes without a sync escape it, and a server is not in the group
    io_cap: Option<IoCap> = "none",
    /// minimum time since the trial's files were last written; caches below a virtual disk may hold recent writes
    age: Nanos = "0s",
    /// idle time before each trial, after the device has become quiet
    cooldown: Nanos = "0s",
    /// ranks that measure at the same time on shared storage, the first ones, while the others wait; none means all
    ranks: Option<u64> = "none" in count_up_to(1_000_000),
}

impl TrialParameters {
    /// The CPU of the first job; `None` if jobs are not pinned.
    pub fn first_cpu(&self) -> Option<usize> {
        self.cpu.map(|cpu| cpu as usize)
    }
}

/// The parameter of [`TrialParameters::memory_cap`].
pub const MEMORY_CAP: &str = EVERY_TRIAL.memory_cap.name();
/// The parameter of [`TrialParameters::io_cap`].
pub const IO_CAP: &str = EVERY_TRIAL.io_cap.name();
/// The parameter of [`TrialParameters::ranks`].
pub const RANKS: &str = EVERY_TRIAL.ranks.name();

/// The limit of a worker's memory: the parameter `memory_cap`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MemoryCap {
    /// This number of bytes.
    Bytes(u64),
    /// This percentage of what the workload counts: its files, or what it gives to an engine.
    Percent(f64),
}

impl MemoryCap {
    /// The limit in bytes, if `counted_bytes` is what the percentage is of. No other place turns one into the other.
    pub fn bytes(self, counted_bytes: u64) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Percent(percent) => (counted_bytes as f64 * percent / 100.0) as u64,
        }
    }
}

impl Level for Option<MemoryCap> {
    const KIND: ParameterKind = ParameterKind::Cap;

    fn from_value(value: &Value, _: ParameterKind) -> Option<Self> {
        match value {
            Value::Bytes(bytes) => Some(Some(MemoryCap::Bytes(*bytes))),
            Value::Percent(percent) => Some(Some(MemoryCap::Percent(*percent))),
            Value::Name(_) => Some(None),
            Value::Duration(_) | Value::Count(_) | Value::Number(_) | Value::Flag(_) => None,
        }
    }

    fn to_value(self, _: ParameterKind) -> Value {
        match self {
            Some(MemoryCap::Bytes(bytes)) => Value::Bytes(bytes),
            Some(MemoryCap::Percent(percent)) => Value::Percent(percent),
            None => Value::Name("none".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trials_defaults_are_valid() {
        for parameter in TrialParameters::DEFINITIONS {
            assert!(parameter.parse(parameter.default).is_ok(), "{}", parameter.name);
        }
    }

    #[test]
    fn a_bad_level_says_what_is_valid() {
        let filesystem = EVERY_TRIAL.filesystem.definition();
        assert_eq!(
            filesystem.parse("xsf").unwrap_err(),
            "filesystem = \"xsf\": unknown file system \"xsf\"; did you mean \"xfs\"?"
        );
    }
}
