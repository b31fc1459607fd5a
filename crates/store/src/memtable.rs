//! Writes that are not in a run yet, ordered, in memory.

use crate::batch;
use crate::checksum::{key_hash, partition};
use crate::cursor::Cursor;
use crate::entry::{Entry, Kind, LargeValue};
use crate::error::StoreError;
use crate::run::Kept;
use crossbeam_skiplist::SkipMap;
use crossbeam_skiplist::map;
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::ops::Bound;
use std::sync::OnceLock;
use std::sync::atomic::{self, AtomicBool};

/// A key and a moment: where a version of the key is in the order. The newest version of a key comes first.
trait Position {
    /// The first bytes of the key as a number: two that differ decide the order without a look at the keys, which are elsewhere
    /// in memory.
    fn prefix(&self) -> u64;
    fn key(&self) -> &[u8];
    fn sequence(&self) -> u64;
}

/// The first eight bytes of a key, zeroes if it has fewer: if the prefixes of two keys differ, the keys differ the same way.
fn prefix(key: &[u8]) -> u64 {
    let mut first = [0; 8];
    let bytes = key.len().min(8);
    first[..bytes].copy_from_slice(&key[..bytes]);
    u64::from_be_bytes(first)
}

/// One version of a key.
#[derive(Debug)]
struct Version {
    prefix: u64,
    /// The key, then the value: one allocation.
    bytes: Box<[u8]>,
    key_bytes: u32,
    kind: Kind,
    sequence: u64,
}

impl Position for Version {
    fn prefix(&self) -> u64 {
        self.prefix
    }

    fn key(&self) -> &[u8] {
        &self.bytes[..self.key_bytes as usize]
    }

    fn sequence(&self) -> u64 {
        self.sequence
    }
}

impl Version {
    fn new(entry: Entry<'_>, sequence: u64) -> Self {
        let mut bytes = Vec::with_capacity(entry.key.len() + entry.value.len());
        bytes.extend_from_slice(entry.key);
        bytes.extend_from_slice(entry.value);
        Self {
            prefix: prefix(entry.key),
            bytes: bytes.into(),
            key_bytes: entry.key.len() as u32,
            kind: entry.kind,
            sequence,
        }
    }

    fn entry(&self) -> Entry<'_> {
        let (key, value) = self.bytes.split_at(self.key_bytes as usize);
        Entry { key, kind: self.kind, value }
    }
}

struct Probe<'a> {
    prefix: u64,
    key: &'a [u8],
    sequence: u64,
}

impl Position for Probe<'_> {
    fn prefix(&self) -> u64 {
        self.prefix
    }

    fn key(&self) -> &[u8] {
        self.key
    }

    fn sequence(&self) -> u64 {
        self.sequence
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
        self.prefix()
            .cmp(&other.prefix())
            .then_with(|| self.key().cmp(other.key()))
            .then_with(|| other.sequence().cmp(&self.sequence()))
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
    fn cmp(&self, other: &Self) -> Ordering {
        self.prefix
            .cmp(&other.prefix)
            .then_with(|| self.key().cmp(other.key()))
            .then_with(|| other.sequence.cmp(&self.sequence))
    }
}

impl<'a> Borrow<dyn Position + 'a> for Version {
    fn borrow(&self) -> &(dyn Position + 'a) {
        self
    }
}

type Table = SkipMap<Version, ()>;

/// The writes of a span of sequence numbers, all partitions of them.
#[derive(Debug)]
pub(crate) struct Memtable {
    tables: Box<[Table]>,
    /// The first log segment that its writes may be in.
    pub(crate) log_begin: u64,
    has_large_values: AtomicBool,
    /// Set when it is flushed: what a reader that still has this memtable may refer to stays until it is done.
    pub(crate) kept: OnceLock<Kept>,
    /// The sequence number of its last write, once it takes no more.
    pub(crate) sequence_last: OnceLock<u64>,
}

impl Memtable {
    pub(crate) fn new(partitions: usize, log_begin: u64) -> Self {
        let tables = (0..partitions).map(|_| Table::new()).collect();
        Self {
            tables,
            log_begin,
            has_large_values: AtomicBool::new(false),
            kept: OnceLock::new(),
            sequence_last: OnceLock::new(),
        }
    }

    /// Inserts the writes of a payload, which was checked before. A later write to the same key replaces an earlier one.
    pub(crate) fn insert(&self, sequence: u64, payload: &[u8]) {
        for entry in batch::entries(payload).flatten() {
            if entry.kind == Kind::PutLarge {
                self.has_large_values.store(true, atomic::Ordering::Relaxed);
            }
            let table = partition(key_hash(entry.key), self.tables.len());
            self.tables[table].insert(Version::new(entry, sequence), ());
        }
    }

