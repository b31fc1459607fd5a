//! The end of the log, where groups of records are written.

use super::header::Note;
use super::record;
use super::segment::{RECORDS_BEGIN, Segment, SegmentSource};
use crate::block::{AlignedBuffer, BLOCK_BYTES, whole_blocks};
use crate::counters::{Counters, add};
use crate::error::StoreError;
use crate::files::OpenFile;
use crate::options::{LogLayout, LogOptions, LogPacking, LogSync};
use crate::storage::Durable;
use model::{DurabilityClass, IoMode};
use std::sync::Arc;

/// Memory that is kept for later groups.
const KEPT_BYTES_MAX: usize = 4 << 20;

/// Memory of a group of records; a later one uses it again.
#[derive(Debug, Default)]
pub(crate) struct GroupMemory {
    /// The records, each behind the one before.
    pub(crate) records: Vec<u8>,
    /// With direct I/O: the blocks that are written.
    blocks: AlignedBuffer,
}

impl GroupMemory {
    /// Makes it empty, and small again if a large group made it large.
    pub(crate) fn clear(&mut self) {
        self.records.clear();
        self.records.shrink_to(KEPT_BYTES_MAX);
        if self.blocks.len() > KEPT_BYTES_MAX {
            self.blocks = AlignedBuffer::default();
        }
    }
}

/// A group that has its place in the log. Its write needs no lock of the log.
#[derive(Debug)]
pub(crate) struct Placed {
    file: OpenFile,
    offset: u64,
    bytes: usize,
    is_direct: bool,
    /// How the group becomes durable, if its class promises that.
    sync: Option<LogSync>,
}

impl Placed {
    pub(crate) fn write(&self, memory: &GroupMemory) -> Result<(), StoreError> {
        let bytes = if self.is_direct { &memory.blocks[..self.bytes] } else { &memory.records[..self.bytes] };
        let durable = if self.sync == Some(LogSync::Dsync) { Durable::Now } else { Durable::Later };
        self.file.write_at(bytes, self.offset, durable)
    }

    /// Whether a write that found no room can be done once more: nothing of it counts, and no write-back that failed is
    /// forgotten.
    pub(crate) fn can_be_repeated(&self) -> bool {
        self.is_direct || self.sync != Some(LogSync::Dsync)
    }

    /// After the write: does what the group's promise still needs. Returns whether the group is durable.
    pub(crate) fn sync(&self) -> Result<bool, StoreError> {
        if self.sync == Some(LogSync::Fdatasync) {
            self.file.sync()?;
        }
        Ok(self.sync.is_some())
    }
}

/// Gives groups of records their places.
#[derive(Debug)]
pub(crate) struct LogWriter {
    options: LogOptions,
    durability: DurabilityClass,
    source: Arc<SegmentSource>,
    counters: Arc<Counters>,
    segment: Segment,
    /// Earlier segments that may still be needed.
    older: Vec<Segment>,
    /// Where the next group begins.
    offset: u64,
    /// With direct I/O: what the block at `offset` holds before it.
    tail: Vec<u8>,
    /// The sequence number of the last record that has a place.
    last: u64,
    /// Every record up to this sequence number is durable.
    durable: u64,
}

impl LogWriter {
    /// Begins a new segment, behind those of an earlier life that are still needed. Every write up to `durable`
    /// survives power loss. On return so does the name of the new segment, and what names it.
    pub(crate) fn begin(
        options: &LogOptions,
        durability: DurabilityClass,
        source: Arc<SegmentSource>,
        counters: Arc<Counters>,
        mut older: Vec<Segment>,
        durable: u64,
    ) -> Result<Self, StoreError> {
        let segment = source.take(0, 0)?;
        if let Some(last) = older.last_mut() {
            source.set_note(last, Note { synced: durable, next: Some(segment.number) })?;
            last.sync()?;
        }
        Ok(Self {
            options: options.clone(),
            durability,
            source,
            counters,
            segment,
            older,
            offset: RECORDS_BEGIN,
            tail: Vec::new(),
            last: durable,
            durable,
        })
    }

    /// The number of the current segment.
    pub(crate) fn segment(&self) -> u64 {
        self.segment.number
    }

