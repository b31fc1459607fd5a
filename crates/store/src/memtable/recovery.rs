//! Memtables from the log, when the store is opened: one thread puts the log's writes behind each other, in its order;
//! other threads decode and sort those of each memtable that is full.

use super::recovered::{Place, RecoveredTable};
use crate::batch::placed_entries;
use crate::checksum::{key_hash, partition};
use crate::key_prefix::key_prefix;
use crate::log::Replayed;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};

/// Bytes after which a table is full, whatever the options say: offsets have 32 bits, and the largest batch fits
/// behind.
const BYTES_MAX: u64 = 1 << 30;

/// A memtable from the log.
#[derive(Debug)]
pub(super) struct RecoveredMemtable {
    /// One for each partition.
    pub(super) tables: Box<[RecoveredTable]>,
    pub(super) log_begin: u64,
    pub(super) sequence_last: u64,
    /// The files of large values that its writes name.
    pub(super) large_values: BTreeSet<u64>,
}

/// Takes the writes that `read` finds in the log. Returns what `read` returns, and the memtables from the oldest on;
/// `None` if a write cannot be decoded.
pub(super) fn recover<R>(
    partitions: usize,
    memtable_bytes: u64,
    read: impl FnOnce(&mut Recovery<'_, '_>) -> R,
) -> (R, Option<Vec<RecoveredMemtable>>) {
    let (jobs, queue) = channel();
    let sorting = Sorting {
        partitions,
        queue: Mutex::new(queue),
        tables: Mutex::default(),
        large_values: Mutex::default(),
        is_broken: AtomicBool::new(false),
    };
    let (outcome, full) = thread::scope(|scope| {
        let mut recovery = Recovery {
            memtable_bytes: memtable_bytes.min(BYTES_MAX),
            filling: None,
            full: Vec::new(),
            jobs,
            sorting: &sorting,
            scope,
        };
        let outcome = read(&mut recovery);
        recovery.finish_filling();
        let Recovery { full, jobs, .. } = recovery;
        // The threads end when no job is left, and none that makes further ones.
        drop(jobs);
        sorting.work();
        (outcome, full)
    });
    (outcome, sorting.memtables(full))
}

/// Memtables that are being recovered.
pub(crate) struct Recovery<'scope, 'env> {
    memtable_bytes: u64,
    filling: Option<Filling>,
    full: Vec<Facts>,
    jobs: Sender<Job>,
    sorting: &'scope Sorting,
    scope: &'scope Scope<'scope, 'env>,
}

/// The memtable that the next write goes to.
struct Filling {
    payloads: Payloads,
    facts: Facts,
}

/// Payloads of log records, each behind the one before.
#[derive(Default)]
struct Payloads {
    bytes: Vec<u8>,
    /// Where each of them ends.
    ends: Vec<u32>,
}

/// What is known about a memtable without a look at its writes.
#[derive(Clone, Copy)]
struct Facts {
    log_begin: u64,
    sequence_last: u64,
}

impl Recovery<'_, '_> {
    /// Takes the writes of a record.
    pub(crate) fn push(&mut self, record: Replayed<'_>) {
        let Replayed { segment, sequence, payload } = record;
        let is_full = |filling: &Filling| filling.payloads.bytes.len() as u64 >= self.memtable_bytes;
        if self.filling.as_ref().is_some_and(is_full) {
            self.finish_filling();
        }
        let filling = self.filling.get_or_insert_with(|| Filling {
            payloads: Payloads::default(),
            facts: Facts { log_begin: segment, sequence_last: 0 },
        });
        filling.payloads.bytes.extend_from_slice(payload);
        filling.payloads.ends.push(filling.payloads.bytes.len() as u32);
        filling.facts.sequence_last = sequence;
    }

    /// Leaves a full memtable to the threads that decode and sort.
    fn finish_filling(&mut self) {
        let Some(Filling { payloads, facts }) = self.filling.take() else { return };
        let memtable = self.full.len();
        if memtable == 0 {
            // This thread does the same when the log is at its end.
            for _ in 1..thread::available_parallelism().map_or(1, usize::from) {
                let sorting = self.sorting;
                self.scope.spawn(move || sorting.work());
            }
        }
        // The queue is there as long as this is.
        let _ = self.jobs.send(Job::Decode { memtable, payloads, jobs: self.jobs.clone() });
        self.full.push(facts);
    }
}

