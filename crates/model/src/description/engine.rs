//! What decides, beside the engine itself, how fast an engine is: two engines compare only if it is alike.

use serde::{Deserialize, Serialize};

/// How an engine is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineUse {
    /// The engine.
    pub engine: String,
    /// Reads that the threads together ask it to have in flight.
    pub reads_in_flight: u64,
    /// Bytes of its own cache, if a parameter sets them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_bytes: Option<u64>,
    /// Whether it reads through the page cache, which then caches too.
    pub uses_page_cache: bool,
    /// The metrics that depend on any of this.
    pub figures: Vec<EngineFigure>,
}

/// A metric of an engine, and what it depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineFigure {
    /// The metric's family.
    pub family: String,
    /// Whether it depends on the reads in flight.
    pub on_depth: bool,
    /// The metric of the reads that the device had in flight meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_depth: Option<String>,
    /// Whether it depends on the size of caches.
    pub on_cache: bool,
    /// Whether it depends on what an acknowledged write survives.
    pub on_durability: bool,
}

impl EngineUse {
    /// What a metric of this family depends on, if it depends on anything here.
    pub fn figure(&self, family: &str) -> Option<&EngineFigure> {
        self.figures.iter().find(|figure| figure.family == family)
    }
}
