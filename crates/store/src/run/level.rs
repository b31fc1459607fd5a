//! Walks over the runs of a level.

use super::cursor::{RunCursor, RunReads};
use super::sorted::Run;
use crate::cursor::Cursor;
use crate::entry::Entry;
use crate::error::StoreError;
use crate::keys::Keys;
use crate::storage::Read;
use std::io;
use std::sync::Arc;

/// Walks over runs that have no key in common, one after another in the order of their keys.
pub(crate) struct LevelCursor<'a> {
    keys: &'a Keys,
    reads: RunReads<'a>,
    at: RunCursor<'a>,
    /// The runs behind it, the last one first.
    rest: Vec<Arc<Run>>,
}

impl<'a> LevelCursor<'a> {
    /// Stands before the first run; `None` without one. Nothing is read yet.
    pub(crate) fn new(
        mut runs: Vec<Arc<Run>>,
        keys: &'a Keys,
        reads: RunReads<'a>,
    ) -> Result<Option<Self>, StoreError> {
        runs.reverse();
        let Some(first) = runs.pop() else { return Ok(None) };
        let at = RunCursor::new(first, keys, reads)?;
        Ok(Some(Self { keys, reads, at, rest: runs }))
    }

    /// Moves to the first entry whose key is `start` or larger.
    pub(crate) fn begin(&mut self, start: &[u8]) -> Result<(), StoreError> {
        self.at.begin(start)
    }

    /// As [`RunCursor::first_read`].
    pub(crate) fn first_read(&mut self, token: u32) -> Option<Read> {
        self.at.first_read(token)
    }

    /// As [`RunCursor::take_first`].
    pub(crate) fn take_first(&mut self, read: io::Result<&[u8]>) -> Result<(), StoreError> {
        self.at.take_first(read)
    }
}

impl Cursor for LevelCursor<'_> {
    fn entry(&self) -> Option<Entry<'_>> {
        self.at.entry()
    }

    fn advance(&mut self) -> Result<(), StoreError> {
        self.at.advance()?;
        if self.at.entry().is_none()
            && let Some(next) = self.rest.pop()
        {
            let reads = RunReads { first_bytes: self.at.read_bytes(), ..self.reads };
            self.at = RunCursor::new(next, self.keys, reads)?;
            self.at.begin(&[])?;
        }
        Ok(())
    }
}
