//! Which runs are merged next: a pure function from the shape of a partition to a task, a file for each policy.

mod deletes;
mod garbage;
mod leveled;
mod scans;
mod shape;
mod size_tiered;

pub(crate) use garbage::collected;
pub(crate) use scans::reads_for;
pub(crate) use shape::{Reason, Task};

use crate::options::{CompactionOptions, Options};
use crate::values::ValueUses;
use crate::version::Version;
use shape::RunFacts;
use std::collections::BTreeSet;

/// Runs that are in a task, or found no room in one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Busy {
    /// Those that are being merged.
    pub(crate) merged: BTreeSet<u64>,
    /// Those that tasks of a reason leave alone: there was no room.
    refused: BTreeSet<(Reason, u64)>,
}

impl Busy {
    /// Marks the runs of a task that begins.
    pub(crate) fn begin(&mut self, task: &Task) {
        self.merged.extend(&task.inputs);
    }

    /// Takes back the runs of a task that has ended.
    pub(crate) fn end(&mut self, task: &Task) {
        self.merged.retain(|run| !task.inputs.contains(run));
    }

    /// Keeps the runs of a task that found no room from another one like it.
    pub(crate) fn refuse(&mut self, task: &Task) {
        self.refused.extend(task.inputs.iter().map(|run| (task.reason, *run)));
    }

    /// Lets tasks that found no room be tried again.
    pub(crate) fn offer_refused(&mut self) {
        self.refused.clear();
    }

    /// Whether a task of one of these reasons found no room.
    pub(crate) fn has_refused(&self, is_asked: impl Fn(Reason) -> bool) -> bool {
        self.refused.iter().any(|(reason, _)| is_asked(*reason))
    }

    fn has(&self, run: u64, reason: Reason) -> bool {
        self.merged.contains(&run) || self.refused.contains(&(reason, run))
    }
}

/// What is to be done in a partition for this reason, if anything, beside the tasks that have runs. A drain does all.
pub(crate) fn pick(
    options: &Options,
    version: &Version,
    partition: usize,
    busy: &Busy,
    reason: Reason,
    is_drain: bool,
) -> Option<Task> {
    let files = match reason {
        Reason::Policy | Reason::Deletes | Reason::Scans => ValueUses::default(),
        Reason::Garbage => collected(options.values.garbage_percent, &version.values),
    };
    if reason == Reason::Garbage && files.is_empty() {
        return None;
    }
    let mut shape: Vec<Vec<RunFacts<'_>>> = Vec::new();
    for level in &version.partitions[partition] {
        let facts = level.iter().map(|run| RunFacts {
            number: run.number,
            bytes: run.bytes,
            deletes: run.deletes(),
            garbage_bytes: garbage::garbage_bytes(&run.values, &files),
            smallest: run.smallest(),
            largest: run.largest(),
            is_merged: busy.has(run.number, reason),
        });
        shape.push(facts.collect());
    }
    match (reason, &options.compaction) {
        // Leveled compaction bounds by itself how many sorted runs a scan finds.
        (_, CompactionOptions::Off) | (Reason::Scans, CompactionOptions::Leveled(_)) => None,
        (Reason::Deletes, CompactionOptions::SizeTiered(_) | CompactionOptions::Leveled(_)) => {
            deletes::pick(&shape)
        }
        (Reason::Garbage, CompactionOptions::SizeTiered(_) | CompactionOptions::Leveled(_)) => {
            garbage::pick(&shape, is_drain)
        }
        (Reason::Policy, CompactionOptions::SizeTiered(tiers)) => size_tiered::pick(tiers, &shape),
        (Reason::Scans, CompactionOptions::SizeTiered(tiers)) => {
            tiers.merge_for_scans.then(|| scans::pick(&shape)).flatten()
        }
        (Reason::Policy, CompactionOptions::Leveled(levels)) => leveled::pick(levels, &shape),
    }
}
