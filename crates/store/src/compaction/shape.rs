//! What policies decide from and what they decide.

/// What a policy may know about a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunFacts<'a> {
    pub(crate) number: u64,
    pub(crate) bytes: u64,
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
pub(super) type Shape<'a> = [Vec<RunFacts<'a>>];
