//! What policies decide from and what they decide.

/// What a policy may know about a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunFacts<'a> {
    pub(crate) number: u64,
    pub(crate) bytes: u64,
    pub(crate) deletes: u64,
    /// Garbage of the value files that it refers to and that have too much of it.
    pub(crate) garbage_bytes: u64,
    pub(crate) smallest: &'a [u8],
    pub(crate) largest: &'a [u8],
    /// Whether a task has it already.
    pub(crate) is_merged: bool,
}

impl RunFacts<'_> {
    pub(super) fn overlaps(&self, smallest: &[u8], largest: &[u8]) -> bool {
        self.smallest <= largest && smallest <= self.largest
    }
}

/// Why runs are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// The policy wants fewer or larger runs.
    Policy,
    /// A drain drops deletes and what they hide.
    Deletes,
    /// A value file has too much garbage.
    Garbage,
    /// Scans have read in vain as often as pays for the merge.
    Scans,
}

/// Runs to be merged into one sorted run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) reason: Reason,
    pub(crate) inputs: Vec<u64>,
    /// The level of the result. Runs of level 0 between them in age have no key in common with them.
    pub(crate) output_level: usize,
    /// Whether the one input only changes its level: nothing of the other level has keys in its range.
    pub(crate) is_move: bool,
}

/// Facts about the runs of a partition by level; level 0 has the newest first.
pub(super) type Shape<'a> = [Vec<RunFacts<'a>>];
