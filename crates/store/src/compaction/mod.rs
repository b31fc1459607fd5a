//! Which runs are merged next: a pure function from the shape of a partition to a task, a file for each policy.

mod leveled;
mod shape;
mod size_tiered;

pub(crate) use shape::Task;

use crate::options::CompactionOptions;
use crate::run::Run;
use crate::version::Levels;
use shape::RunFacts;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is to be done in a partition, if anything, beside the tasks that have the runs of the numbers in `merged`.
pub(crate) fn pick(options: &CompactionOptions, levels: &Levels, merged: &BTreeSet<u64>) -> Option<Task> {
    fn facts<'a>(run: &'a Arc<Run>, merged: &BTreeSet<u64>) -> RunFacts<'a> {
        RunFacts {
            number: run.number,
            bytes: run.bytes,
            smallest: run.smallest(),
            largest: run.largest(),
            is_merged: merged.contains(&run.number),
        }
    }
    let shape: Vec<Vec<RunFacts<'_>>> =
        levels.iter().map(|level| level.iter().map(|run| facts(run, merged)).collect()).collect();
    match options {
        CompactionOptions::SizeTiered(tiers) => size_tiered::pick(tiers, &shape),
        CompactionOptions::Leveled(levels) => leveled::pick(levels, &shape),
        CompactionOptions::Off => None,
    }
}
