//! Walks over a run in reads of many pages.

use super::page::PageCursor;
use super::sorted::Run;
use crate::block::AlignedBuffer;
use crate::cache::PageCache;
use crate::counters::add;
use crate::cursor::Cursor;
use crate::entry::Entry;
use crate::error::StoreError;
use crate::files::{InFlight, OpenFile};
use crate::keys::Keys;
use crate::storage::Read;
use model::IoMode;
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// How a cursor reads its run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunReads<'a> {
    /// Bytes of the first read; each further one has twice as many as the one before.
    pub(crate) first_bytes: usize,
    /// Most bytes of one read.
    pub(crate) bytes_max: usize,
    /// Reads in flight ahead of the cursor; 0: it reads a chunk when it needs it.
    pub(crate) depth: usize,
    /// How the page cache takes part, if not as in all other reads.
    pub(crate) io: Option<IoMode>,
    pub(crate) verify_checksums: bool,
    /// Where pages are looked for before they are read, and where they are kept until the reads have grown: so short
    /// scans find what they read before, and long ones leave the cache to others. Reads ahead bypass it.
    pub(crate) cache: Option<&'a PageCache>,
    /// Count the reads, the bytes that they bring, and pages that the cache had.
    pub(crate) reads: &'a AtomicU64,
    pub(crate) bytes_read: &'a AtomicU64,
    pub(crate) cache_hits: &'a AtomicU64,
}

/// Pages that are read at once.
#[derive(Clone, Copy, Debug, Default)]
struct Chunk {
    /// The page behind the last one.
    end: usize,
    offset: u64,
    bytes: usize,
}

/// A position in a run.
pub(crate) struct RunCursor<'a> {
    run: Arc<Run>,
    file: OpenFile,
    reads: RunReads<'a>,
    /// What is in memory.
    chunk: Chunk,
    memory: AlignedBuffer,
    /// The chunks behind it whose reads are in flight.
    ahead: VecDeque<(Chunk, InFlight)>,
    /// Bytes of the next read.
    read_bytes: usize,
    /// The first page that no read was started for.
    unread: usize,
    /// Behind the last page that may have one of the keys.
    pages_end: usize,
    page: usize,
    /// Where the page is in memory.
    place: Range<usize>,
    cursor: PageCursor,
}

impl<'a> RunCursor<'a> {
    /// Stands before the first page that may have one of the keys. Nothing is read yet.
    pub(crate) fn new(run: Arc<Run>, keys: &Keys, reads: RunReads<'a>) -> Result<Self, StoreError> {
        let page = run.index().page_of(keys.first());
        let last = keys.last().map_or(run.index().pages() - 1, |last| run.index().page_of(last));
        let file = reads.io.map_or_else(|| Ok(run.file.clone()), |io| run.open_again(io))?;
        Ok(Self {
            run,
            file,
            reads,
            chunk: Chunk { end: page, ..Chunk::default() },
            memory: AlignedBuffer::spare(),
            ahead: VecDeque::new(),
            read_bytes: reads.first_bytes,
            unread: page,
            pages_end: last.max(page) + 1,
            page,
            place: 0..0,
            cursor: PageCursor::default(),
        })
    }

    /// Moves to the first entry whose key is `start` or larger.
    pub(crate) fn begin(&mut self, start: &[u8]) -> Result<(), StoreError> {
        self.load()?;
        if !start.is_empty() {
            let sought = self.cursor.seek_before(start, &self.memory[self.place.clone()]);
            sought.map_err(|what| self.damaged(what))?;
        }
        while self.entry().is_some_and(|entry| entry.key < start) {
            self.advance()?;
        }
        Ok(())
    }

    /// The first read, for the caller to perform before the cursor [begins](Self::begin); `None` if the cache has the
    /// page.
    pub(crate) fn first_read(&mut self, token: u32) -> Option<Read> {
        if self.reads.cache.is_some_and(|cache| cache.contains(self.run.number, self.page)) {
            return None;
        }
        self.chunk = self.next_chunk()?;
        let Chunk { offset, bytes, .. } = self.chunk;
        Some(Read { token, number: self.run.number, file: self.file.handle(), offset, bytes })
    }

    /// Takes what the first read brought.
    pub(crate) fn take_first(&mut self, read: io::Result<&[u8]>) -> Result<(), StoreError> {
        let bytes = read.map_err(|source| self.file.read_failed(source, self.chunk.offset))?;
        self.memory.require(bytes.len()).copy_from_slice(bytes);
        Ok(())
    }

