//! A store as a program uses it.

use crate::background::Until;
use crate::batch::Batch;
use crate::commit::Commit;
use crate::counters::Statistics;
use crate::error::StoreError;
use crate::files::{Files, failed};
use crate::keys::Keys;
use crate::manifest::NAME as MANIFEST_NAME;
use crate::open;
#[cfg(doc)]
use crate::options::CompactionOptions;
use crate::options::Options;
use crate::read::Reading;
use crate::shared::{Shared, lock};
use crate::storage::{Directory, ReadOnly, Storage};
use crate::sync::atomic::Ordering;
use crate::sync::thread::{self, JoinHandle};
use crate::values::ValueUse;
use crate::version::View;
use model::DurabilityClass;
use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::mem;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Memory of a thread's batch that is kept between writes.
const BATCH_BYTES_KEPT: usize = 1 << 20;

thread_local! {
    static BATCH: RefCell<Batch> = RefCell::new(Batch::new());
}

/// An open store. Threads share it; every method takes `&self`. A child of `fork` cannot use it: every call there fails
/// with [`StoreError::Forked`].
///
/// Dropping it has the effect of a killed process: the writes that the durability class protects survive, and the next
/// open replays the log. [`close`](Self::close) leaves nothing to replay.
pub struct Store {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    _lock: Box<dyn Any + Send + Sync>,
}

impl Store {
    /// Opens the store in a directory, or creates one. The directory's parent must exist.
    ///
    /// # Errors
    /// Options that contradict each other or need what the machine lacks, a store that is already open, damage, I/O
    /// errors.
    pub fn open(path: &Path, options: &Options) -> Result<Self, StoreError> {
        options.check()?;
        let reads = &options.reads;
        let directory =
            Directory::open(path, reads.engine, options.data.io, reads.depth, options.data.page_bytes);
        let directory = directory.map_err(failed("open", path.to_owned()))?;
        Self::begin(Arc::new(directory), options)
    }

