//! One statement of a page's text.

use laws::System;

/// One statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fact {
    Runs(u64),
    Passes(u64),
    CacheDrops(Drops),
    System(System),
    Threads(u64),
    Depth(u64),
    Clients(u64),
    Memory(u64),
    EntryBytes(u64),
    FileBytes(u64),
    /// Latencies are called a drive's.
    OfDevice,
}

/// How often the page cache was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drops {
    Never,
    /// Before each test, which may have several passes.
    EachTest,
    EachPass,
}

impl Fact {
    /// The role that it is a value of.
    pub(super) const fn role(self) -> &'static str {
        match self {
            Self::Runs(_) => "n",
            Self::Passes(_) => "passes",
            Self::CacheDrops(_) => "cache_drops",
            Self::System(_) => "system",
            Self::Threads(_) => "numjobs",
            Self::Depth(_) => "iodepth",
            Self::Clients(_) => "in_flight",
            Self::Memory(_) => "memory_bytes",
            Self::EntryBytes(_) => "block_bytes",
            Self::FileBytes(_) => "file_bytes",
            Self::OfDevice => "said_of",
        }
    }
}
