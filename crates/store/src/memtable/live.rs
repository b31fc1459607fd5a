//! A table that threads write to, ordered: a B-tree behind a lock.
//!
//! An insertion into a concurrent skiplist visits some twenty nodes that are in no cache, one after another: that was
//! half of the processor time of a load. A B-tree visits a few nodes with several keys each. Its lock is held for less
//! than the time that it saves.

use crate::cursor::Cursor;
use crate::entry::{Entry, EntryKind, LargeValue};
use crate::error::StoreError;
use crate::key_prefix::key_prefix;
use crate::sync::{RwLock, RwLockReadGuard};
use bytes::{Bytes, BytesMut};
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::PoisonError;

/// Entries that a cursor copies at once, first and at most: writers wait meanwhile.
const COPIED_FIRST: usize = 8;
const COPIED_MAX: usize = 256;
/// Bytes after which it copies no further entry.
const COPIED_BYTES: usize = 64 << 10;

/// Memory that a version takes besides its key and value: the nodes of a B-tree are about two thirds full.
pub(super) const VERSION_BYTES: usize = size_of::<Version>() * 3 / 2;

/// A key and a moment: where a version of the key is in the order. The newest version of a key comes first.
trait Position {
    fn position(&self) -> (u64, &[u8], u64);
}

/// The order of prefix, key and sequence number.
#[inline]
fn order(one: (u64, &[u8], u64), other: (u64, &[u8], u64)) -> Ordering {
    // Two prefixes that differ decide without a look at the keys, which are elsewhere in memory.
    one.0.cmp(&other.0).then_with(|| one.1.cmp(other.1)).then_with(|| other.2.cmp(&one.2))
}

/// One version of a key.
#[derive(Debug)]
struct Version {
    prefix: u64,
    /// The key, then the value: a part of a chunk.
    bytes: Bytes,
    key_bytes: u32,
    kind: EntryKind,
    sequence: u64,
}

impl Version {
    fn key(&self) -> &[u8] {
        &self.bytes[..self.key_bytes as usize]
    }

    fn entry(&self) -> Entry<'_> {
        let (key, value) = self.bytes.split_at(self.key_bytes as usize);
        Entry { key, kind: self.kind, value }
    }
}

impl Position for Version {
    #[inline]
    fn position(&self) -> (u64, &[u8], u64) {
        (self.prefix, self.key(), self.sequence)
    }
}

/// A position that is looked for.
struct Probe<'a> {
    prefix: u64,
    key: &'a [u8],
    sequence: u64,
}

impl<'a> Probe<'a> {
    fn new(key: &'a [u8], sequence: u64) -> Self {
        Self { prefix: key_prefix(key), key, sequence }
    }
}

impl Position for Probe<'_> {
    fn position(&self) -> (u64, &[u8], u64) {
        (self.prefix, self.key, self.sequence)
    }
}

impl PartialEq for dyn Position + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for dyn Position + '_ {}

impl PartialOrd for dyn Position + '_ {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for dyn Position + '_ {
    fn cmp(&self, other: &Self) -> Ordering {
        order(self.position(), other.position())
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Version {}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        order(self.position(), other.position())
    }
}

impl<'a> Borrow<dyn Position + 'a> for Version {
    fn borrow(&self) -> &(dyn Position + 'a) {
        self
    }
}

/// The writes to one partition.
#[derive(Debug)]
pub(super) struct LiveTable {
    content: RwLock<Content>,
    /// Bytes of keys and values that are allocated at once.
    chunk_bytes: usize,
}

#[derive(Debug, Default)]
struct Content {
    versions: BTreeSet<Version>,
    /// All keys and values, those that were replaced included.
    bytes: usize,
    /// Room for the bytes of further versions. To allocate and free each by itself takes a fifth of the processor time
    /// of a load.
    chunk: BytesMut,
}

impl LiveTable {
    pub(super) fn new(chunk_bytes: usize) -> Self {
        Self { content: RwLock::default(), chunk_bytes }
    }

    /// A later write of the same batch to the same key replaces the earlier one.
    pub(super) fn insert(&self, entry: Entry<'_>, sequence: u64) {
        let Entry { key, kind, value } = entry;
        let prefix = key_prefix(key);
        let bytes = key.len() + value.len();
        let mut content = self.content.write().unwrap_or_else(PoisonError::into_inner);
        content.bytes += bytes;
        let Content { versions, chunk, .. } = &mut *content;
        if chunk.capacity() < bytes {
            *chunk = BytesMut::with_capacity(self.chunk_bytes.max(bytes));
        }
        chunk.extend_from_slice(key);
        chunk.extend_from_slice(value);
        let bytes = chunk.split().freeze();
        versions.replace(Version { prefix, bytes, key_bytes: key.len() as u32, kind, sequence });
    }

    fn content(&self) -> RwLockReadGuard<'_, Content> {
        self.content.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn versions(&self) -> usize {
        self.content().versions.len()
    }

    /// Memory that it takes, about.
    pub(super) fn memory_bytes(&self) -> usize {
        let content = self.content();
        content.bytes + content.versions.len() * VERSION_BYTES
    }

    /// What was written last to a key, up to a moment: hands it to `found`.
    pub(super) fn get<R>(&self, key: &[u8], sequence: u64, found: impl FnOnce(Entry<'_>) -> R) -> Option<R> {
        let content = self.content();
        let version = behind(&content.versions, Bound::Included(&Probe::new(key, sequence))).next()?;
        (version.key() == key).then(|| found(version.entry()))
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
        cursor.copy(Bound::Included(&Probe::new(start, u64::MAX)));
        cursor
    }

    /// The files of large values that a newer version replaces. Nobody may write meanwhile.
    pub(super) fn replaced_large_values(&self) -> Vec<u64> {
        let content = self.content();
        let versions = &content.versions;
        let pairs = versions.iter().zip(versions.iter().skip(1));
        let replaced = pairs.filter(|(newer, older)| newer.key() == older.key()).map(|(_, older)| older);
        let large = replaced.filter(|version| version.kind == EntryKind::PutLarge);
        large
            .filter_map(|version| LargeValue::decode(version.entry().value))
            .map(|value| value.number)
            .collect()
    }
}

/// The versions from a position on.
fn behind<'a>(versions: &'a BTreeSet<Version>, from: Bound<&Probe<'_>>) -> impl Iterator<Item = &'a Version> {
    let from = from.map(|probe| probe as &dyn Position);
    versions.range::<dyn Position + '_, _>((from, Bound::Unbounded))
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
    fn copy(&mut self, from: Bound<&Probe<'_>>) {
        self.copied.clear();
        self.bytes.clear();
        self.at = 0;
        let content = self.table.content();
        let mut before: Option<&Version> = None;
        for version in behind(&content.versions, from) {
            let is_older = before.is_some_and(|before| before.key() == version.key());
            if version.sequence > self.sequence || is_older {
                continue;
            }
            if self.copied.len() == self.copied_max || self.bytes.len() > COPIED_BYTES {
                break;
            }
            let begin = self.bytes.len();
            self.bytes.extend_from_slice(&version.bytes);
            self.copied.push((self.bytes.len(), begin + version.key_bytes as usize, version.kind));
            before = Some(version);
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
            let last = entry.key.to_vec();
            // Behind every version of it: the first sequence number is 1.
            self.copy(Bound::Excluded(&Probe::new(&last, 0)));
        }
        Ok(())
    }
}