    /// Opens the store on any storage, or creates one.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_on(storage: Arc<dyn Storage>, options: &Options) -> Result<Self, StoreError> {
        options.check()?;
        Self::begin(storage, options)
    }

    /// Opens the store with options that were checked.
    fn begin(storage: Arc<dyn Storage>, options: &Options) -> Result<Self, StoreError> {
        let lock = open::lock(&Files::new(Arc::clone(&storage), 1)?)?;
        let shared = Arc::new(open::open(storage, options)?);
        let threads = (0..options.background_threads)
            .map(|index| {
                let shared = Arc::clone(&shared);
                let thread = thread::Builder::new().name(format!("store-{index}"));
                thread.spawn(move || {
                    stand_back(shared.options.background_nice);
                    shared.work_until_stopped();
                })
            })
            .collect::<Result<Vec<_>, _>>();
        let threads = threads.map_err(|source| StoreError::Io {
            operation: "start a thread for",
            path: shared.files.path(""),
            source,
        })?;
        Ok(Self { shared, threads, _lock: lock })
    }

    /// Opens the store in a directory for reading only: the directory, the file system and the store may be read-only.
    /// What the log has beyond the runs is read into memory; nothing is written. Handles that read share the store, and
    /// keep those out that write. In a directory without the file of the lock nothing is locked.
    ///
    /// # Errors
    /// As [`open`](Self::open), and if there is no store. Every write fails with [`StoreError::ReadOnly`].
    pub fn open_read_only(path: &Path, options: &Options) -> Result<Self, StoreError> {
        options.check()?;
        let reads = &options.reads;
        let directory =
            Directory::existing(path, reads.engine, options.data.io, reads.depth, options.data.page_bytes);
        let directory = directory.map_err(failed("open", path.to_owned()))?;
        Self::begin_read_only(Arc::new(directory), options)
    }

    /// Opens the store on any storage for reading only.
    ///
    /// # Errors
    /// As [`open_read_only`](Self::open_read_only).
    pub fn open_read_only_on(storage: Arc<dyn Storage>, options: &Options) -> Result<Self, StoreError> {
        options.check()?;
        Self::begin_read_only(storage, options)
    }

    /// The same with options that were checked.
    fn begin_read_only(storage: Arc<dyn Storage>, options: &Options) -> Result<Self, StoreError> {
        let storage: Arc<dyn Storage> = Arc::new(ReadOnly::new(storage, MANIFEST_NAME));
        let files = Files::new(Arc::clone(&storage), 1)?;
        open::existing_manifest(&files)?;
        let store = Self::begin(storage, &Options { background_threads: 0, ..options.clone() })?;
        // Nothing is written before this, and nothing after it.
        let _ = store.shared.failure.set(Arc::new(StoreError::ReadOnly { path: files.path("") }));
        Ok(store)
    }

    fn is_read_only(&self) -> bool {
        self.shared.failure.get().is_some_and(|cause| matches!(**cause, StoreError::ReadOnly { .. }))
    }

    /// Sets the value of `key`.
    ///
    /// # Errors
    /// A key or value that is too long; an I/O error, now or before ([`StoreError::Stopped`]). After an I/O error it is
    /// unknown whether the write survives.
    pub fn put(&self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.write_one(|batch| batch.put(key, value).map(drop))
    }

    /// Deletes `key`, whether or not it exists.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    pub fn delete(&self, key: &[u8]) -> Result<(), StoreError> {
        self.write_one(|batch| batch.delete(key).map(drop))
    }

    fn write_one(&self, fill: impl FnOnce(&mut Batch) -> Result<(), StoreError>) -> Result<(), StoreError> {
        BATCH.with_borrow_mut(|batch| {
            batch.clear();
            let written = fill(batch).and_then(|()| self.shared.write(batch));
            if batch.payload().len() > BATCH_BYTES_KEPT {
                *batch = Batch::new();
            }
            written
        })
    }

    /// Writes a batch. All of it becomes visible at once, and after a crash the store has all of it or nothing.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    pub fn write(&self, batch: &Batch) -> Result<(), StoreError> {
        self.shared.write(batch)
    }

    /// Begins to write a batch and does not wait for the log: a thread can have many batches under way, which share a
    /// sync. Batches take effect in the order of these calls. The call itself waits for room in the memtable, and for
    /// files of [large values](field@Options::large_value_bytes).
    ///
    /// # Errors
    /// As [`put`](Self::put).
    pub fn write_async(&self, batch: &Batch) -> Result<Commit<'_>, StoreError> {
        self.shared.write_async(batch)
    }

    /// The value of `key`.
    ///
    /// # Errors
    /// Damage, I/O errors.
    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let mut value = Vec::new();
        Ok(self.get_into(key, &mut value)?.then_some(value))
    }

    /// Reads the value of `key` into `value`, whose content it replaces. Returns whether the key exists; if it does
    /// not, the content of `value` is unspecified.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn get_into(&self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.now().get(key, value)
    }

    /// Reads the values of many keys, all of one moment, with up to [`ReadOptions::depth`](crate::ReadOptions::depth)
    /// reads of pages in flight. Calls `found` for each key as its value comes, in no order: with the place of the key
    /// among the keys, and the value if there is one. Takes the next key when a read can begin for it, so the device
    /// has reads to do until the last key. Values in files of their own are read one after another.
    ///
    /// # Errors
    /// As [`get`](Self::get). Then `found` was not called for some of the keys.
    pub fn get_each<K: AsRef<[u8]>>(
        &self,
        keys: impl IntoIterator<Item = K>,
        found: impl FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.snapshot().get_each(keys, found)
    }

    /// As [`get_each`](Self::get_each): the values in the order of the keys.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn multi_get<K: AsRef<[u8]>>(&self, keys: &[K]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        self.snapshot().multi_get(keys)
    }

    /// Calls `visit` with keys and values, in key order and of one moment, until it breaks. Returns the number of
    /// calls.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn scan(
        &self,
        keys: &Keys,
        visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<u64, StoreError> {
        self.snapshot().scan(keys, visit)
    }

    /// The store as it is now, for later reads. It has every write that has returned. While it exists, the memtables
    /// and runs of its moment stay in memory and on the disk.
    pub fn snapshot(&self) -> Snapshot<'_> {
        let (view, sequence) = {
            let _pending = lock(&self.shared.pending);
            (self.shared.view(), self.visible())
        };
        Snapshot { reading: self.reading(view, sequence) }
    }

    /// The store as it is now, for one read. A memtable that replaces the newest one of the view has later writes only.
    fn now(&self) -> Reading<'_> {
        let view = self.shared.view();
        self.reading(view, self.visible())
    }

    /// What there was at a moment. Threads insert in any order: before all of them have, a batch could be found in
    /// part, and a write without one before it.
    fn reading(&self, view: Arc<View>, sequence: u64) -> Reading<'_> {
        self.shared.applied.wait(sequence);
        Reading { shared: &self.shared, view, sequence }
    }

    /// The sequence number up to which reads find what is in the memtables. Writes are visible when they are in the
    /// log; without a promise, at once.
    fn visible(&self) -> u64 {
        match self.shared.options.durability {
            DurabilityClass::None => self.shared.begun.load(Ordering::Acquire),
            DurabilityClass::Process | DurabilityClass::Power => {
                self.shared.committed.load(Ordering::Acquire)
            }
        }
    }

    /// Makes every acknowledged write survive power loss, in every durability class.
    ///
    /// # Errors
    /// I/O errors, now or before.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.shared.files.check_process()?;
        self.shared.sync()
    }

    /// Flushes the memtable and waits until nothing is left to flush or to merge. Runs with deletes are merged with all
    /// older runs that they overlap: afterwards no run has a delete, nor anything that one hid, and their room is free
    /// once no snapshot needs it. After a delete of old data that takes as long as rewriting the store. Without
    /// compaction ([`CompactionOptions::Off`]) deletes stay. Threads that write meanwhile make new ones.
    ///
    /// # Errors
    /// As [`sync`](Self::sync); [`StoreError::Full`] if there is no room for what a merge keeps: then its runs stay as
    /// they are.
    pub fn drain(&self) -> Result<(), StoreError> {
        self.shared.files.check_process()?;
        self.shared.rotate_if_used()?;
        self.shared.drain()
    }

    /// What the store has done and has.
    pub fn statistics(&self) -> Statistics {
        let view = self.shared.view();
        let runs = || view.version.runs();
        let depth = |levels: &crate::version::Levels| {
            levels[0].len() + levels[1..].iter().filter(|level| !level.is_empty()).count()
        };
        let bytes =
            |level: &[Arc<crate::run::Run>]| level.iter().map(|run| run.bytes_with_values()).sum::<u64>();
        let run_bytes = runs().map(|run| run.bytes).sum();
        let values = || view.version.values.iter();
        let value_bytes = values().map(|value_use| value_use.file.bytes).sum();
        let largest: u64 = view
            .version
            .partitions
            .iter()
            .map(|levels| {
                let newest = levels[0].iter().map(|run| run.bytes_with_values());
                newest.chain(levels[1..].iter().map(|level| bytes(level))).max().unwrap_or(0)
            })
            .sum();
        let counts = self.shared.counters.read();
        let amplification = |of: u64, to: u64| (to > 0).then(|| of as f64 / to as f64);
        Statistics {
            durability: self.shared.options.durability,
            counts,
            runs: runs().count(),
            runs_deep: view.version.partitions.iter().map(depth).max().unwrap_or(0),
            entries: runs().map(|run| run.entries()).sum(),
            run_bytes,
            value_files: values().count(),
            value_bytes,
            garbage_bytes: values().map(ValueUse::garbage_bytes).sum(),
            index_bytes: runs().map(|run| run.index_bytes() as u64).sum(),
            filter_bytes: runs().map(|run| run.filters.bytes() as u64).sum(),
            cache_bytes: self.shared.cache.as_ref().map_or(0, crate::cache::PageCache::bytes),
            memtables: view.memtables.len(),
            memtable_bytes: view.memtables.iter().map(|memtable| memtable.memory_bytes() as u64).sum(),
            write_amplification: amplification(counts.bytes_written(), counts.user_bytes),
            space_amplification: amplification(run_bytes + value_bytes, largest),
        }
    }

    /// Flushes everything and closes the store. Nothing is left to replay, and every flipped bit can be detected.
    ///
    /// # Errors
    /// As [`sync`](Self::sync); the store is closed nevertheless, and the next open recovers.
    pub fn close(mut self) -> Result<(), StoreError> {
        if self.is_read_only() {
            return Ok(());
        }
        self.shared.files.check_process()?;
        self.shared.rotate_if_used()?;
        self.shared.wait_until(Until::Flushed)?;
        self.stop_threads();
        self.shared.remove_log()
    }
}

