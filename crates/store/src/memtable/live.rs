//! A table that threads write to, ordered: a B+ tree behind a lock.
//!
//! An insertion into a concurrent skiplist visits some twenty nodes that are in no cache, one after another: that was
//! half of the processor time of a load. The tree visits three or four nodes. Its lock is held for less than the time
//! that it saves.

use super::records::{RECORD_BYTES, Record};
use super::tree::{ENTRY_BYTES, Position, Tree};
use crate::cursor::Cursor;
use crate::entry::{Entry, EntryKind};
use crate::error::StoreError;
use crate::sync::{RwLock, RwLockReadGuard};
use std::sync::PoisonError;

/// Entries that a cursor copies at once, first and at most: writers wait meanwhile.
const COPIED_FIRST: usize = 8;
const COPIED_MAX: usize = 256;
/// Bytes after which it copies no further entry.
const COPIED_BYTES: usize = 64 << 10;

/// Memory that a version takes besides its key and value.
pub(super) const VERSION_BYTES: usize = RECORD_BYTES + ENTRY_BYTES;

/// The writes to one partition.
#[derive(Debug)]
pub(super) struct LiveTable(RwLock<Content>);

#[derive(Debug)]
struct Content {
    versions: Tree,
    /// All keys and values, those that were replaced included.
    bytes: usize,
}

impl LiveTable {
    pub(super) fn new() -> Self {
        Self(RwLock::new(Content { versions: Tree::new(), bytes: 0 }))
    }

    /// A later write of the same batch to the same key replaces the earlier one.
    pub(super) fn insert(&self, entry: Entry<'_>, sequence: u64) {
        let mut content = self.0.write().unwrap_or_else(PoisonError::into_inner);
        content.bytes += entry.key.len() + entry.value.len();
        content.versions.insert(entry, sequence);
    }

    fn content(&self) -> RwLockReadGuard<'_, Content> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn versions(&self) -> usize {
        self.content().versions.entries()
    }

    /// Memory that it takes, about.
    pub(super) fn memory_bytes(&self) -> usize {
        let content = self.content();
        content.bytes + content.versions.entries() * VERSION_BYTES
    }

    /// What was written last to a key, up to a moment: hands it to `found`.
    pub(super) fn get<R>(&self, key: &[u8], sequence: u64, found: impl FnOnce(Entry<'_>) -> R) -> Option<R> {
        let content = self.content();
        let Record { entry, .. } = content.versions.behind(Position::new(key, sequence)).next()?;
        (entry.key == key).then(|| found(entry))
    }

    /// The newest version of each key from `start` on, as it was at a moment.
    pub(super) fn cursor(&self, start: &[u8], sequence: u64) -> LiveCursor<'_> {
        let mut cursor = LiveCursor {
            table: self,
            sequence,
            copied: Vec::new(),
            bytes: Vec::new(),
            at: 0,
            copied_max: COPIED_FIRST,
        };
        cursor.copy(Position::new(start, u64::MAX));
        cursor
    }

    /// The files of large values that a newer version replaces. Nobody may write meanwhile.
    pub(super) fn replaced_large_values(&self) -> Vec<u64> {
        let content = self.content();
        let versions = content.versions.behind(Position::new(&[], u64::MAX)).map(|record| record.entry);
        let pairs = versions.clone().zip(versions.skip(1));
        let replaced = pairs.filter(|(newer, older)| newer.key == older.key).map(|(_, older)| older);
        replaced.filter_map(|version| version.large_value()).collect()
    }
}

/// Walks over a table, a few copied entries at a time.
pub(super) struct LiveCursor<'a> {
    table: &'a LiveTable,
    sequence: u64,
    /// For each entry where it ends, where its key ends, and its kind.
    copied: Vec<(usize, usize, EntryKind)>,
    bytes: Vec<u8>,
    /// The entry that the cursor is at.
    at: usize,
    copied_max: usize,
}

impl LiveCursor<'_> {
    /// Copies the next entries.
    fn copy(&mut self, from: Position<'_>) {
        self.copied.clear();
        self.bytes.clear();
        self.at = 0;
        let content = self.table.content();
        let mut before: Option<&[u8]> = None;
        for Record { entry, sequence } in content.versions.behind(from) {
            if sequence > self.sequence || before == Some(entry.key) {
                continue;
            }
            if self.copied.len() == self.copied_max || self.bytes.len() > COPIED_BYTES {
                break;
            }
            self.bytes.extend_from_slice(entry.key);
            let key_end = self.bytes.len();
            self.bytes.extend_from_slice(entry.value);
            self.copied.push((self.bytes.len(), key_end, entry.kind));
            before = Some(entry.key);
        }
        self.copied_max = (2 * self.copied_max).min(COPIED_MAX);
    }
}

impl Cursor for LiveCursor<'_> {
    fn entry(&self) -> Option<Entry<'_>> {
        let (end, key_end, kind) = *self.copied.get(self.at)?;
        let begin = self.at.checked_sub(1).map_or(0, |before| self.copied[before].0);
        Some(Entry { key: &self.bytes[begin..key_end], kind, value: &self.bytes[key_end..end] })
    }

    fn advance(&mut self) -> Result<(), StoreError> {
        if self.at + 1 < self.copied.len() {
            self.at += 1;
        } else if let Some(entry) = self.entry() {
            // Behind every version of it: the first sequence number is 1.
            let last = entry.key.to_vec();
            self.copy(Position::new(&last, 0));
        }
        Ok(())
    }
}
