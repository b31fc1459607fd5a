//! Limits that a trial's control group sets on its I/O: the parameter `io_cap`, in the words of cgroup v2's `io.max`.

use crate::units::{format_bytes, parse_bytes};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a control group limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitOf {
    /// Bytes that are read.
    BytesRead,
    /// Bytes that are written.
    BytesWritten,
    Reads,
    Writes,
}

/// Each limit with its key in `io.max` (kernel `Documentation/admin-guide/cgroup-v2.rst`).
pub const KEYS: [(&str, LimitOf); 4] = [
    ("rbps", LimitOf::BytesRead),
    ("wbps", LimitOf::BytesWritten),
    ("riops", LimitOf::Reads),
    ("wiops", LimitOf::Writes),
];
/// cgroup v1 keeps a limit of operations in 32 bits.
const OPERATIONS_MAX: u64 = u32::MAX as u64;

/// At most this much a second of each kind on the device below the files; at least one kind is limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct IoCap {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_bytes_per_s: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_bytes_per_s: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads_per_s: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes_per_s: Option<u64>,
}

impl IoCap {
    /// Reads `riops=1000 wiops=500 rbps=125MiB wbps=125MiB`, or some of these.
    ///
    /// # Errors
    /// What is wrong, as a clause.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut cap = Self::default();
        for word in text.split_whitespace() {
            let (key, level) = word.split_once('=').ok_or_else(|| format!("{word:?} has no ="))?;
            let known = KEYS.iter().find(|(name, _)| *name == key);
            let (_, of) = known.ok_or_else(|| format!("{key:?} is none of rbps, wbps, riops, wiops"))?;
            let per_s = match of {
                LimitOf::BytesRead | LimitOf::BytesWritten => parse_bytes(level),
                LimitOf::Reads | LimitOf::Writes => level.parse().ok().filter(|n| *n <= OPERATIONS_MAX),
            };
            // The kernel takes 0 for no limit in one version, and refuses it in the other.
            let per_s = per_s.filter(|n| *n > 0).ok_or_else(|| format!("{word:?} is not a limit"))?;
            if cap.of_mut(*of).replace(per_s).is_some() {
                return Err(format!("{key} is given twice"));
            }
        }
        if cap == Self::default() { Err("nothing is limited".to_owned()) } else { Ok(cap) }
    }

    /// Each limit: what is limited, and how much of it a second.
    pub fn limits(&self) -> impl Iterator<Item = (LimitOf, u64)> {
        KEYS.into_iter().filter_map(|(_, of)| Some((of, self.of(of)?)))
    }

    /// The limit of one kind.
    pub const fn of(&self, of: LimitOf) -> Option<u64> {
        match of {
            LimitOf::BytesRead => self.read_bytes_per_s,
            LimitOf::BytesWritten => self.written_bytes_per_s,
            LimitOf::Reads => self.reads_per_s,
            LimitOf::Writes => self.writes_per_s,
        }
    }

    const fn of_mut(&mut self, of: LimitOf) -> &mut Option<u64> {
        match of {
            LimitOf::BytesRead => &mut self.read_bytes_per_s,
            LimitOf::BytesWritten => &mut self.written_bytes_per_s,
            LimitOf::Reads => &mut self.reads_per_s,
            LimitOf::Writes => &mut self.writes_per_s,
        }
    }
}

impl fmt::Display for IoCap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (key, of) in KEYS {
            let Some(per_s) = self.of(of) else { continue };
            match of {
                LimitOf::BytesRead | LimitOf::BytesWritten => {
                    write!(f, "{separator}{key}={}", format_bytes(per_s))?;
                }
                LimitOf::Reads | LimitOf::Writes => write!(f, "{separator}{key}={per_s}")?,
            }
            separator = " ";
        }
        Ok(())
    }
}

/// How much of a load a limit on its process's I/O reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapReach {
    /// All that the load reads and writes.
    Everything,
    /// A part: threads of the kernel write the rest. The clause says which part and why.
    Part(&'static str),
    /// Nothing that can be measured, and why.
    Nothing(&'static str),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        IoCap::parse(text).map_or_else(|why| format!("error: {why}"), |cap| cap.to_string())
    }

    #[test]
    fn limits_are_read_in_the_words_of_the_kernel() {
        assert_eq!(read("wiops=500  riops=1000"), "riops=1000 wiops=500");
        assert_eq!(read("rbps=125MiB wbps=1000"), "rbps=125MiB wbps=1000B");
        assert_eq!(read(&read("rbps=125MiB riops=7")), "rbps=125MiB riops=7");
        assert_eq!(read(""), "error: nothing is limited");
        assert_eq!(read("iops=1"), "error: \"iops\" is none of rbps, wbps, riops, wiops");
        assert_eq!(read("riops=0"), "error: \"riops=0\" is not a limit");
        assert_eq!(read("riops=5000000000"), "error: \"riops=5000000000\" is not a limit");
        assert_eq!(read("riops=1 riops=2"), "error: riops is given twice");
        assert_eq!(read("riops"), "error: \"riops\" has no =");
    }
}
