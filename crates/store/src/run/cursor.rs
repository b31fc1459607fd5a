//! Walks over a run in large reads.

use super::page::PageCursor;
use super::sorted::Run;
use crate::block::AlignedBuffer;
use crate::cursor::Cursor;
use crate::entry::Entry;
use crate::error::StoreError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A position in a run.
pub(crate) struct RunCursor<'a> {
    run: Arc<Run>,
    read_bytes: usize,
    /// Counts the bytes that are read.
    bytes_read: &'a AtomicU64,
    chunk: AlignedBuffer,
    /// The pages in the chunk: the first one, and the one behind the last one.
    chunk_begin: usize,
    chunk_end: usize,
    page: usize,
    cursor: PageCursor,
}

impl<'a> RunCursor<'a> {
    /// Begins at the first entry whose key is `start` or larger.
    pub(crate) fn new(
        run: Arc<Run>,
        start: &[u8],
        read_bytes: usize,
        bytes_read: &'a AtomicU64,
    ) -> Result<Self, StoreError> {
        let page = run.index().page_of(start);
        let mut cursor = Self {
            run,
            read_bytes,
            bytes_read,
            chunk: AlignedBuffer::zeroed(0),
            chunk_begin: page,
            chunk_end: page,
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
        if self.page >= self.chunk_end {
            self.read_chunk()?;
        }
        let index = self.run.index();
        let (offset, bytes) = index.place(self.page);
        let begin = (offset - index.place(self.chunk_begin).0) as usize;
        let place = self.run.page_place(offset);
        let loaded = self.cursor.load(&self.chunk[begin..begin + bytes], place);
        loaded.map_err(|what| self.run.file.damaged(offset, what))
    }

    fn read_chunk(&mut self) -> Result<(), StoreError> {
        let index = self.run.index();
        let (begin, first_bytes) = index.place(self.page);
        let (mut end, mut bytes) = (self.page + 1, first_bytes);
        while end < index.pages() && bytes + index.place(end).1 <= self.read_bytes {
            bytes += index.place(end).1;
            end += 1;
        }
        self.run.file.read_at(self.chunk.require(bytes), begin)?;
        self.bytes_read.fetch_add(bytes as u64, Ordering::Relaxed);
        (self.chunk_begin, self.chunk_end) = (self.page, end);
        Ok(())
    }
}

impl Cursor for RunCursor<'_> {
    fn entry(&self) -> Option<Entry<'_>> {
        self.cursor.entry()
    }

    fn advance(&mut self) -> Result<(), StoreError> {
        let stepped = self.cursor.step();
        stepped.map_err(|what| self.run.file.damaged(self.run.index().place(self.page).0, what))?;
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
    read_bytes: usize,
    bytes_read: &'a AtomicU64,
    at: Option<RunCursor<'a>>,
}

impl<'a> LevelCursor<'a> {
    /// Begins at the first entry whose key is `start` or larger. The runs are in the order of their keys.
    pub(crate) fn new(
        runs: impl DoubleEndedIterator<Item = Arc<Run>>,
        start: &[u8],
        read_bytes: usize,
        bytes_read: &'a AtomicU64,
    ) -> Result<Self, StoreError> {
        let mut rest: Vec<Arc<Run>> = runs.filter(|run| run.largest() >= start).rev().collect();
        let first = rest.pop();
        let at = first.map(|run| RunCursor::new(run, start, read_bytes, bytes_read)).transpose()?;
        Ok(Self { rest, read_bytes, bytes_read, at })
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
                let next = next.map(|run| RunCursor::new(run, &[], self.read_bytes, self.bytes_read));
                self.at = next.transpose()?;
            }
        }
        Ok(())
    }
}
