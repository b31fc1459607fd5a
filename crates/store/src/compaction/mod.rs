//! Which runs are merged next: a pure function from the shape of a partition to a task, a file for each policy.

mod leveled;
mod size_tiered;

use crate::options::CompactionOptions;
use crate::run::Run;
use crate::version::Levels;
use std::sync::Arc;

/// What a policy may know about a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunFacts<'a> {
    pub(crate) number: u64,
    pub(crate) bytes: u64,
    pub(crate) smallest: &'a [u8],
    pub(crate) largest: &'a [u8],
}

impl RunFacts<'_> {
    fn overlaps(&self, smallest: &[u8], largest: &[u8]) -> bool {
        self.smallest <= largest && smallest <= self.largest
    }
}

/// Runs to be merged into one sorted run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    /// Their numbers.
    pub(crate) inputs: Vec<u64>,
    /// The level of the result. Only runs next to each other in age are merged within level 0.
    pub(crate) output_level: usize,
    /// Whether the one input only changes its level: nothing of the other level has keys in its range.
    pub(crate) is_move: bool,
}

/// Facts about the runs of a partition by level; level 0 has the newest first.
type Shape<'a> = [Vec<RunFacts<'a>>];

/// What is to be done in a partition, if anything.
pub(crate) fn pick(options: &CompactionOptions, levels: &Levels) -> Option<Task> {
    fn facts(run: &Arc<Run>) -> RunFacts<'_> {
        RunFacts { number: run.number, bytes: run.bytes, smallest: run.smallest(), largest: run.largest() }
    }
    let shape: Vec<Vec<RunFacts<'_>>> =
        levels.iter().map(|level| level.iter().map(facts).collect()).collect();
    match options {
        CompactionOptions::SizeTiered(tiers) => size_tiered::pick(tiers, &shape),
        CompactionOptions::Leveled(levels) => leveled::pick(levels, &shape),
        CompactionOptions::Off => None,
    }
}
