//! Files of the log: made before they are needed, used again.

use crate::block::{AlignedBuffer, BLOCK_BYTES};
use crate::checksum::checksum;
use crate::codec::Decoder;
use crate::counters::{Counters, add};
use crate::error::StoreError;
use crate::files::{Files, Kind, OpenFile};
use crate::options::{LogLayout, LogOptions};
use crate::reserve::Reserve;
use crate::storage::{Access, Durable};
use model::IoMode;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

const MAGIC: &[u8; 8] = b"SYNC-LOG";
/// Version of a segment's format.
pub(crate) const FORMAT: u32 = 1;
/// Where the records of a segment begin.
pub(crate) const RECORDS_BEGIN: u64 = BLOCK_BYTES as u64;
/// Segments that are kept for another use.
const SPARES_MAX: usize = 3;
const PREFILL_BYTES: usize = 1 << 20;

/// An open segment.
#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) number: u64,
    pub(crate) file: OpenFile,
    /// Where records have to end; `None` for a file that grows.
    pub(crate) end: Option<u64>,
    /// Whether every record in it is durable, except those whose write or sync is under way.
    pub(crate) is_synced: bool,
}

/// The first block of a segment.
pub(crate) fn header(number: u64) -> Vec<u8> {
    let mut out = Vec::with_capacity(BLOCK_BYTES);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&FORMAT.to_le_bytes());
    out.extend_from_slice(&number.to_le_bytes());
    out.resize(BLOCK_BYTES - 8, 0);
    let sum = checksum(&out, number);
    out.extend_from_slice(&sum.to_le_bytes());
    out
}

/// Whether bytes begin with the header of the segment with this number; the version if it is another format's.
pub(crate) fn check_header(bytes: &[u8], number: u64) -> Result<bool, u32> {
    let Some(block) = bytes.get(..BLOCK_BYTES) else { return Ok(false) };
    if block == header(number) {
        return Ok(true);
    }
    let mut decoder = Decoder::new(block);
    let is_segment = decoder.take(MAGIC.len()) == Some(MAGIC);
    let format = decoder.u32().unwrap_or(FORMAT);
    let sum = Decoder::new(&block[BLOCK_BYTES - 8..]).u64();
    let is_whole = sum == Some(checksum(&block[..BLOCK_BYTES - 8], number));
    if is_segment && is_whole && format != FORMAT { Err(format) } else { Ok(false) }
}

/// Where segments come from and go to.
#[derive(Debug)]
pub(crate) struct SegmentSource {
    files: Files,
    options: LogOptions,
    next_number: Arc<AtomicU64>,
    counters: Arc<Counters>,
    reserve: Arc<Reserve>,
    /// Whether the last spare segment found no room.
    is_short: AtomicBool,
    /// Ready for use, in the order of their numbers.
    spares: Mutex<VecDeque<Segment>>,
}

impl SegmentSource {
    pub(crate) fn new(
        files: Files,
        options: LogOptions,
        next_number: Arc<AtomicU64>,
        counters: Arc<Counters>,
        reserve: Arc<Reserve>,
    ) -> Self {
        let (is_short, spares) = (AtomicBool::new(false), Mutex::default());
        Self { files, options, next_number, counters, reserve, is_short, spares }
    }

    fn spares(&self) -> std::sync::MutexGuard<'_, VecDeque<Segment>> {
        self.spares.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A segment with a larger number than `after` and room for `bytes` of records: a spare one, or a new one.
    pub(crate) fn take(&self, after: u64, bytes: u64) -> Result<Segment, StoreError> {
        loop {
            let Some(spare) = self.spares().pop_front() else { break };
            let has_room = spare.end.is_none_or(|end| end - RECORDS_BEGIN >= bytes);
            if spare.number > after && has_room {
                return Ok(spare);
            }
            // Made while a writer had to make a later one itself, or too small for this record.
            self.files.remove(&Kind::Log.name(spare.number))?;
        }
        if after > 0 {
            add(&self.counters.log_segments_awaited, 1);
        }
        self.reserve.spend(|| self.make(bytes))
    }

