//! Files of the log: made before they are needed, used again.

use super::header::{FORMAT, FirstBlock, Header, Note};
use crate::block::{AlignedBuffer, BLOCK_BYTES};
use crate::counters::{Counters, add};
use crate::error::StoreError;
use crate::files::{FileKind, Files, OpenFile};
use crate::options::{LogLayout, LogOptions};
use crate::reserve::Reserve;
use crate::storage::{Access, Durable};
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::sync::{Mutex, MutexGuard};
use model::IoMode;
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};

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
    first_block: FirstBlock,
}

impl Segment {
    fn write_first_block(&self) -> Result<(), StoreError> {
        let mut block = AlignedBuffer::zeroed(BLOCK_BYTES);
        self.first_block.encode(self.number, &mut block);
        self.file.write_block(&block, 0)
    }

    /// Makes every record and the note durable.
    pub(crate) fn sync(&mut self) -> Result<(), StoreError> {
        self.file.sync()?;
        self.is_synced = true;
        Ok(())
    }
}

/// Reads the first block of a segment; `None` if it has none.
pub(crate) fn first_block(
    file: &OpenFile,
    number: u64,
    bytes: u64,
) -> Result<Option<FirstBlock>, StoreError> {
    if bytes < BLOCK_BYTES as u64 {
        return Ok(None);
    }
    let mut block = AlignedBuffer::zeroed(BLOCK_BYTES);
    file.read_at(&mut block, 0)?;
    FirstBlock::decode(&block, number).map_err(|found| StoreError::Format {
        path: file.path(),
        found,
        supported: FORMAT,
    })
}

/// What all segments of one life of the store have in their headers.
#[derive(Clone, Debug)]
pub(crate) struct Life {
    /// The [session](crate::storage::Storage::session) of the storage.
    pub(crate) session: Option<u128>,
    /// The least number that a segment of this life can have.
    pub(crate) begin: u64,
    /// The last sequence number when it began; all up to it survive power loss.
    pub(crate) base: u64,
    /// Whether each group of records is written only after the one before it.
    pub(crate) is_ordered: bool,
}

/// Where segments come from and go to.
#[derive(Debug)]
pub(crate) struct SegmentSource {
    files: Files,
    options: LogOptions,
    life: Life,
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
        life: Life,
        next_number: Arc<AtomicU64>,
        counters: Arc<Counters>,
        reserve: Arc<Reserve>,
    ) -> Self {
        let (is_short, spares) = (AtomicBool::new(false), Mutex::default());
        Self { files, options, life, next_number, counters, reserve, is_short, spares }
    }

    fn spares(&self) -> MutexGuard<'_, VecDeque<Segment>> {
        self.spares.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A segment with a larger number than `after` and room for `bytes` of records: a spare one, or a new one.
    pub(crate) fn take(&self, after: u64, bytes: u64) -> Result<Segment, StoreError> {
        if let Some(spare) = self.spare(after, bytes)? {
            return Ok(spare);
        }
        if after > 0 {
            add(&self.counters.log_segments_awaited, 1);
        }
        // A spare segment may have been made meanwhile, of the room that this one lacks.
        self.reserve.spend(|| match self.make(bytes) {
            Err(error) if error.is_full() => self.spare(after, bytes)?.ok_or(error),
            made => made,
        })
    }

    /// A spare segment that fits; those that do not are removed.
    fn spare(&self, after: u64, bytes: u64) -> Result<Option<Segment>, StoreError> {
        loop {
            let Some(spare) = self.spares().pop_front() else { return Ok(None) };
            let has_room = spare.end.is_none_or(|end| end - RECORDS_BEGIN >= bytes);
            if spare.number > after && has_room {
                return Ok(Some(spare));
            }
            // Made while a writer had to make a later one itself, or too small for this record.
            self.files.remove(&FileKind::Log.name(spare.number))?;
        }
    }

    /// Replaces the note in the first block of a segment. Survives the death of the process on return, and power loss
    /// after the next sync. A file system that copies on write needs room for it, although the file has that block.
    pub(crate) fn set_note(&self, segment: &mut Segment, note: Note) -> Result<(), StoreError> {
        segment.first_block.note = Some(note);
        self.reserve.spend(|| segment.write_first_block())
    }

    /// Makes it the last segment of the log, whose records up to `synced` survive power loss, until a note says
    /// otherwise.
    pub(crate) fn end(&self, segment: &mut Segment, synced: u64) -> Result<(), StoreError> {
        self.set_note(segment, Note { synced, next: None })?;
        segment.sync()
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
        let _borrower = self.reserve.borrow();
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
            let _ = self.files.remove(&FileKind::Log.name(number));
        })
    }

    fn make_file(&self, number: u64, bytes: u64) -> Result<Segment, StoreError> {
        let file = self.files.create(&FileKind::Log.name(number), self.options.io)?;
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
        let Life { session, begin, base, is_ordered } = self.life;
        let bytes = end.unwrap_or(RECORDS_BEGIN);
        let header = Header { session, life: begin, base, bytes, is_ordered };
        let first_block = FirstBlock { header, note: Some(Note::default()) };
        let mut segment = Segment { number, file, end, is_synced: false, first_block };
        segment.write_first_block()?;
        segment.sync()?;
        self.files.sync_names()?;
        Ok(segment)
    }

    /// A segment of an earlier life, whose records are still needed. On return they survive power loss.
    pub(crate) fn reopen(&self, number: u64) -> Result<Segment, StoreError> {
        let file = self.files.open(&FileKind::Log.name(number), IoMode::Buffered, Access::ReadWrite)?;
        let bytes = file.bytes()?;
        let first_block = first_block(&file, number, bytes)?
            .ok_or_else(|| file.damaged(0, "the header of a log segment does not match its checksum"))?;
        let mut segment = Segment { number, file, end: Some(bytes), is_synced: false, first_block };
        segment.sync()?;
        Ok(segment)
    }

    /// Takes back a segment whose records are no longer needed.
    pub(crate) fn retire(&self, segment: Segment) -> Result<(), StoreError> {
        let name = FileKind::Log.name(segment.number);
        let is_usual = segment.end == Some(self.options.segment_bytes);
        let may_keep = self.options.layout == LogLayout::Recycled && !self.reserve.is_given_up();
        let is_kept = may_keep && is_usual && self.spares().len() < SPARES_MAX;
        drop(segment.file);
        self.is_short.store(false, Ordering::Relaxed);
        if !is_kept {
            return self.files.remove(&name);
        }
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        let new_name = FileKind::Log.name(number);
        self.files.rename(&name, &new_name)?;
        let file = self.files.open(&new_name, self.options.io, Access::ReadWrite)?;
        match self.begin(number, file, segment.end) {
            // A spare that the file system has no room for is none.
            Err(error) if error.is_full() => self.files.remove(&new_name)?,
            begun => self.spares().push_back(begun?),
        }
        Ok(())
    }
}
