//! Writes a run: entries in order of their keys, each key once.

use super::filters::{FiltersBuilder, SPAN_KEYS};
use super::footer::{Footer, Meta, Section};
use super::index::PageIndex;
use super::page::PageBuilder;
use super::sorted::Run;
use crate::block::{AlignedBuffer, whole_blocks};
use crate::checksum::{key_hash, place};
use crate::entry::{Entry, EntryKind, LargeValue};
use crate::error::StoreError;
use crate::files::{FileKind, Files, InFlight, OpenFile};
use crate::options::{DataOptions, FilterKind};
use crate::storage::Durable;
use crate::transfers::Direction;
use model::IoMode;
use std::collections::VecDeque;

/// A run that is being written.
pub(crate) struct RunWriter {
    number: u64,
    files: Files,
    file: OpenFile,
    data: DataOptions,
    page: PageBuilder,
    /// The last key of the page before the one that is being built.
    before: Option<Vec<u8>>,
    /// The first key of the page that is being built.
    first: Vec<u8>,
    index: PageIndex,
    filters: FiltersBuilder,
    smallest: Vec<u8>,
    large_values: Vec<u64>,
    entries: u64,
    deletes: u64,
    /// Complete pages that are not written yet, and where in the file they belong.
    pending: Vec<u8>,
    pending_offset: u64,
    /// Writes in flight, the first one first.
    in_flight: VecDeque<InFlight>,
    /// Memory that was written from.
    spare: Option<AlignedBuffer>,
    is_finished: bool,
}

impl Drop for RunWriter {
    fn drop(&mut self) {
        if !self.is_finished {
            for write in self.in_flight.drain(..) {
                // It failed, or it is of no use.
                let _ = write.wait();
            }
            self.files.remove_unneeded(FileKind::Run.name(self.number));
        }
    }
}

impl RunWriter {
    pub(crate) fn create(files: &Files, number: u64, data: &DataOptions) -> Result<Self, StoreError> {
        let io = if data.io == IoMode::Mmap { IoMode::Buffered } else { data.io };
        Ok(Self {
            number,
            files: files.clone(),
            file: files.create(&FileKind::Run.name(number), io)?,
            data: data.clone(),
            page: PageBuilder::new(data.prefix_compression),
            before: None,
            first: Vec::new(),
            index: PageIndex::new(),
            filters: FiltersBuilder::new(data.filter, SPAN_KEYS),
            smallest: Vec::new(),
            large_values: Vec::new(),
            entries: 0,
            deletes: 0,
            pending: Vec::with_capacity(data.write_bytes + data.page_bytes),
            pending_offset: 0,
            in_flight: VecDeque::new(),
            spare: None,
            is_finished: false,
        })
    }

    /// Bytes of pages so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.pending_offset + self.pending.len() as u64
    }

    /// Appends an entry. Its key is larger than every key before it.
    pub(crate) fn push(&mut self, entry: Entry<'_>) -> Result<(), StoreError> {
        if !self.page.is_empty() && !self.page.has_room(entry, self.data.page_bytes) {
            self.finish_page()?;
        }
        if self.entries == 0 {
            self.smallest = entry.key.to_vec();
        }
        if self.page.is_empty() {
            self.first.clear();
            self.first.extend_from_slice(entry.key);
        }
        match entry.kind {
            EntryKind::Delete => self.deletes += 1,
            EntryKind::Put => {}
            EntryKind::PutLarge => {
                self.large_values.extend(LargeValue::decode(entry.value).map(|value| value.number));
            }
        }
        self.entries += 1;
        self.filters.push(entry.key, key_hash(entry.key));
        self.page.push(entry);
        Ok(())
    }

    fn finish_page(&mut self) -> Result<(), StoreError> {
        let last = self.page.last_key().to_vec();
        let place = self.data.checksums.then(|| place(self.number, self.bytes()));
        let bytes = self.page.finish(place, &mut self.pending);
        self.index.push(self.before.as_deref(), &self.first, bytes);
        self.before = Some(last);
        if self.pending.len() >= self.data.write_bytes {
            self.write_pending(self.data.write_bytes)?;
        }
        Ok(())
    }

    /// Writes what is pending in pieces of this size, the rest if it is the end.
    fn write_pending(&mut self, least: usize) -> Result<(), StoreError> {
        while self.pending.len() >= least && !self.pending.is_empty() {
            let bytes = self.pending.len().min(self.data.write_bytes);
            let mut piece = self.free_memory()?;
            piece[..bytes].copy_from_slice(&self.pending[..bytes]);
            if self.data.write_depth == 0 {
                self.file.write_at(&piece[..bytes], self.pending_offset, Durable::Later)?;
                self.spare = Some(piece);
            } else {
                let offset = self.pending_offset;
                let write = self.files.start(Direction::Write, &self.file, piece, bytes, offset);
                self.in_flight.push_back(write);
            }
            self.pending.drain(..bytes);
            self.pending_offset += bytes as u64;
        }
        Ok(())
    }

    /// Memory for one write. Waits for the first write if as many are in flight as may be.
    fn free_memory(&mut self) -> Result<AlignedBuffer, StoreError> {
        let is_full = self.in_flight.len() >= self.data.write_depth;
        match self.spare.take() {
            Some(spare) => Ok(spare),
            None => match self.in_flight.pop_front_if(|_| is_full) {
                Some(first) => first.wait(),
                None => Ok(AlignedBuffer::zeroed(self.data.write_bytes)),
            },
        }
    }

    /// Completes the run: on return it survives power loss, except for its name. Returns it with the bytes that were
    /// written.
    pub(crate) fn finish(mut self) -> Result<Run, StoreError> {
        if !self.page.is_empty() {
            self.finish_page()?;
        }
        self.index.shrink();
        let meta = Meta {
            smallest: std::mem::take(&mut self.smallest).into(),
            largest: self.before.take().unwrap_or_default().into(),
            large_values: std::mem::take(&mut self.large_values),
            index: std::mem::replace(&mut self.index, PageIndex::new()),
        };
        let index = self.push_section(&meta.encode())?;
        let none = FiltersBuilder::new(FilterKind::None, SPAN_KEYS);
        let filters = std::mem::replace(&mut self.filters, none).finish();
        let sections = [index, self.push_section(&filters.encode())?];
        let footer = Footer {
            has_checksums: self.data.checksums,
            entries: self.entries,
            deletes: self.deletes,
            sections,
        };
        self.pending.extend(footer.encode(self.number));
        self.write_pending(0)?;
        for write in self.in_flight.drain(..) {
            write.wait()?;
        }
        self.file.sync()?;
        self.is_finished = true;
        let parts = (footer, meta, filters);
        Run::written(&self.files, self.number, self.data.io, self.pending_offset, parts)
    }

    fn push_section(&mut self, bytes: &[u8]) -> Result<Section, StoreError> {
        let section = Section::of(bytes, self.bytes(), self.number);
        // Piece by piece: a large run's section is not copied as a whole.
        for piece in bytes.chunks(self.data.write_bytes) {
            self.pending.extend_from_slice(piece);
            self.write_pending(self.data.write_bytes)?;
        }
        let padding = whole_blocks(bytes.len()) - bytes.len();
        self.pending.resize(self.pending.len() + padding, 0);
        Ok(section)
    }
}
