//! Memtables from the log, when the store is opened: one is filled in the order of the log, while other threads sort those that are
//! full.

use super::recovered::{Place, RecoveredTable};
use crate::batch::placed_entries;
use crate::checksum::{key_hash, partition};
use crate::entry::{Kind, LargeValue};
use crate::key_prefix::key_prefix;
use crate::log::Replayed;
use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Scope};

/// Bytes after which a table is full, whatever the options say: offsets have 32 bits, and the largest batch fits behind.
const BYTES_MAX: u64 = 1 << 30;

/// A memtable from the log.
#[derive(Debug)]
pub(super) struct RecoveredMemtable {
    /// One for each partition.
    pub(super) tables: Box<[RecoveredTable]>,
    pub(super) facts: Facts,
}

/// What is known about a memtable besides its tables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub(super) log_begin: u64,
    pub(super) sequence_last: u64,
    pub(super) has_large_values: bool,
}

/// Takes the writes that `read` finds in the log. Returns what `read` returns, the memtables from the oldest on, and the files of all
/// large values that the writes name.
pub(super) fn recover<R>(
    partitions: usize,
    memtable_bytes: u64,
    read: impl FnOnce(&mut Recovery<'_, '_>) -> R,
) -> (R, Vec<RecoveredMemtable>, BTreeSet<u64>) {
    let (unsorted, queue) = channel();
    let sorting = Sorting { queue: Mutex::new(queue), tables: Mutex::default() };
    let (outcome, full, large_values) = thread::scope(|scope| {
        let mut recovery = Recovery {
            partitions,
            memtable_bytes: memtable_bytes.min(BYTES_MAX),
            filling: None,
            full: Vec::new(),
            large_values: BTreeSet::new(),
            unsorted,
            sorting: &sorting,
            scope,
        };
        let outcome = read(&mut recovery);
        recovery.finish_filling();
        let Recovery { full, large_values, unsorted, .. } = recovery;
        // The threads end when the queue is empty.
        drop(unsorted);
        sorting.sort();
        (outcome, full, large_values)
    });
    let mut tables = sorting.tables.into_inner().unwrap_or_else(PoisonError::into_inner);
    tables.sort_unstable_by_key(|(place, _)| *place);
    let mut tables = tables.into_iter().map(|(_, table)| table);
    let memtables = full
        .into_iter()
        .map(|facts| RecoveredMemtable { tables: tables.by_ref().take(partitions).collect(), facts });
    (outcome, memtables.collect(), large_values)
}

/// Memtables that are being recovered.
pub(crate) struct Recovery<'scope, 'env> {
    partitions: usize,
    memtable_bytes: u64,
    filling: Option<Filling>,
    full: Vec<Facts>,
    large_values: BTreeSet<u64>,
    unsorted: Sender<Unsorted>,
    sorting: &'scope Sorting,
    scope: &'scope Scope<'scope, 'env>,
}

/// The memtable that the next write goes to.
struct Filling {
    payloads: Vec<u8>,
    places: Vec<Vec<Place>>,
    facts: Facts,
}

impl Recovery<'_, '_> {
    /// Takes a write; whether all of it can be decoded.
    pub(crate) fn push(&mut self, record: Replayed<'_>) -> bool {
        if self.filling.as_ref().is_some_and(|filling| filling.payloads.len() as u64 >= self.memtable_bytes) {
            self.finish_filling();
        }
        let Replayed { segment, sequence, payload } = record;
        let filling = self.filling.get_or_insert_with(|| Filling {
            payloads: Vec::new(),
            places: vec![Vec::new(); self.partitions],
            facts: Facts { log_begin: segment, sequence_last: 0, has_large_values: false },
        });
        let begin = filling.payloads.len();
        for placed in placed_entries(payload) {
            let Some((at, entry)) = placed else { return false };
            if entry.kind == Kind::PutLarge {
                filling.facts.has_large_values = true;
                self.large_values.extend(LargeValue::decode(entry.value).map(|value| value.number));
            }
            let table = partition(key_hash(entry.key), self.partitions);
            let place = Place { prefix: key_prefix(entry.key), offset: (begin + at) as u32 };
            filling.places[table].push(place);
        }
        filling.payloads.extend_from_slice(payload);
        filling.facts.sequence_last = sequence;
        true
    }

    /// Leaves the tables of a full memtable to the threads that sort.
    fn finish_filling(&mut self) {
        let Some(Filling { payloads, places, facts }) = self.filling.take() else { return };
        let payloads = Arc::new(payloads);
        let memtable = self.full.len();
        if memtable == 0 {
            // This thread sorts too, when the log is at its end.
            for _ in 1..thread::available_parallelism().map_or(1, usize::from) {
                let sorting = self.sorting;
                self.scope.spawn(move || sorting.sort());
            }
        }
        for (table, places) in places.into_iter().enumerate() {
            let unsorted = Unsorted { place: (memtable, table), payloads: Arc::clone(&payloads), places };
            // The queue is there as long as this is.
            let _ = self.unsorted.send(unsorted);
        }
        self.full.push(facts);
    }
}

/// A table that is not sorted yet.
struct Unsorted {
    /// The number of its memtable, and its partition.
    place: (usize, usize),
    payloads: Arc<Vec<u8>>,
    places: Vec<Place>,
}

/// What the threads that sort share.
struct Sorting {
    queue: Mutex<Receiver<Unsorted>>,
    tables: Mutex<Vec<((usize, usize), RecoveredTable)>>,
}

impl Sorting {
    /// Sorts tables until there will be no more.
    fn sort(&self) {
        // One thread waits for the next table, the others for the lock.
        let next = || self.queue.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
        while let Some(Unsorted { place, payloads, places }) = next() {
            let table = RecoveredTable::new(payloads, places);
            self.tables.lock().unwrap_or_else(PoisonError::into_inner).push((place, table));
        }
    }
}
