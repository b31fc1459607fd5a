//! Where a job stops to sync: after a number of writes, and at its end.

use super::parameters::{DATA_FILE, Parameters};
use model::{BlockKind, BlockOp};

/// One job's syncs. Before each of them the job waits for its writes in flight.
#[derive(Clone, Debug)]
pub(super) struct Syncs {
    /// What comes after how many writes; 0 = never.
    kind: BlockKind,
    every: u64,
    writes_since: u64,
    /// The first byte that was written since, and the end of the last one.
    written: (u64, u64),
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// No sync is due; reads and writes continue.
    No,
    /// A sync starts as soon as no write is in flight; nothing else starts before it.
    Due,
    /// A sync of this kind is in flight; nothing else starts.
    UnderWay(BlockKind),
}

const NOTHING: (u64, u64) = (u64::MAX, 0);

impl Syncs {
    pub(super) fn new(parameters: &Parameters) -> Self {
        let (kind, every) = match parameters.sync_file_range {
            Some(range) => (BlockKind::RangeSync(range), parameters.sync_file_range_writes),
            None => (BlockKind::DataSync, parameters.fdatasync),
        };
        Self { kind, every, writes_since: 0, written: NOTHING, state: State::No }
    }

    pub(super) const fn state(&self) -> State {
        self.state
    }

    /// Counts a write that was started.
    #[inline]
    pub(super) fn count(&mut self, offset: u64, length: u32) {
        self.writes_since += 1;
        let (first, end) = self.written;
        self.written = (first.min(offset), end.max(offset + u64::from(length)));
        if self.writes_since == self.every {
            self.state = State::Due;
        }
    }

    /// The sync that is due.
    pub(super) fn start_due(&mut self, id: u32) -> BlockOp {
        self.start(self.kind, id)
    }

    /// Starts a sync now.
    pub(super) fn start(&mut self, kind: BlockKind, id: u32) -> BlockOp {
        let (first, end) = std::mem::replace(&mut self.written, NOTHING);
        self.writes_since = 0;
        self.state = State::UnderWay(kind);
        let (offset, bytes) = match kind {
            BlockKind::RangeSync(_) => (first, end.saturating_sub(first)),
            _ => (0, 0),
        };
        // What is too long for an operation goes to the end of the file.
        let length = u32::try_from(bytes).unwrap_or(0);
        BlockOp { id, kind, file: DATA_FILE, offset, length, buffer: 0 }
    }

    /// Takes note of the end of the sync under way.
    pub(super) fn end(&mut self) {
        self.state = State::No;
    }
}
