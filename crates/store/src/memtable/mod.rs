//! Writes that are not in a run yet, ordered, in memory.

mod live;
mod node;
mod records;
mod recovered;
mod recovery;
mod tree;

pub(crate) use recovery::Recovery;

use crate::batch;
use crate::checksum::{key_hash, partition};
use crate::cursor::Cursor;
use crate::entry::{Entry, EntryKind};
use crate::run::Kept;
use live::LiveTable;
use recovered::RecoveredTable;
use recovery::RecoveredMemtable;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// Memory that the writes of a payload take in a memtable, about.
pub(crate) fn memory_bytes(payload_bytes: usize, writes: usize) -> u64 {
    (payload_bytes + writes * live::VERSION_BYTES) as u64
}

/// The writes of a span of sequence numbers, all partitions of them.
#[derive(Debug)]
pub(crate) struct Memtable {
    tables: Tables,
    /// The first log segment that its writes may be in.
    pub(crate) log_begin: u64,
    has_large_values: AtomicBool,
    /// Set when it is flushed: what a reader that still has this memtable may refer to stays until it is done.
    pub(crate) kept: OnceLock<Kept>,
    /// The sequence number of its last write, once it takes no more.
    pub(crate) sequence_last: OnceLock<u64>,
}

/// A table for each partition.
#[derive(Debug)]
enum Tables {
    /// Threads write to them.
    Live(Box<[LiveTable]>),
    /// What the log had when the store was opened: nobody writes to them.
    Recovered(Box<[RecoveredTable]>),
}

/// What the log had beyond the runs.
#[derive(Debug)]
pub(crate) struct Recovered {
    pub(crate) memtables: Vec<Arc<Memtable>>,
    /// The files of all large values that the writes name.
    pub(crate) large_values: BTreeSet<u64>,
}

/// Takes the writes that `read` finds in the log into memtables. Returns what `read` returns, and the memtables; `None`
/// if a write cannot be decoded.
pub(crate) fn recover<R>(
    partitions: usize,
    memtable_bytes: u64,
    read: impl FnOnce(&mut Recovery<'_, '_>) -> R,
) -> (R, Option<Recovered>) {
    let (outcome, recovered) = recovery::recover(partitions, memtable_bytes, read);
    let recovered = recovered.map(|recovered| {
        let large_values = recovered.iter().flat_map(|memtable| &memtable.large_values).copied().collect();
        let memtables = recovered.into_iter().map(|memtable| Arc::new(Memtable::from(memtable))).collect();
        Recovered { memtables, large_values }
    });
    (outcome, recovered)
}

impl From<RecoveredMemtable> for Memtable {
    fn from(recovered: RecoveredMemtable) -> Self {
        let RecoveredMemtable { tables, log_begin, sequence_last, large_values } = recovered;
        Self {
            tables: Tables::Recovered(tables),
            log_begin,
            has_large_values: AtomicBool::new(!large_values.is_empty()),
            kept: OnceLock::new(),
            sequence_last: OnceLock::from(sequence_last),
        }
    }
}

impl Memtable {
    pub(crate) fn new(partitions: usize, log_begin: u64) -> Self {
        Self {
            tables: Tables::Live((0..partitions).map(|_| LiveTable::new()).collect()),
            log_begin,
            has_large_values: AtomicBool::new(false),
            kept: OnceLock::new(),
            sequence_last: OnceLock::new(),
        }
    }

    /// Inserts the writes of a payload, which was checked before. A later write to the same key replaces an earlier
    /// one.
    pub(crate) fn insert(&self, sequence: u64, payload: &[u8]) {
        let Tables::Live(tables) = &self.tables else { return };
        for entry in batch::entries(payload).flatten() {
            if entry.kind == EntryKind::PutLarge {
                self.has_large_values.store(true, Ordering::Relaxed);
            }
            tables[partition(key_hash(entry.key), tables.len())].insert(entry, sequence);
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
        match &self.tables {
            Tables::Live(tables) => tables[table].get(key, sequence, found),
            // Every moment that can be read is later.
            Tables::Recovered(tables) => tables[table].get(key).map(found),
        }
    }

    /// The newest version of each key from `start` on, as it was at a moment.
    pub(crate) fn cursor(&self, table: usize, start: &[u8], sequence: u64) -> Box<dyn Cursor + '_> {
        match &self.tables {
            Tables::Live(tables) => Box::new(tables[table].cursor(start, sequence)),
            Tables::Recovered(tables) => Box::new(tables[table].cursor(start)),
        }
    }

    /// Versions of keys in one partition; older ones too, unless they were recovered.
    pub(crate) fn versions(&self, table: usize) -> usize {
        match &self.tables {
            Tables::Live(tables) => tables[table].versions(),
            Tables::Recovered(tables) => tables[table].keys(),
        }
    }

    /// Memory that it takes, about.
    pub(crate) fn memory_bytes(&self) -> usize {
        match &self.tables {
            Tables::Live(tables) => tables.iter().map(LiveTable::memory_bytes).sum(),
            Tables::Recovered(tables) => {
                let shared = tables.first().map_or(0, RecoveredTable::shared_bytes);
                shared + tables.iter().map(RecoveredTable::own_bytes).sum::<usize>()
            }
        }
    }