    /// Bytes of the next read.
    pub(super) fn read_bytes(&self) -> usize {
        self.read_bytes
    }

    /// Takes the current page, and reads it with those behind it if it is neither in the chunk nor in the cache.
    fn load(&mut self) -> Result<(), StoreError> {
        let (offset, bytes) = self.run.index().place(self.page);
        let mut is_read = true;
        if self.page >= self.chunk.end {
            if let Some(page) = self.reads.cache.and_then(|cache| cache.get(self.run.number, self.page)) {
                add(self.reads.cache_hits, 1);
                self.memory.require(bytes).copy_from_slice(&page);
                self.unread = self.page + 1;
                self.chunk = Chunk { end: self.unread, offset, bytes };
                // It was verified when it was read.
                is_read = false;
            } else {
                self.read_chunk()?;
            }
        }
        let begin = (offset - self.chunk.offset) as usize;
        self.place = begin..begin + bytes;
        let page = &self.memory[self.place.clone()];
        let place = self.run.page_place(offset).filter(|_| is_read && self.reads.verify_checksums);
        self.cursor.load(page, place).map_err(|what| self.file.damaged(offset, what))?;
        let is_kept = is_read && self.chunk.bytes < self.reads.bytes_max;
        if let Some(cache) = self.reads.cache.filter(|_| is_kept) {
            cache.insert(self.run.number, self.page, page);
        }
        Ok(())
    }

    /// The error of the current page.
    fn damaged(&self, what: &'static str) -> StoreError {
        self.file.damaged(self.run.index().place(self.page).0, what)
    }

    /// Takes the next chunk.
    fn read_chunk(&mut self) -> Result<(), StoreError> {
        if self.reads.depth == 0 {
            if let Some(chunk) = self.next_chunk() {
                self.file.read_at(self.memory.require(chunk.bytes), chunk.offset)?;
                self.chunk = chunk;
            }
            return Ok(());
        }
        self.start_reads(AlignedBuffer::zeroed(0));
        if let Some((chunk, read)) = self.ahead.pop_front() {
            let read_before = std::mem::replace(&mut self.memory, read.wait()?);
            self.chunk = chunk;
            self.start_reads(read_before);
        }
        Ok(())
    }

    /// Starts as many reads as may be in flight, the first one of them into this memory.
    fn start_reads(&mut self, mut memory: AlignedBuffer) {
        while self.ahead.len() < self.reads.depth {
            let Some(chunk) = self.next_chunk() else { return };
            let mut memory = std::mem::replace(&mut memory, AlignedBuffer::zeroed(0));
            memory.require(chunk.bytes);
            let Chunk { bytes, offset, .. } = chunk;
            self.ahead.push_back((chunk, self.run.start_read(&self.file, memory, bytes, offset)));
        }
    }

    /// The first chunk that was not read: it is the caller's to read.
    fn next_chunk(&mut self) -> Option<Chunk> {
        let (index, begin) = (self.run.index(), self.unread);
        if begin >= self.pages_end {
            return None;
        }
        let (offset, mut bytes) = index.place(begin);
        let mut end = begin + 1;
        while end < self.pages_end && bytes + index.place(end).1 <= self.read_bytes {
            bytes += index.place(end).1;
            end += 1;
        }
        add(self.reads.reads, 1);
        add(self.reads.bytes_read, bytes as u64);
        self.read_bytes = (2 * self.read_bytes).min(self.reads.bytes_max);
        self.unread = end;
        Some(Chunk { end, offset, bytes })
    }
}

impl Drop for RunCursor<'_> {
    fn drop(&mut self) {
        std::mem::take(&mut self.memory).give_back();
    }
}

impl Cursor for RunCursor<'_> {
    fn entry(&self) -> Option<Entry<'_>> {
        self.cursor.entry(&self.memory[self.place.clone()])
    }

    fn advance(&mut self) -> Result<(), StoreError> {
        let stepped = self.cursor.step(&self.memory[self.place.clone()]);
        stepped.map_err(|what| self.damaged(what))?;
        if self.entry().is_none() && self.page + 1 < self.pages_end {
            self.page += 1;
            self.load()?;
        }
        Ok(())
    }
}
