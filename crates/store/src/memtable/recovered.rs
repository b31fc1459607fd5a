//! What the log had when the store was opened: sorted at once, read and flushed like any other memtable.

use crate::batch::{entry_at, placed_entries};
use crate::checksum::{key_hash, partition};
use crate::cursor::Cursor;
use crate::entry::{Entry, Kind, LargeValue};
use crate::error::StoreError;
use crate::key_prefix::key_prefix;
use std::cmp::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Bytes after which a table is full, whatever the options say: offsets have 32 bits, and the largest batch fits behind.
const BYTES_MAX: u64 = 1 << 30;

/// Where a write is among the payloads of its memtable.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The key's.
    prefix: u64,
    /// A later write has a larger one.
    offset: u32,
}

/// A memtable that is being recovered, in the order of the log.
#[derive(Debug)]
pub(crate) struct Recovering {
    payloads: Vec<u8>,
    places: Vec<Vec<Place>>,
    pub(super) log_begin: u64,
    pub(super) sequence_last: u64,
    /// The files of all large values that the writes name.
    pub(crate) large_values: Vec<u64>,
}

impl Recovering {
    /// Its writes begin in this log segment.
    pub(crate) fn new(partitions: usize, log_begin: u64) -> Self {
        let places = vec![Vec::new(); partitions];
        Self { payloads: Vec::new(), places, log_begin, sequence_last: 0, large_values: Vec::new() }
    }

    /// Whether the next write belongs to another memtable, if one has this number of bytes.
    pub(crate) fn is_full(&self, memtable_bytes: u64) -> bool {
        self.payloads.len() as u64 >= memtable_bytes.min(BYTES_MAX)
    }

    /// Appends the writes of a payload; whether all of them can be decoded.
    pub(crate) fn push(&mut self, sequence: u64, payload: &[u8]) -> bool {
        let begin = self.payloads.len();
        for placed in placed_entries(payload) {
            let Some((at, entry)) = placed else { return false };
            if entry.kind == Kind::PutLarge {
                self.large_values.extend(LargeValue::decode(entry.value).map(|value| value.number));
            }
            let table = partition(key_hash(entry.key), self.places.len());
            self.places[table].push(Place { prefix: key_prefix(entry.key), offset: (begin + at) as u32 });
        }
        self.payloads.extend_from_slice(payload);
        self.sequence_last = sequence;
        true
    }

    /// The table of each partition, of sorted places.
    pub(super) fn tables(&mut self) -> Box<[RecoveredTable]> {
        let payloads = Arc::new(std::mem::take(&mut self.payloads));
        let places = std::mem::take(&mut self.places).into_iter();
        places.map(|places| RecoveredTable::new(Arc::clone(&payloads), places)).collect()
    }
}

/// Sorts what was recovered, on all processors.
pub(super) fn sort(recovering: &mut [Recovering]) {
    let tables = recovering.iter_mut().flat_map(|memtable| {
        let payloads = &memtable.payloads;
        memtable.places.iter_mut().map(move |places| (&**payloads, places))
    });
    let tables = Mutex::new(tables);
    let sort = || {
        loop {
            let next = tables.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((payloads, places)) = next else { return };
            places.sort_unstable_by(|one, other| one.order(other, payloads));
        }
    };
    thread::scope(|scope| {
        for _ in 1..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(sort);
        }
        sort();
    });
}

impl Place {
    fn entry<'a>(&self, payloads: &'a [u8]) -> Entry<'a> {
        // It was decoded once, by `push`.
        const NOTHING: Entry<'static> = Entry { key: &[], kind: Kind::Delete, value: &[] };
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
    /// Makes the table from sorted places.
    fn new(payloads: Arc<Vec<u8>>, mut places: Vec<Place>) -> Self {
        let mut replaced_large_values = Vec::new();
        places.dedup_by(|older, newer| {
            if older.prefix != newer.prefix {
                return false;
            }
            let (entry, kept) = (older.entry(&payloads), newer.entry(&payloads));
            let is_replaced = entry.key == kept.key;
            if is_replaced && entry.kind == Kind::PutLarge {
                replaced_large_values.extend(LargeValue::decode(entry.value).map(|value| value.number));
            }
            is_replaced
        });
        Self { payloads, places, replaced_large_values }
    }

    pub(super) fn keys(&self) -> usize {
        self.places.len()
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
