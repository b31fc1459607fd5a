//! The end of the log, where groups of records are written.

use super::record;
use super::segment::{RECORDS_BEGIN, Segment, SegmentSource};
use crate::block::{AlignedBuffer, BLOCK_BYTES, whole_blocks};
use crate::counters::{Counters, add};
use crate::error::StoreError;
use crate::options::{LogLayout, LogOptions, LogPacking, LogSync};
use crate::storage::Durable;
use model::{DurabilityClass, IoMode};
use std::sync::Arc;

/// Writes groups of records.
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
    staging: AlignedBuffer,
    /// Every record up to this sequence number is durable.
    durable: u64,
}

impl LogWriter {
    /// Begins a new segment, behind those of an earlier life that are still needed. Every write up to `durable` survives power loss.
    pub(crate) fn begin(
        options: &LogOptions,
        durability: DurabilityClass,
        source: Arc<SegmentSource>,
        counters: Arc<Counters>,
        older: Vec<Segment>,
        durable: u64,
    ) -> Result<Self, StoreError> {
        let segment = source.take(0, 0)?;
        Ok(Self {
            options: options.clone(),
            durability,
            source,
            counters,
            segment,
            older,
            offset: RECORDS_BEGIN,
            tail: Vec::new(),
            staging: AlignedBuffer::zeroed(0),
            durable,
        })
    }

    /// The number of the current segment.
    pub(crate) fn segment(&self) -> u64 {
        self.segment.number
    }

    /// Writes a group of records, the last of which has sequence number `last`, with the promise of the durability class.
    pub(crate) fn append(&mut self, records: &mut Vec<u8>, last: u64) -> Result<(), StoreError> {
        let bytes = records.len() as u64;
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
        record::seal(records, self.segment.number, self.offset, self.durable);
        let next = self.offset + bytes;
        if self.options.packing == LogPacking::Padded {
            records.resize(whole_blocks(records.len()), 0);
        }
        let durable = match (self.durability, self.options.sync) {
            (DurabilityClass::Power, LogSync::Dsync) => Durable::Now,
            (DurabilityClass::Power, LogSync::Fdatasync)
            | (DurabilityClass::None | DurabilityClass::Process, _) => Durable::Later,
        };
        self.segment.is_synced = false;
        let written = if self.options.io == IoMode::Direct {
            self.write_blocks(records, durable)?
        } else {
            self.segment.file.write_at(records, self.offset, durable)?;
            records.len()
        };
        add(&self.counters.log_bytes, written as u64);
        add(&self.counters.log_groups, 1);
        self.offset = match self.options.packing {
            LogPacking::Packed => next,
            LogPacking::Padded => next.next_multiple_of(BLOCK_BYTES as u64),
        };
        match (self.durability, durable) {
            (DurabilityClass::Power, Durable::Later) => self.sync_segment()?,
            (DurabilityClass::Power, Durable::Now) => {
                add(&self.counters.log_syncs, 1);
                self.segment.is_synced = true;
            }
            (DurabilityClass::None | DurabilityClass::Process, _) => return Ok(()),
        }
        self.durable = last;
        Ok(())
    }

    /// Writes whole blocks, the one where the group begins with what it had before. Returns the bytes written.
    ///
    /// If the write is torn, each sector is the old or the new one, and the bytes before the group are the same in both.
    fn write_blocks(&mut self, records: &[u8], durable: Durable) -> Result<usize, StoreError> {
        let lead = self.tail.len();
        let used = lead + records.len();
        let blocks = self.staging.require(whole_blocks(used));
        blocks[..lead].copy_from_slice(&self.tail);
        blocks[lead..used].copy_from_slice(records);
        blocks[used..].fill(0);
        let written = blocks.len();
        self.segment.file.write_at(blocks, self.offset - lead as u64, durable)?;
        let whole = used / BLOCK_BYTES * BLOCK_BYTES;
        self.tail.clear();
        self.tail.extend_from_slice(&self.staging[whole..used]);
        Ok(written)
    }

    /// Continues in another segment, which has room for `bytes`.
    pub(crate) fn next_segment(&mut self, bytes: u64) -> Result<(), StoreError> {
        let next = self.source.take(self.segment.number, bytes)?;
        self.older.push(std::mem::replace(&mut self.segment, next));
        self.offset = RECORDS_BEGIN;
        self.tail.clear();
        Ok(())
    }

    fn sync_segment(&mut self) -> Result<(), StoreError> {
        self.segment.file.sync()?;
        self.segment.is_synced = true;
        add(&self.counters.log_syncs, 1);
        Ok(())
    }

    /// Makes every record durable; the last one has sequence number `last`.
    pub(crate) fn sync(&mut self, last: u64) -> Result<(), StoreError> {
        for segment in &mut self.older {
            if !segment.is_synced {
                segment.file.sync()?;
                segment.is_synced = true;
                add(&self.counters.log_syncs, 1);
            }
        }
        if !self.segment.is_synced {
            self.sync_segment()?;
        }
        self.durable = last;
        Ok(())
    }

    /// Hands over the segments before `begin`, whose records are all in runs.
    pub(crate) fn retired(&mut self, begin: u64) -> Vec<Segment> {
        let (retired, older) =
            std::mem::take(&mut self.older).into_iter().partition(|segment| segment.number < begin);
        self.older = older;
        retired
    }
}
