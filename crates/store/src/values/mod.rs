//! Separated values: a flush or compaction writes each value that is large enough to a value file beside its run, and
//! the run has its place. A later compaction leaves the value where it is, so it moves a place and not the value.
//! Values that nothing refers to any more are garbage; a file with too much of it is collected: compactions write its
//! other values to a new file.

mod collector;
mod file;
mod uses;
mod writer;

pub(crate) use collector::{Collector, CollectorReads};
pub(crate) use file::ValueFile;
pub(crate) use uses::{ValueUse, ValueUses};
pub(crate) use writer::ValueWriter;
