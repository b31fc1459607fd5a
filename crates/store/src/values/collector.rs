//! Reads the values that are still needed out of files that are collected.

use super::file::ValueFile;
use crate::block::{AlignedBuffer, BLOCK_BYTES};
use crate::counters::add;
use crate::entry::{Entry, EntryKind, ValuePlace};
use crate::error::StoreError;
use crate::files::OpenFile;
use crate::transfers::Direction;
use model::IoMode;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// How value files are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CollectorReads<'a> {
    /// Bytes of a read. A longer value is read by itself.
    pub(crate) bytes: usize,
    /// Whether other threads perform the reads, which limit how many are in flight.
    pub(crate) is_limited: bool,
    /// How the page cache takes part, if not as in all other reads.
    pub(crate) io: Option<IoMode>,
    /// Count the reads, and the bytes that they bring.
    pub(crate) reads: &'a AtomicU64,
    pub(crate) bytes_read: &'a AtomicU64,
}

/// Values of the files that one merge collects. Both the merge and each file are in the order of keys, so each file is
/// read once from its beginning to its end, except for stretches without a value that is needed.
pub(crate) struct Collector<'a> {
    collected: BTreeMap<u64, Collected>,
    reads: CollectorReads<'a>,
}

/// A file that is collected, and a stretch of it in memory.
struct Collected {
    values: Arc<ValueFile>,
    opened: Option<OpenFile>,
    memory: AlignedBuffer,
    begin: u64,
    bytes: usize,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(files: impl IntoIterator<Item = Arc<ValueFile>>, reads: CollectorReads<'a>) -> Self {
        let collected = files.into_iter().map(|values| {
            let memory = AlignedBuffer::zeroed(0);
            (values.number, Collected { values, opened: None, memory, begin: 0, bytes: 0 })
        });
        Self { collected: collected.collect(), reads }
    }

    /// The value of an entry if it is in a file that is collected.
    pub(crate) fn value_of(&mut self, entry: Entry<'_>) -> Result<Option<&[u8]>, StoreError> {
        if entry.kind != EntryKind::PutSeparated || self.collected.is_empty() {
            return Ok(None);
        }
        let Some(place) = entry.value_place() else { return Ok(None) };
        let reads = self.reads;
        self.collected.get_mut(&place.number).map(|collected| collected.value(place, reads)).transpose()
    }
}

impl Collected {
    fn value(&mut self, place: ValuePlace, reads: CollectorReads<'_>) -> Result<&[u8], StoreError> {
        let (begin, bytes) = self.values.blocks(place)?;
        let end = begin + bytes as u64;
        if begin < self.begin || end > self.begin + self.bytes as u64 {
            let left = self.values.bytes.next_multiple_of(BLOCK_BYTES as u64) - begin;
            let wanted = bytes.max(reads.bytes.min(usize::try_from(left).unwrap_or(usize::MAX)));
            self.read(begin, wanted, reads)?;
        }
        self.values.value_in(&self.memory[..self.bytes], self.begin, place, true)
    }

    fn read(&mut self, begin: u64, bytes: usize, reads: CollectorReads<'_>) -> Result<(), StoreError> {
        let file = match &mut self.opened {
            Some(file) => file,
            none => none.insert(match reads.io {
                Some(io) => self.values.open_again(io)?,
                None => self.values.open()?.clone(),
            }),
        };
        // If the read fails, nothing is there.
        self.bytes = 0;
        self.memory.require(bytes);
        if reads.is_limited {
            let memory = std::mem::take(&mut self.memory);
            self.memory = self.values.files().start(Direction::Read, file, memory, bytes, begin).wait()?;
        } else {
            file.read_at(&mut self.memory[..bytes], begin)?;
        }
        (self.begin, self.bytes) = (begin, bytes);
        add(reads.reads, 1);
        add(reads.bytes_read, bytes as u64);
        Ok(())
    }
}
