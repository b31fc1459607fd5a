//! Which runs are merged next: a pure function from the shape of a partition to a task, a file for each policy.

mod leveled;
mod shape;
mod size_tiered;

pub(crate) use shape::Task;

use crate::options::CompactionOptions;
use crate::run::Run;
use crate::version::Levels;
use shape::RunFacts;
use std::sync::Arc;

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