/// Gives this thread a nice value: in Linux it belongs to the thread (`setpriority(2)`).
fn stand_back(nice: u8) {
    if nice > 0 {
        // Any thread may stand back. If the kernel refuses, the thread works as it is.
        let _ = rustix::process::setpriority_process(None, i32::from(nice));
    }
}

impl Store {
    fn stop_threads(&mut self) {
        lock(&self.shared.work).is_stopping = true;
        self.shared.work_changed.notify_all();
        for thread in self.threads.drain(..) {
            // A thread that panicked has printed why; the disk is as after a crash.
            let _ = thread.join();
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if self.shared.files.is_forked() {
            // The threads are the parent's: here nothing would end them, and nobody lets go of what they have locked.
            self.threads.drain(..).for_each(mem::forget);
            mem::forget(Arc::clone(&self.shared));
        } else {
            self.stop_threads();
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("path", &self.shared.files.path("")).finish_non_exhaustive()
    }
}

/// A store at one moment.
#[derive(Clone)]
pub struct Snapshot<'a> {
    reading: Reading<'a>,
}

impl Snapshot<'_> {
    /// The value that `key` had.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let mut value = Vec::new();
        Ok(self.reading.get(key, &mut value)?.then_some(value))
    }

    /// As [`Store::get_each`], with the values that the keys had.
    ///
    /// # Errors
    /// As [`Store::get_each`].
    pub fn get_each<K: AsRef<[u8]>>(
        &self,
        keys: impl IntoIterator<Item = K>,
        found: impl FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.reading.get_each(keys, found)
    }

    /// The values that many keys had.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub fn multi_get<K: AsRef<[u8]>>(&self, keys: &[K]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        self.reading.multi_get(keys)
    }

    /// Calls `visit` with keys and values in key order until it breaks. Returns the number of calls.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub fn scan(
        &self,
        keys: &Keys,
        visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<u64, StoreError> {
        self.reading.scan(keys, visit)
    }
}

impl fmt::Debug for Snapshot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").field("sequence", &self.reading.sequence).finish_non_exhaustive()
    }
}
