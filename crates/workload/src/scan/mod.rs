//! A dataset read file by file, as a data loader does; this is page 004.
//!
//! A trial is several passes over the dataset, each driven by itself. A reader takes one file at a time from its pass's
//! [`FileQueue`], or a piece of one. A [`FileScan`] opens, advises, reads and closes it, one operation after another.
//! An [`ObjectScan`] reads an object whole, or in several ranges at a time. If an accelerator works on what is read,
//! readers are ahead of it by some batches and no more. [`metrics()`] combines the passes.

mod accelerator;
mod definitions;
mod describe;
mod file_scan;
mod levels;
mod metrics;
mod object_scan;
mod parameters;
mod queue;
mod schema;

pub use accelerator::AcceleratorTime;
pub use file_scan::FileScan;
pub use levels::{BufferSource, HintScope, Opening, Order, PageCache, PassCache};
pub use metrics::{Latencies, Pass, metrics};
pub use object_scan::ObjectScan;
pub use parameters::{Handles, PARAMETERS, Parameters};
pub use queue::FileQueue;
pub use schema::SCHEMA;

use driver::Workload;
use model::ScanOp;
use std::sync::Arc;

/// The driver's series counts operations of the first family, so the series is the throughput.
const FAMILIES: &[&str] = &["block_latency", "file_latency"];
const BLOCK_LATENCY: usize = 0;
const FILE_LATENCY: usize = 1;

/// What a reader has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Files read to their end.
    pub files: u64,
    /// Blocks.
    pub blocks: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Tally {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            files: self.files + other.files,
            blocks: self.blocks + other.blocks,
            bytes: self.bytes + other.bytes,
        }
    }
}

/// One reader in one pass.
pub trait Reader: Workload<Op = ScanOp> + Send {
    /// A reader of files of these sizes, which it takes from the queue.
    fn new(parameters: &Parameters, sizes: &Arc<[u64]>, queue: &Arc<FileQueue>) -> Self;

    /// What it has read.
    fn tally(&self) -> Tally;

    /// The part of it that ended in the time that is measured: all, unless the reader takes turns.
    fn measured(&self) -> Tally {
        self.tally()
    }
}

#[cfg(test)]
mod tests;
