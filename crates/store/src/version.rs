//! What a store consists of at one moment. Values of these types never change; a change makes a new one.

use crate::error::StoreError;
use crate::files::{FileKind, Files};
use crate::manifest::Manifest;
use crate::memtable::Memtable;
use crate::run::Run;
use crate::values::ValueUses;
use model::IoMode;
use std::sync::Arc;

/// The runs of one partition by level: in level 0 the newest first; below, the runs of a level have no key in common
/// and are in the order of their keys.
pub(crate) type Levels = Vec<Vec<Arc<Run>>>;

/// All runs.
#[derive(Clone, Debug)]
pub(crate) struct Version {
    pub(crate) partitions: Vec<Levels>,
    /// What the runs refer to of value files.
    pub(crate) values: ValueUses,
}

/// All runs and memtables.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// The newest first: that one is written to.
    pub(crate) memtables: Vec<Arc<Memtable>>,
    pub(crate) version: Arc<Version>,
}

impl Version {
    /// Opens the runs that the manifest names.
    pub(crate) fn open(files: &Files, manifest: &Manifest, io: IoMode) -> Result<Self, StoreError> {
        let mut values = ValueUses::default();
        let mut level = |numbers: &Vec<u64>| -> Result<Vec<Arc<Run>>, StoreError> {
            let runs = numbers.iter().map(|number| {
                let run = Run::open(files, *number, io, &values)?;
                values.add_all(&run.values);
                Ok(Arc::new(run))
            });
            runs.collect()
        };
        let partitions = manifest.partitions.iter();
        let partitions =
            partitions.map(|levels| levels.iter().map(&mut level).collect()).collect::<Result<_, _>>()?;
        Ok(Self { partitions, values })
    }

    /// Counts once more what the runs refer to of value files, after a change of runs.
    pub(crate) fn count_values(&mut self) {
        let mut values = ValueUses::default();
        self.runs().for_each(|run| values.add_all(&run.values));
        self.values = values;
    }

    /// Marks the value files that no run of the version `next`, which follows this one, refers to.
    pub(crate) fn retire_values(&self, next: &Self) {
        let unused = self.values.iter().filter(|value_use| next.values.get(value_use.file.number).is_none());
        unused.for_each(|value_use| value_use.file.retire());
    }

    /// The same as numbers.
    pub(crate) fn numbers(&self) -> Vec<Vec<Vec<u64>>> {
        let level = |runs: &Vec<Arc<Run>>| runs.iter().map(|run| run.number).collect();
        self.partitions.iter().map(|levels| levels.iter().map(level).collect()).collect()
    }

    pub(crate) fn runs(&self) -> impl Iterator<Item = &Arc<Run>> {
        self.partitions.iter().flatten().flatten()
    }

    /// The number and the name of each file that reads may need: runs and value files.
    pub(crate) fn files(&self) -> Vec<(u64, String)> {
        let runs = self.runs().map(|run| (run.number, FileKind::Run.name(run.number)));
        let values = self.values.iter().map(|value_use| (value_use.file.number, value_use.file.name()));
        runs.chain(values).collect()
    }

    /// With a newly flushed run in a partition.
    pub(crate) fn push(&mut self, partition: usize, run: Arc<Run>) {
        self.partitions[partition][0].insert(0, run);
    }

    /// With `outputs` in a level of a partition in place of `inputs`, wherever those are.
    pub(crate) fn replace(
        &mut self,
        partition: usize,
        inputs: &[u64],
        output_level: usize,
        outputs: Vec<Arc<Run>>,
    ) {
        let levels = &mut self.partitions[partition];
        // The outputs of a merge within level 0 are as old as its inputs were.
        let place = levels[0].iter().position(|run| inputs.contains(&run.number)).unwrap_or(0);
        for level in levels.iter_mut() {
            level.retain(|run| !inputs.contains(&run.number));
        }
        if levels.len() <= output_level {
            levels.resize(output_level + 1, Vec::new());
        }
        if output_level == 0 {
            levels[0].splice(place..place, outputs);
        } else {
            levels[output_level].extend(outputs);
            levels[output_level].sort_by(|one, other| one.smallest().cmp(other.smallest()));
        }
        while levels.len() > 1 && levels.last().is_some_and(Vec::is_empty) {
            levels.pop();
        }
    }
}

/// The runs of a partition that may have a key, the newest first.
pub(crate) fn candidates<'a>(
    levels: &'a Levels,
    key: &[u8],
    hash: u64,
) -> impl Iterator<Item = &'a Arc<Run>> {
    let (newest, below) = levels.split_at(1.min(levels.len()));
    let newest = newest.iter().flatten();
    let below = below.iter().filter_map(move |level| {
        let at = level.partition_point(|run| run.largest() < key);
        level.get(at)
    });
    newest.chain(below).filter(move |run| run.may_contain(key, hash))
}