    /// What was written last to a key, up to a moment: hands it to `found`.
    pub(crate) fn get<R>(
        &self,
        table: usize,
        key: &[u8],
        sequence: u64,
        found: impl FnOnce(Entry<'_>) -> R,
    ) -> Option<R> {
        let probe = Probe { prefix: prefix(key), key, sequence };
        let version = self.tables[table].lower_bound::<dyn Position + '_>(Bound::Included(&probe))?;
        (version.key().key() == key).then(|| found(version.key().entry()))
    }

    /// The newest version of each key from `start` on, as it was at a moment.
    pub(crate) fn cursor(&self, table: usize, start: &[u8], sequence: u64) -> MemtableCursor<'_> {
        let probe = Probe { prefix: prefix(start), key: start, sequence: u64::MAX };
        let at = self.tables[table].lower_bound::<dyn Position + '_>(Bound::Included(&probe));
        let mut cursor = MemtableCursor { at, sequence };
        cursor.skip_later();
        cursor
    }

    /// Versions of keys in one partition, older ones included.
    pub(crate) fn versions(&self, table: usize) -> usize {
        self.tables[table].len()
    }

    /// The files of large values that a newer version in the same memtable replaces. Nobody may write meanwhile.
    pub(crate) fn replaced_large_values(&self) -> Vec<u64> {
        let mut found = Vec::new();
        if !self.has_large_values.load(atomic::Ordering::Relaxed) {
            return found;
        }
        for table in &self.tables {
            let mut newest: Option<map::Entry<'_, Version, ()>> = None;
            for version in table {
                let is_replaced =
                    newest.as_ref().is_some_and(|newest| newest.key().key() == version.key().key());
                if is_replaced {
                    let entry = version.key().entry();
                    if entry.kind == Kind::PutLarge {
                        found.extend(LargeValue::decode(entry.value).map(|value| value.number));
                    }
                } else {
                    newest = Some(version);
                }
            }
        }
        found
    }
}

/// Walks over one partition of a memtable.
pub(crate) struct MemtableCursor<'a> {
    at: Option<map::Entry<'a, Version, ()>>,
    sequence: u64,
}

impl MemtableCursor<'_> {
    /// Skips versions that are later than the moment.
    fn skip_later(&mut self) {
        while let Some(at) = &self.at
            && at.key().sequence > self.sequence
        {
            self.at = at.next();
        }
    }
}

impl Cursor for MemtableCursor<'_> {
    fn entry(&self) -> Option<Entry<'_>> {
        self.at.as_ref().map(|at| at.key().entry())
    }

    fn advance(&mut self) -> Result<(), StoreError> {
        let Some(mut at) = self.at.take() else { return Ok(()) };
        let mut next = at.next();
        while let Some(version) = next {
            if version.key().sequence <= self.sequence && version.key().key() != at.key().key() {
                self.at = Some(version);
                break;
            }
            next = version.next();
            if version.key().key() == at.key().key() {
                at = version;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use crate::batch::Batch;

    fn write(memtable: &Memtable, sequence: u64, key: &[u8], value: Option<&[u8]>) {
        let mut batch = Batch::new();
        match value {
            Some(value) => batch.put(key, value).unwrap(),
            None => batch.delete(key).unwrap(),
        };
        memtable.insert(sequence, batch.payload());
    }

    fn all(memtable: &Memtable, start: &[u8], sequence: u64) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut cursor = memtable.cursor(0, start, sequence);
        let mut found = Vec::new();
        while let Some(entry) = cursor.entry() {
            found.push((entry.key.to_vec(), entry.value.to_vec()));
            cursor.advance().unwrap();
        }
        found
    }

    #[test]
    fn a_moment_sees_what_was_newest_then() {
        let memtable = Memtable::new(1, 0);
        write(&memtable, 1, b"b", Some(b"1"));
        write(&memtable, 2, b"a", Some(b"2"));
        write(&memtable, 3, b"b", Some(b"3"));
        write(&memtable, 4, b"c", None);
        let get = |key: &[u8], sequence| memtable.get(0, key, sequence, |entry| entry.value.to_vec());
        assert_eq!(get(b"b", 1), Some(b"1".to_vec()));
        assert_eq!(get(b"b", 2), Some(b"1".to_vec()));
        assert_eq!(get(b"b", u64::MAX), Some(b"3".to_vec()));
        assert_eq!(get(b"a", 1), None);
        assert_eq!(memtable.get(0, b"c", 9, |entry| entry.kind), Some(Kind::Delete));
        let pair = |key: &[u8], value: &[u8]| (key.to_vec(), value.to_vec());
        assert_eq!(all(&memtable, b"", 1), [pair(b"b", b"1")]);
        assert_eq!(all(&memtable, b"", 2), [pair(b"a", b"2"), pair(b"b", b"1")]);
        assert_eq!(all(&memtable, b"aa", 9), [pair(b"b", b"3"), pair(b"c", b"")]);
    }

    #[test]
    fn the_later_write_of_a_batch_counts() {
        let memtable = Memtable::new(1, 0);
        let mut batch = Batch::new();
        batch.put(b"a", b"1").unwrap().put(b"a", b"2").unwrap();
        memtable.insert(1, batch.payload());
        assert_eq!(memtable.versions(0), 1);
        assert_eq!(all(&memtable, b"", 1), [(b"a".to_vec(), b"2".to_vec())]);
    }
}