    /// The sequence number of the last record that has a place.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// Gives a group of records its place, behind all groups before. Its last record has sequence number `last`. Every
    /// record up to `committed` has what the durability class promises.
    pub(crate) fn place(
        &mut self,
        memory: &mut GroupMemory,
        last: u64,
        committed: u64,
    ) -> Result<Placed, StoreError> {
        let bytes = memory.records.len() as u64;
        let end = match self.options.layout {
            LogLayout::Append => Some(self.options.segment_bytes),
            LogLayout::Prefilled | LogLayout::Recycled => self.segment.end,
        };
        let is_full = end.is_some_and(|end| self.offset + bytes > end);
        // A file that grows takes a group of any size at its beginning.
        let is_begun = self.offset > RECORDS_BEGIN || self.options.layout != LogLayout::Append;
        if is_full && is_begun {
            self.next_segment(bytes)?;
        }
        let sync = match self.durability {
            DurabilityClass::Power => {
                self.durable = committed;
                Some(self.options.sync)
            }
            DurabilityClass::None | DurabilityClass::Process => {
                self.segment.is_synced = false;
                None
            }
        };
        record::seal(&mut memory.records, self.segment.number, self.offset, self.durable);
        let next = self.offset + bytes;
        if self.options.packing == LogPacking::Padded {
            memory.records.resize(whole_blocks(memory.records.len()), 0);
        }
        let is_direct = self.options.io == IoMode::Direct;
        let (offset, bytes) =
            if is_direct { self.fill_blocks(memory) } else { (self.offset, memory.records.len()) };
        add(&self.counters.log_bytes, bytes as u64);
        add(&self.counters.log_groups, 1);
        self.offset = match self.options.packing {
            LogPacking::Packed => next,
            LogPacking::Padded => next.next_multiple_of(BLOCK_BYTES as u64),
        };
        self.last = last;
        Ok(Placed { file: self.segment.file.clone(), offset, bytes, is_direct, sync })
    }

    /// Makes whole blocks of records, the first one with what it had before. Returns where they belong, and their
    /// bytes.
    ///
    /// If the write is torn, each sector is the old or the new one, and the bytes before the group are the same in
    /// both.
    fn fill_blocks(&mut self, memory: &mut GroupMemory) -> (u64, usize) {
        let GroupMemory { records, blocks } = memory;
        let lead = self.tail.len();
        let used = lead + records.len();
        let blocks = blocks.require(whole_blocks(used));
        blocks[..lead].copy_from_slice(&self.tail);
        blocks[lead..used].copy_from_slice(records);
        blocks[used..].fill(0);
        let whole = used / BLOCK_BYTES * BLOCK_BYTES;
        self.tail.clear();
        self.tail.extend_from_slice(&blocks[whole..used]);
        (self.offset - lead as u64, blocks.len())
    }

    /// Continues in another segment, which has room for `bytes`.
    pub(crate) fn next_segment(&mut self, bytes: u64) -> Result<(), StoreError> {
        let next = self.source.take(self.segment.number, bytes)?;
        let note = Note { synced: self.durable, next: Some(next.number) };
        self.source.set_note(&mut self.segment, note)?;
        self.segment.is_synced = false;
        if self.durability == DurabilityClass::Power {
            // Before any record of the next segment is acknowledged.
            self.segment.sync()?;
            add(&self.counters.log_syncs, 1);
        }
        self.segment.file.end_writes();
        self.older.push(std::mem::replace(&mut self.segment, next));
        self.offset = RECORDS_BEGIN;
        self.tail.clear();
        Ok(())
    }

    /// Makes every record durable. The last one has sequence number `last`, and no write is under way.
    pub(crate) fn sync(&mut self, last: u64) -> Result<(), StoreError> {
        for segment in self.older.iter_mut().chain([&mut self.segment]) {
            if !segment.is_synced {
                segment.sync()?;
                add(&self.counters.log_syncs, 1);
            }
        }
        self.durable = last;
        // True already, whatever becomes of the note: it needs no sync of its own.
        self.source.set_note(&mut self.segment, Note { synced: last, next: None })
    }

    /// Hands over the segments before `begin`, whose records are all in runs.
    pub(crate) fn retired(&mut self, begin: u64) -> Vec<Segment> {
        let (retired, older) =
            std::mem::take(&mut self.older).into_iter().partition(|segment| segment.number < begin);
        self.older = older;
        retired
    }
}