    /// Whether a spare segment should be made now.
    pub(crate) fn wants_spare(&self) -> bool {
        match self.options.layout {
            LogLayout::Append => false,
            LogLayout::Prefilled | LogLayout::Recycled => {
                let has_room = !self.reserve.is_given_up() && !self.is_short.load(Ordering::Relaxed);
                has_room && self.spares().is_empty()
            }
        }
    }

    /// Makes a spare segment, if there is room for one.
    pub(crate) fn prepare(&self) -> Result<(), StoreError> {
        match self.make(0) {
            Err(error) if error.is_full() => self.is_short.store(true, Ordering::Relaxed),
            made => self.spares().push_back(made?),
        }
        Ok(())
    }

    /// Makes a segment, or nothing.
    fn make(&self, bytes: u64) -> Result<Segment, StoreError> {
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        self.make_file(number, bytes).inspect_err(|_| {
            // If that fails, the next open removes it.
            let _ = self.files.remove(&Kind::Log.name(number));
        })
    }

    fn make_file(&self, number: u64, bytes: u64) -> Result<Segment, StoreError> {
        let file = self.files.create(&Kind::Log.name(number), self.options.io)?;
        let end = match self.options.layout {
            LogLayout::Append => None,
            LogLayout::Prefilled | LogLayout::Recycled => {
                let end = self.reserve.limit(self.options.segment_bytes).max(RECORDS_BEGIN + bytes);
                let end = end.next_multiple_of(BLOCK_BYTES as u64);
                self.prefill(&file, end)?;
                Some(end)
            }
        };
        self.begin(number, file, end)
    }

    fn prefill(&self, file: &OpenFile, end: u64) -> Result<(), StoreError> {
        let zeroes = AlignedBuffer::zeroed(PREFILL_BYTES.min(end as usize));
        let mut offset = 0;
        while offset < end {
            let bytes = zeroes.len().min((end - offset) as usize);
            file.write_at(&zeroes[..bytes], offset, Durable::Later)?;
            offset += bytes as u64;
        }
        add(&self.counters.prefill_bytes, end);
        Ok(())
    }

    /// Writes the header. On return it survives power loss, as does the name.
    fn begin(&self, number: u64, file: OpenFile, end: Option<u64>) -> Result<Segment, StoreError> {
        let mut block = AlignedBuffer::zeroed(BLOCK_BYTES);
        block.copy_from_slice(&header(number));
        file.write_at(&block, 0, Durable::Later)?;
        file.sync()?;
        self.files.sync_names()?;
        Ok(Segment { number, file, end, is_synced: true })
    }

    /// A segment of an earlier life, whose records are still needed. On return they survive power loss.
    pub(crate) fn reopen(&self, number: u64) -> Result<Segment, StoreError> {
        let file = self.files.open(&Kind::Log.name(number), IoMode::Buffered, Access::ReadWrite)?;
        file.sync()?;
        let end = Some(file.bytes()?);
        Ok(Segment { number, file, end, is_synced: true })
    }

    /// Takes back a segment whose records are no longer needed.
    pub(crate) fn retire(&self, segment: Segment) -> Result<(), StoreError> {
        let name = Kind::Log.name(segment.number);
        let is_usual = segment.end == Some(self.options.segment_bytes);
        let may_keep = self.options.layout == LogLayout::Recycled && !self.reserve.is_given_up();
        let is_kept = may_keep && is_usual && self.spares().len() < SPARES_MAX;
        drop(segment.file);
        self.is_short.store(false, Ordering::Relaxed);
        if !is_kept {
            return self.files.remove(&name);
        }
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        let new_name = Kind::Log.name(number);
        self.files.rename(&name, &new_name)?;
        let file = self.files.open(&new_name, self.options.io, Access::ReadWrite)?;
        let segment = self.begin(number, file, segment.end)?;
        self.spares().push_back(segment);
        Ok(())
    }
}
