//! The log: every write before it is in a run.
//!
//! Batches are records with consecutive sequence numbers, in segments with increasing numbers. A group of records is
//! written at once, by one of the threads that wait for it. With direct I/O in class power a group is written while the
//! one before it is still synced; it is acknowledged after that one. After power loss it may be there without that one:
//! then the log ends before both.

mod header;
pub(crate) mod record;
mod replay;
mod segment;
mod writer;

pub(crate) use replay::{LogBegin, Replayed, replay};
pub(crate) use segment::{Life, Segment, SegmentSource};
pub(crate) use writer::{GroupMemory, LogWriter, Placed};
