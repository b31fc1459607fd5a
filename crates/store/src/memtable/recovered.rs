//! What the log had when the store was opened: sorted at once, read and flushed like any other memtable.

use crate::batch::entry_at;
use crate::cursor::Cursor;
use crate::entry::{Entry, EntryKind};
use crate::error::StoreError;
use crate::key_prefix::key_prefix;
use std::cmp::Ordering;
use std::sync::Arc;

/// Where a write is among the payloads of its memtable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) prefix: u64,
    /// A later write has a larger one.
    pub(super) offset: u32,
}

impl Place {
    fn entry<'a>(&self, payloads: &'a [u8]) -> Entry<'a> {
        // It was decoded once, by `push`.
        const NOTHING: Entry<'static> = Entry { key: &[], kind: EntryKind::Delete, value: &[] };
        entry_at(payloads, self.offset as usize).unwrap_or(NOTHING)
    }

    /// The order of keys; the newest version of a key first.
    fn order(&self, other: &Self, payloads: &[u8]) -> Ordering {
        self.prefix
            .cmp(&other.prefix)
            .then_with(|| self.entry(payloads).key.cmp(other.entry(payloads).key))
            .then_with(|| other.offset.cmp(&self.offset))
    }
}

/// The writes to one partition.
#[derive(Debug)]
pub(super) struct RecoveredTable {
    /// Those of all partitions.
    payloads: Arc<Vec<u8>>,
    /// The newest write to each key, in the order of the keys.
    places: Vec<Place>,
    /// The files of large values that a newer version replaces.
    replaced_large_values: Vec<u64>,
}

impl RecoveredTable {
    /// Makes the table of places in any order.
    pub(super) fn new(payloads: Arc<Vec<u8>>, mut places: Vec<Place>) -> Self {
        // By the prefixes first, which need no look at the keys: they seldom leave anything to be sorted.
        places.sort_unstable_by_key(|place| place.prefix);
        for same in places.chunk_by_mut(|one, other| one.prefix == other.prefix) {
            same.sort_unstable_by(|one, other| one.order(other, &payloads));
        }
        let mut replaced_large_values = Vec::new();
        places.dedup_by(|older, newer| {
            if older.prefix != newer.prefix {
                return false;
            }
            let (entry, kept) = (older.entry(&payloads), newer.entry(&payloads));
            let is_replaced = entry.key == kept.key;
            replaced_large_values.extend(entry.large_value().filter(|_| is_replaced));
            is_replaced
        });
        Self { payloads, places, replaced_large_values }
    }

    pub(super) fn keys(&self) -> usize {
        self.places.len()
    }

    /// Memory of what only this table has.
    pub(super) fn own_bytes(&self) -> usize {
        self.places.capacity() * size_of::<Place>()
    }

    /// Memory of what it has together with the tables of the other partitions.
    pub(super) fn shared_bytes(&self) -> usize {
        self.payloads.capacity()
    }

    pub(super) fn replaced_large_values(&self) -> &[u64] {
        &self.replaced_large_values
    }

    /// The first place of a key that is not smaller than this one.
    fn lower_bound(&self, key: &[u8]) -> usize {
        let wanted = key_prefix(key);
        self.places.partition_point(|place| match place.prefix.cmp(&wanted) {
            Ordering::Less => true,
            Ordering::Equal => place.entry(&self.payloads).key < key,
            Ordering::Greater => false,
        })
    }

    pub(super) fn get(&self, key: &[u8]) -> Option<Entry<'_>> {
        let found = self.places.get(self.lower_bound(key))?.entry(&self.payloads);
        (found.key == key).then_some(found)
    }

    pub(super) fn cursor(&self, start: &[u8]) -> RecoveredCursor<'_> {
        RecoveredCursor { table: self, at: self.lower_bound(start) }
    }
}

/// Walks over a table.
pub(super) struct RecoveredCursor<'a> {
    table: &'a RecoveredTable,
    at: usize,
}

impl Cursor for RecoveredCursor<'_> {
    fn entry(&self) -> Option<Entry<'_>> {
        self.table.places.get(self.at).map(|place| place.entry(&self.table.payloads))
    }

    fn advance(&mut self) -> Result<(), StoreError> {
        self.at += 1;
        Ok(())
    }
}
