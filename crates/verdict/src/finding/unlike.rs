//! Engines that were not used alike: what differs, as data.

use crate::durability::Declared;
use model::description::LogWrites;
use model::units::{format_bytes_in_text, format_significant};
use serde::Serialize;
use std::fmt;

/// Two engines whose figures of a metric do not compare.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnlikeEngines {
    pub engines: [String; 2],
    /// Everything that differs and that the metric depends on, in the order of the engines.
    pub knobs: Vec<UnlikeKnob>,
}

/// How an engine is used, where two are used in two ways.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UnlikeKnob {
    /// Reads that they were asked to have in flight.
    ReadsInFlight([u64; 2]),
    /// Reads that the device had in flight, by Little's law: reads per second × their mean time in its queue.
    DeviceReadsInFlight([f64; 2]),
    /// The caches that reads may hit.
    Cache([CacheUse; 2]),
    /// What their acknowledged writes survive.
    Durability([Declared; 2]),
    /// How they write their logs.
    Log([LogWrites; 2]),
    /// Bytes of their write buffers together.
    WriteMemory([u64; 2]),
}

/// The caches that an engine's reads may hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CacheUse {
    /// Bytes of the engine's own cache; `None` if that is left to the engine.
    pub own_bytes: Option<u64>,
    /// Whether it reads through the page cache.
    pub has_page_cache: bool,
    /// The limit of its memory, page cache included.
    pub cap_bytes: Option<u64>,
}

impl CacheUse {
    /// Whether two engines may hit as much. The page cache takes all memory that there is or that the cap leaves, and
    /// an engine that reads through it may have no cache of its own.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.own_bytes, other.own_bytes);
        match (self.has_page_cache, other.has_page_cache) {
            (true, true) => {
                self.cap_bytes == other.cap_bytes && (ours.is_none() || theirs.is_none() || ours == theirs)
            }
            (false, false) => ours.is_some() && ours == theirs,
            (true, false) | (false, true) => false,
        }
    }
}

impl fmt::Display for UnlikeEngines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, other] = &self.engines;
        let knobs: Vec<String> = self.knobs.iter().map(ToString::to_string).collect();
        write!(f, "{one} and {other} were not used alike: {}", knobs.join("; "))
    }
}

impl fmt::Display for UnlikeKnob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReadsInFlight([one, other]) => write!(f, "{one} reads in flight against {other}"),
            Self::DeviceReadsInFlight([one, other]) => write!(
                f,
                "the device had {} reads in flight against {} (reads per second × their time in its queue)",
                format_significant(*one),
                format_significant(*other)
            ),
            Self::Cache([one, other]) => write!(f, "{one} against {other}"),
            Self::Durability([one, other]) => write!(f, "class {one} against class {other}"),
            Self::Log([one, other]) => {
                write!(f, "a log that is {} against one that is {}", one.name(), other.name())
            }
            Self::WriteMemory([one, other]) => write!(
                f,
                "write buffers of {} against {}",
                format_bytes_in_text(*one),
                format_bytes_in_text(*other)
            ),
        }
    }
}

impl fmt::Display for CacheUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.has_page_cache {
            f.write_str("the page cache")?;
            if let Some(bytes) = self.cap_bytes {
                write!(f, " in {} of memory", format_bytes_in_text(bytes))?;
            }
            return self
                .own_bytes
                .map_or(Ok(()), |bytes| write!(f, " with a cache of {}", format_bytes_in_text(bytes)));
        }
        match self.own_bytes {
            Some(bytes) => write!(f, "a cache of {}", format_bytes_in_text(bytes)),
            None => f.write_str("a cache of the engine's choice"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn caches(own_bytes: Option<u64>, has_page_cache: bool, cap_bytes: Option<u64>) -> CacheUse {
        CacheUse { own_bytes, has_page_cache, cap_bytes }
    }

    #[test]
    fn caches_are_alike_if_reads_may_hit_as_much() {
        let (direct, default) = (caches(Some(8), false, None), caches(None, false, None));
        assert!(direct.is_like(&direct));
        assert!(!direct.is_like(&caches(Some(9), false, None)));
        // Nobody here knows what another engine's default is.
        assert!(!default.is_like(&default));
        let (buffered, capped) = (caches(Some(8), true, None), caches(Some(8), true, Some(64)));
        assert!(buffered.is_like(&buffered) && capped.is_like(&capped));
        assert!(!buffered.is_like(&capped) && !buffered.is_like(&direct) && !direct.is_like(&buffered));
        assert!(!buffered.is_like(&caches(Some(9), true, None)));
        // LMDB has no cache but the page cache.
        assert!(buffered.is_like(&caches(None, true, None)));
    }
}
