//! Walks over a run in large reads.

use super::page::PageCursor;
use super::sorted::Run;
use crate::block::AlignedBuffer;
use crate::cursor::Cursor;
use crate::entry::Entry;
use crate::error::StoreError;
use crate::files::{InFlight, OpenFile};
use model::IoMode;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a cursor reads its run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunReads<'a> {
    /// Bytes of one read.
    pub(crate) read_bytes: usize,
    /// Reads in flight ahead of the cursor; 0: it reads a chunk when it needs it.
    pub(crate) depth: usize,
    /// How the page cache takes part, if not as in all other reads.
    pub(crate) io: Option<IoMode>,
    pub(crate) verify_checksums: bool,
    /// Counts the bytes that are read.
    pub(crate) bytes_read: &'a AtomicU64,
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
    /// The first page that no read was started for.
    unread: usize,
    page: usize,
    cursor: PageCursor,
}

impl<'a> RunCursor<'a> {
    /// Begins at the first entry whose key is `start` or larger.
    pub(crate) fn new(run: Arc<Run>, start: &[u8], reads: RunReads<'a>) -> Result<Self, StoreError> {
        let page = run.index().page_of(start);
        let file = reads.io.map_or_else(|| Ok(run.file.clone()), |io| run.open_again(io))?;
        let mut cursor = Self {
            run,
            file,
            reads,
            chunk: Chunk { end: page, ..Chunk::default() },
            memory: AlignedBuffer::zeroed(0),
            ahead: VecDeque::new(),
            unread: page,
            page,
            cursor: PageCursor::default(),
        };
        cursor.load()?;
        while cursor.entry().is_some_and(|entry| entry.key < start) {
            cursor.advance()?;
        }
        Ok(cursor)
    }

    /// Takes the current page, and reads it with those behind it if it is not in the chunk.
    fn load(&mut self) -> Result<(), StoreError> {
        if self.page >= self.chunk.end {
            self.read_chunk()?;
        }
        let (offset, bytes) = self.run.index().place(self.page);
        let begin = (offset - self.chunk.offset) as usize;
        let place = self.run.page_place(offset).filter(|_| self.reads.verify_checksums);
        let loaded = self.cursor.load(&self.memory[begin..begin + bytes], place);
        loaded.map_err(|what| self.file.damaged(offset, what))
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
        if begin >= index.pages() {
            return None;
        }
        let (offset, mut bytes) = index.place(begin);
        let mut end = begin + 1;
        while end < index.pages() && bytes + index.place(end).1 <= self.reads.read_bytes {
            bytes += index.place(end).1;
            end += 1;
        }
        self.reads.bytes_read.fetch_add(bytes as u64, Ordering::Relaxed);
        self.unread = end;
        Some(Chunk { end, offset, bytes })
    }
}

impl Cursor for RunCursor<'_> {
    fn entry(&self) -> Option<Entry<'_>> {
        self.cursor.entry()
    }

    fn advance(&mut self) -> Result<(), StoreError> {
        let stepped = self.cursor.step();
        stepped.map_err(|what| self.file.damaged(self.run.index().place(self.page).0, what))?;
        if self.cursor.entry().is_none() && self.page + 1 < self.run.index().pages() {
            self.page += 1;
            self.load()?;
        }
        Ok(())
    }
}

/// Walks over the runs of a level, one after another.
pub(crate) struct LevelCursor<'a> {
    /// Those that were not begun, the last one first.
    rest: Vec<Arc<Run>>,
    reads: RunReads<'a>,
    at: Option<RunCursor<'a>>,
}

impl<'a> LevelCursor<'a> {
    /// Begins at the first entry whose key is `start` or larger. The runs are in the order of their keys.
    pub(crate) fn new(
        runs: impl DoubleEndedIterator<Item = Arc<Run>>,
        start: &[u8],
        reads: RunReads<'a>,
    ) -> Result<Self, StoreError> {
        let mut rest: Vec<Arc<Run>> = runs.filter(|run| run.largest() >= start).rev().collect();
        let first = rest.pop();
        let at = first.map(|run| RunCursor::new(run, start, reads)).transpose()?;
        Ok(Self { rest, reads, at })
    }
}

impl Cursor for LevelCursor<'_> {
    fn entry(&self) -> Option<Entry<'_>> {
        self.at.as_ref().and_then(RunCursor::entry)
    }

    fn advance(&mut self) -> Result<(), StoreError> {
        if let Some(at) = &mut self.at {
            at.advance()?;
            if at.entry().is_none() {
                let next = self.rest.pop();
                self.at = next.map(|run| RunCursor::new(run, &[], self.reads)).transpose()?;
            }
        }
        Ok(())
    }
}
