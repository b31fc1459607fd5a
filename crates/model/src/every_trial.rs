//! The definitions of the parameters that every trial has, whatever its workload.

use crate::Value;
use crate::parameter::{Kind, Parameter};
use serde::{Deserialize, Serialize};

/// The parameter of [`crate::TrialParameters::filesystem`].
pub const FILESYSTEM: &str = "filesystem";
/// The parameter of [`crate::TrialParameters::memory_cap`].
pub const MEMORY_CAP: &str = "memory_cap";
/// The parameter of [`crate::TrialParameters::ranks`].
pub const RANKS: &str = "ranks";

/// The definitions.
pub const EVERY_TRIAL: &[Parameter] = &[
    Parameter {
        name: FILESYSTEM,
        kind: Kind::Choice(FileSystem::NAMES),
        default: "host",
        help: "file system of the files: the directory's own, or a fresh loop image with this one (needs root)",
    },
    Parameter {
        name: "cpu",
        kind: Kind::OptionalCount { max: 4095 },
        default: "none",
        help: "CPU to which the worker is pinned from its start; further jobs use the following CPUs",
    },
    Parameter {
        name: "realtime",
        kind: Kind::Flag,
        default: "false",
        help: "run the worker under SCHED_FIFO, which removes scheduling delays on a busy machine and needs the \
         privilege",
    },
    Parameter {
        name: MEMORY_CAP,
        kind: Kind::Cap,
        default: "none",
        help: "limit of the worker's memory, including the page cache: a size, or a percentage of its files",
    },
    Parameter {
        name: "age",
        kind: Kind::Duration,
        default: "0s",
        help: "minimum time since the trial's files were last written; caches below a virtual disk may hold recent \
         writes",
    },
    Parameter {
        name: "cooldown",
        kind: Kind::Duration,
        default: "0s",
        help: "idle time before each trial, after the device has become quiet",
    },
    Parameter {
        name: RANKS,
        kind: Kind::OptionalCount { max: 1_000_000 },
        default: "none",
        help: "ranks that measure at the same time on shared storage, the first ones, while the others wait; none means all",
    },
];

levels! {
    /// Where the files live: the parameter `filesystem`.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum FileSystem {
        /// The directory's own file system.
        #[default]
        Host = "host",
        /// A fresh XFS.
        Xfs = "xfs",
        /// A fresh ext4.
        Ext4 = "ext4",
        /// A fresh btrfs.
        Btrfs = "btrfs",
    }
}

/// The limit of a worker's memory: the parameter `memory_cap`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MemoryCap {
    /// This number of bytes.
    Bytes(u64),
    /// This percentage of what the workload counts: its files, or what it gives to an engine.
    Percent(f64),
}

impl MemoryCap {
    /// The limit that a parameter's value sets; `None` for none.
    pub const fn from_level(value: &Value) -> Option<Self> {
        match value {
            Value::Bytes(bytes) => Some(Self::Bytes(*bytes)),
            Value::Percent(percent) => Some(Self::Percent(*percent)),
            Value::Name(_) | Value::Duration(_) | Value::Count(_) | Value::Number(_) | Value::Flag(_) => None,
        }
    }

    /// The limit in bytes, if `counted_bytes` is what the percentage is of. No other place turns one into the other.
    pub fn bytes(self, counted_bytes: u64) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Percent(percent) => (counted_bytes as f64 * percent / 100.0) as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trials_defaults_are_valid() {
        for parameter in EVERY_TRIAL {
            assert!(parameter.parse(parameter.default).is_ok(), "{}", parameter.name);
        }
    }

    #[test]
    fn a_bad_level_says_what_is_valid() {
        let filesystem = &EVERY_TRIAL[0];
        assert_eq!(
            filesystem.parse("xsf").unwrap_err(),
            "unknown level of filesystem \"xsf\"; did you mean \"xfs\"?"
        );
    }
}
