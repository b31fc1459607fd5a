//! What decides, beside the engine itself, how fast an engine is: two engines compare only if it is alike.

use serde::{Deserialize, Serialize};

/// How an engine is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineUse {
    pub engine: String,
    /// Reads that the threads together ask it to have in flight.
    pub reads_in_flight: u64,
    /// Bytes of its own cache, if a parameter sets them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_bytes: Option<u64>,
    /// Whether it reads through the page cache, which then caches too.
    pub uses_page_cache: bool,
    /// How it writes its log; `None` if it has none, or if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<LogWrites>,
    /// Bytes of its write buffers (memtables) together, at most; `None` if it has none, or if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_memory_bytes: Option<u64>,
    /// The metrics that depend on any of this.
    pub figures: Vec<EngineFigure>,
}

/// How an engine writes its log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogWrites {
    /// By system calls through the page cache.
    Written,
    /// By stores into a memory map: no system call for a put.
    Mapped,
    /// By direct I/O.
    Direct,
}

impl LogWrites {
    /// What it is called, after "a log that is".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Written => "written through the page cache",
            Self::Mapped => "mapped into memory",
            Self::Direct => "written directly",
        }
    }
}

/// A metric of an engine, and what it depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineFigure {
    pub family: String,
    /// Whether it depends on the reads in flight.
    pub on_depth: bool,
    /// The metric of the reads that the device had in flight meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_depth: Option<String>,
    /// Whether it depends on the size of caches.
    pub on_cache: bool,
    /// Whether it depends on what an acknowledged write survives, and so on the log and the memory for writes.
    pub on_durability: bool,
}

impl EngineUse {
    /// What a metric of this family depends on, if it depends on anything here.
    pub fn figure(&self, family: &str) -> Option<&EngineFigure> {
        self.figures.iter().find(|figure| figure.family == family)
    }
}
