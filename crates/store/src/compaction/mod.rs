//! Which runs are merged next: a pure function from the shape of a partition to a task, a file for each policy.

mod deletes;
mod leveled;
mod shape;
mod size_tiered;

pub(crate) use shape::{Reason, Task};

use crate::options::CompactionOptions;
use crate::run::Run;
use crate::version::Levels;
use shape::RunFacts;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Runs that are in a task, or found no room in one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Busy {
    /// Those that are being merged.
    pub(crate) merged: BTreeSet<u64>,
    /// Those that the policy's tasks leave alone: there was no room.
    pub(crate) refused: BTreeSet<u64>,
    /// Those that tasks for deletes leave alone.
    pub(crate) refused_deletes: BTreeSet<u64>,
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
        match task.reason {
            Reason::Policy => self.refused.extend(&task.inputs),
            Reason::Deletes => self.refused_deletes.extend(&task.inputs),
        }
    }

    /// Lets tasks that found no room be tried again.
    pub(crate) fn offer_refused(&mut self) {
        self.refused.clear();
        self.refused_deletes.clear();
    }

    /// Whether a task found no room.
    pub(crate) fn has_refused(&self) -> bool {
        !self.refused.is_empty() || !self.refused_deletes.is_empty()
    }

    fn has(&self, run: u64, reason: Reason) -> bool {
        let refused = match reason {
            Reason::Policy => &self.refused,
            Reason::Deletes => &self.refused_deletes,
        };
        self.merged.contains(&run) || refused.contains(&run)
    }
}

/// What is to be done in a partition for this reason, if anything, beside the tasks that have runs.
pub(crate) fn pick(
    options: &CompactionOptions,
    levels: &Levels,
    busy: &Busy,
    reason: Reason,
) -> Option<Task> {
    fn facts(run: &Arc<Run>, is_merged: bool) -> RunFacts<'_> {
        RunFacts {
            number: run.number,
            bytes: run.bytes,
            deletes: run.deletes(),
            smallest: run.smallest(),
            largest: run.largest(),
            is_merged,
        }
    }
    let mut shape: Vec<Vec<RunFacts<'_>>> = Vec::with_capacity(levels.len());
    for level in levels {
        shape.push(level.iter().map(|run| facts(run, busy.has(run.number, reason))).collect());
    }
    match (reason, options) {
        (_, CompactionOptions::Off) => None,
        (Reason::Deletes, CompactionOptions::SizeTiered(_) | CompactionOptions::Leveled(_)) => {
            deletes::pick(&shape)
        }
        (Reason::Policy, CompactionOptions::SizeTiered(tiers)) => size_tiered::pick(tiers, &shape),
        (Reason::Policy, CompactionOptions::Leveled(levels)) => leveled::pick(levels, &shape),
    }
}