/// What the threads do.
enum Job {
    /// Find the places of the writes of a memtable; each of its tables is a further job.
    Decode { memtable: usize, payloads: Payloads, jobs: Sender<Job> },
    /// Sort the places of a table.
    Sort {
        /// The number of its memtable, and its partition.
        table: (usize, usize),
        payloads: Arc<Vec<u8>>,
        places: Vec<Place>,
    },
}

/// What the threads share.
struct Sorting {
    partitions: usize,
    queue: Mutex<Receiver<Job>>,
    /// In the order in which they were completed.
    tables: Mutex<Vec<((usize, usize), RecoveredTable)>>,
    /// By the number of the memtable.
    large_values: Mutex<Vec<(usize, BTreeSet<u64>)>>,
    /// Whether a write cannot be decoded.
    is_broken: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sorting {
    /// Decodes and sorts until there will be no more to do.
    fn work(&self) {
        // One thread waits for the next job, the others for the lock.
        let next = || lock(&self.queue).recv().ok();
        while let Some(job) = next() {
            match job {
                Job::Decode { memtable, payloads, jobs } => self.decode(memtable, payloads, &jobs),
                Job::Sort { table, payloads, places } => {
                    let sorted = RecoveredTable::new(payloads, places);
                    lock(&self.tables).push((table, sorted));
                }
            }
        }
    }

    fn decode(&self, memtable: usize, payloads: Payloads, jobs: &Sender<Job>) {
        let Some(Decoded { places, large_values }) = decoded(&payloads, self.partitions) else {
            self.is_broken.store(true, Ordering::Relaxed);
            return;
        };
        lock(&self.large_values).push((memtable, large_values));
        let payloads = Arc::new(payloads.bytes);
        for (table, places) in places.into_iter().enumerate() {
            let job = Job::Sort { table: (memtable, table), payloads: Arc::clone(&payloads), places };
            // The queue is there as long as this is.
            let _ = jobs.send(job);
        }
    }

    /// What the threads have made, once they are done.
    fn memtables(self, full: Vec<Facts>) -> Option<Vec<RecoveredMemtable>> {
        if self.is_broken.into_inner() {
            return None;
        }
        let mut tables = self.tables.into_inner().unwrap_or_else(PoisonError::into_inner);
        tables.sort_unstable_by_key(|(table, _)| *table);
        let mut large_values = self.large_values.into_inner().unwrap_or_else(PoisonError::into_inner);
        large_values.sort_unstable_by_key(|(memtable, _)| *memtable);
        let mut tables = tables.into_iter().map(|(_, table)| table);
        let memtable = |(facts, (_, large_values)): (Facts, (usize, BTreeSet<u64>))| {
            let Facts { log_begin, sequence_last } = facts;
            let tables = tables.by_ref().take(self.partitions).collect();
            RecoveredMemtable { tables, log_begin, sequence_last, large_values }
        };
        Some(full.into_iter().zip(large_values).map(memtable).collect())
    }
}

/// The writes of a memtable.
struct Decoded {
    /// By partition, in the order of the log.
    places: Vec<Vec<Place>>,
    /// The files of large values that they name.
    large_values: BTreeSet<u64>,
}

/// `None` if not all of them can be decoded.
fn decoded(payloads: &Payloads, partitions: usize) -> Option<Decoded> {
    // Most records have one write, and keys are distributed evenly.
    let around = payloads.ends.len() / partitions * 9 / 8;
    let mut places: Vec<Vec<Place>> = (0..partitions).map(|_| Vec::with_capacity(around)).collect();
    let mut large_values = BTreeSet::new();
    let mut begin = 0;
    for end in payloads.ends.iter().map(|end| *end as usize) {
        for placed in placed_entries(&payloads.bytes[begin..end]) {
            let (at, entry) = placed?;
            large_values.extend(entry.large_value());
            let place = Place { prefix: key_prefix(entry.key), offset: (begin + at) as u32 };
            places[partition(key_hash(entry.key), partitions)].push(place);
        }
        begin = end;
    }
    Some(Decoded { places, large_values })
}