    /// The files of large values that a newer version in the same memtable replaces. Nobody may write meanwhile.
    pub(crate) fn replaced_large_values(&self) -> Vec<u64> {
        if !self.has_large_values.load(Ordering::Relaxed) {
            return Vec::new();
        }
        match &self.tables {
            Tables::Live(tables) => tables.iter().flat_map(LiveTable::replaced_large_values).collect(),
            Tables::Recovered(tables) => {
                tables.iter().flat_map(RecoveredTable::replaced_large_values).copied().collect()
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use crate::batch::Batch;
    use crate::log::Replayed;
    use proptest::prelude::*;

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
        assert_eq!(memtable.get(0, b"c", 9, |entry| entry.kind), Some(EntryKind::Delete));
        let pair = |key: &[u8], value: &[u8]| (key.to_vec(), value.to_vec());
        assert_eq!(all(&memtable, b"", 1), [pair(b"b", b"1")]);
        assert_eq!(all(&memtable, b"", 2), [pair(b"a", b"2"), pair(b"b", b"1")]);
        assert_eq!(all(&memtable, b"aa", 9), [pair(b"b", b"3"), pair(b"c", b"")]);
    }

    #[test]
    fn what_a_write_takes_is_known_before_it_is_inserted() {
        let memtable = Memtable::new(3, 0);
        let mut batch = Batch::new();
        for number in 0..100_u8 {
            batch.put(&[number], &[1; 10]).unwrap();
        }
        memtable.insert(1, batch.payload());
        let (expected, found) =
            (memory_bytes(batch.payload().len(), batch.len()), memtable.memory_bytes() as u64);
        // The payload has lengths and kinds too.
        assert!(found <= expected && expected - found < 500, "{found} of {expected}");
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

    fn walked(memtable: &Memtable, start: &[u8]) -> Vec<(Vec<u8>, EntryKind, Vec<u8>)> {
        let mut cursor = memtable.cursor(0, start, u64::MAX);
        let mut found = Vec::new();
        while let Some(entry) = cursor.entry() {
            found.push((entry.key.to_vec(), entry.kind, entry.value.to_vec()));
            cursor.advance().unwrap();
        }
        found
    }

    proptest! {
        /// Keys share prefixes and end within them: a prefix of eight bytes seldom decides.
        #[test]
        fn a_recovered_table_is_what_a_live_one_would_be(
            writes in prop::collection::vec((prop::collection::vec(0_u8..2, 1..12), 0_u8..4), 1..80),
            start in prop::collection::vec(0_u8..2, 0..12),
        ) {
            let live = Memtable::new(1, 0);
            let mut batches = Vec::new();
            for (sequence, (key, value)) in (1..).zip(&writes) {
                let mut batch = Batch::new();
                match value {
                    0 => batch.delete(key).unwrap(),
                    value => batch.put(key, &[*value; 3]).unwrap(),
                };
                live.insert(sequence, batch.payload());
                batches.push(batch);
            }
            let ((), recovered) = recover(1, 1 << 20, |recovery| {
                for (sequence, batch) in (1..).zip(&batches) {
                    recovery.push(Replayed { segment: 7, sequence, payload: batch.payload() });
                }
            });
            let Recovered { mut memtables, .. } = recovered.unwrap();
            prop_assert_eq!(memtables.len(), 1);
            let recovered = memtables.pop().unwrap();
            prop_assert_eq!((recovered.log_begin, recovered.sequence_last.get()), (7, Some(&(writes.len() as u64))));
            prop_assert_eq!(walked(&recovered, &start), walked(&live, &start));
            for (key, _) in &writes {
                let get = |memtable: &Memtable| memtable.get(0, key, u64::MAX, |entry| (entry.kind, entry.value.to_vec()));
                prop_assert_eq!(get(&recovered), get(&live));
            }
            prop_assert_eq!(recovered.get(0, &[9], u64::MAX, |_| ()), None);
        }
    }

    #[test]
    fn a_payload_that_cannot_be_decoded_is_refused() {
        let whole = [1, 1, b'k', 1, b'v'];
        for (payloads, is_decoded) in [([&whole[..0], &whole[..]], true), ([&whole[..4], &whole[..]], false)]
        {
            let ((), recovered) = recover(2, 1 << 20, |recovery| {
                for (sequence, payload) in (1..).zip(payloads) {
                    recovery.push(Replayed { segment: 1, sequence, payload });
                }
            });
            assert_eq!(recovered.is_some(), is_decoded);
        }
    }

    #[test]
    fn full_memtables_are_recovered_in_the_order_of_the_log() {
        const WRITES: u64 = 300;
        let (written, recovered) = recover(3, 100, |recovery| {
            for sequence in 1..=WRITES {
                let mut batch = Batch::new();
                batch.put(&sequence.to_be_bytes(), &[1; 30]).unwrap();
                let segment = sequence / 10;
                recovery.push(Replayed { segment, sequence, payload: batch.payload() });
            }
            WRITES
        });
        let Recovered { memtables, large_values } = recovered.unwrap();
        assert!(large_values.is_empty());
        let mut next = 1;
        for memtable in &memtables {
            let last = *memtable.sequence_last.get().unwrap();
            assert_eq!(memtable.log_begin, next / 10);
            let entries: usize = (0..3).map(|table| memtable.versions(table)).sum();
            assert_eq!(entries as u64, last + 1 - next);
            for sequence in next..=last {
                let key = sequence.to_be_bytes();
                let table = partition(key_hash(&key), 3);
                assert!(memtable.get(table, &key, u64::MAX, |_| ()).is_some(), "{sequence}");
            }
            next = last + 1;
        }
        assert!(next == written + 1 && memtables.len() > 50, "{next} in {}", memtables.len());
    }
}
