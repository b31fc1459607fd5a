//! Writes: a sequence number, the log, the memtable.
//!
//! Threads that write at the same time share the log's writes and syncs: one of them leads, the others wait for it, and whatever
//! has come meanwhile is the next group.

use crate::batch::{Batch, entries};
use crate::counters::add;
use crate::entry::{Entry, Kind};
use crate::error::StoreError;
use crate::large_value;
use crate::log::record;
use crate::memtable::Memtable;
use crate::shared::{Pending, Shared, lock};
use model::DurabilityClass;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

/// Looks at the log's progress before a thread sleeps: about as long as a write to the page cache takes.
const SPINS: u32 = 200;

/// Memory for records that is kept between groups.
const SPARE_BYTES_MAX: usize = 4 << 20;

/// Whether the leader syncs more than the durability class requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sync {
    ByClass,
    Everything,
}

impl Shared {
    /// Writes a batch: on return it survives what the durability class says, and every later read sees it.
    pub(crate) fn write(&self, batch: &Batch) -> Result<(), StoreError> {
        if batch.is_empty() {
            return Ok(());
        }
        if batch.value_bytes_max() >= self.options.large_value_bytes {
            let moved = self.move_large_values(batch)?;
            return self.write_payload(moved.payload());
        }
        self.write_payload(batch.payload())
    }

    fn write_payload(&self, payload: &[u8]) -> Result<(), StoreError> {
        let (sequence, memtable) = self.enqueue(payload)?;
        let committed = self.await_commit(sequence);
        if committed.is_ok() {
            memtable.insert(sequence, payload);
        }
        // Also if it failed: the numbers after it would wait forever.
        self.applied.mark(sequence);
        committed
    }

    /// Writes large values to files of their own; the result names them.
    fn move_large_values(&self, batch: &Batch) -> Result<Batch, StoreError> {
        self.check_failure()?;
        let mut moved = Batch::new();
        for entry in entries(batch.payload()).flatten() {
            if entry.kind != Kind::Put || entry.value.len() < self.options.large_value_bytes {
                moved.push(entry)?;
                continue;
            }
            let number = self.next_number.fetch_add(1, Ordering::Relaxed);
            let data = &self.options.data;
            let written = large_value::write(&self.files, number, entry.value, data.io, data.write_bytes);
            let value = written.map_err(|error| self.fail(error))?.encode();
            add(&self.counters.large_value_bytes, entry.value.len() as u64);
            moved.push(Entry { key: entry.key, kind: Kind::PutLarge, value: &value })?;
        }
        self.files.sync_names().map_err(|error| self.fail(error))?;
        Ok(moved)
    }

    /// Gives a payload its number and its place in the next group. Waits for room in the memtable.
    fn enqueue(&self, payload: &[u8]) -> Result<(u64, Arc<Memtable>), StoreError> {
        let mut pending = lock(&self.pending);
        loop {
            self.check_failure()?;
            if pending.memtable_bytes >= self.options.memtable_bytes {
                if pending.is_rotating {
                    pending = self.room.wait(pending).unwrap_or_else(PoisonError::into_inner);
                    continue;
                }
                self.rotate_alone(pending)?;
                pending = lock(&self.pending);
            } else if self.applied.has_room(pending.sequence + 1) {
                break;
            } else {
                drop(pending);
                thread::yield_now();
                pending = lock(&self.pending);
            }
        }
        pending.sequence += 1;
        let sequence = pending.sequence;
        record::push(&mut pending.records, sequence, payload);
        pending.memtable_bytes += payload.len() as u64;
        add(&self.counters.batches, 1);
        add(&self.counters.user_bytes, payload.len() as u64);
        Ok((sequence, Arc::clone(&pending.memtable)))
    }

    /// Waits until the log has a write; leads if nobody does.
    fn await_commit(&self, sequence: u64) -> Result<(), StoreError> {
        if self.options.durability == DurabilityClass::None {
            let mut pending = lock(&self.pending);
            if pending.is_led || pending.records.len() < self.options.log.buffer_bytes {
                return self.check_failure();
            }
            pending.is_led = true;
            drop(pending);
            return self.lead(Sync::ByClass);
        }
        for _ in 0..SPINS {
            if self.committed.load(Ordering::Acquire) >= sequence {
                return Ok(());
            }
            if !self.is_led.load(Ordering::Relaxed) {
                break;
            }
            std::hint::spin_loop();
        }
        loop {
            let mut pending = lock(&self.pending);
            if self.committed.load(Ordering::Acquire) >= sequence {
                return Ok(());
            }
            self.check_failure()?;
            if !pending.is_led {
                pending.is_led = true;
                drop(pending);
                return self.lead(Sync::ByClass);
            }
            pending.sleepers.push((sequence, thread::current()));
            drop(pending);
            thread::park();
        }
    }

    /// Becomes the thread that writes the log.
    fn become_leader(&self) -> Result<(), StoreError> {
        loop {
            let mut pending = lock(&self.pending);
            self.check_failure()?;
            if !pending.is_led {
                pending.is_led = true;
                // A park that ended by itself left a second entry, which would take another thread's wake.
                let this = thread::current().id();
                pending.sleepers.retain(|(_, sleeper)| sleeper.id() != this);
                return Ok(());
            }
            pending.sleepers.push((u64::MAX, thread::current()));
            drop(pending);
            thread::park();
        }
    }

    fn lead(&self, sync: Sync) -> Result<(), StoreError> {
        self.is_led.store(true, Ordering::Relaxed);
        let outcome = self.commit_pending(sync).map_err(|error| self.fail(error));
        self.stop_leading();
        outcome
    }

    /// Writes everything that is pending to the log.
    fn commit_pending(&self, sync: Sync) -> Result<(), StoreError> {
        self.check_failure()?;
        let mut log = lock(&self.log);
        let (mut records, last) = {
            let mut pending = lock(&self.pending);
            let empty = std::mem::take(&mut pending.spare);
            (std::mem::replace(&mut pending.records, empty), pending.sequence)
        };
        if !records.is_empty() {
            log.append(&mut records, last)?;
        }
        if sync == Sync::Everything {
            log.sync(last)?;
        }
        self.committed.store(last, Ordering::Release);
        drop(log);
        // The memory is used again, unless a large group made it large.
        records.clear();
        records.shrink_to(SPARE_BYTES_MAX);
        lock(&self.pending).spare = records;
        Ok(())
    }

    /// Wakes the next leader first, then those whose writes are in the log.
    fn stop_leading(&self) {
        let mut pending = lock(&self.pending);
        pending.is_led = false;
        self.is_led.store(false, Ordering::Relaxed);
        let committed = self.committed.load(Ordering::Acquire);
        let has_failed = self.failure.get().is_some();
        let (done, mut waiting): (Vec<_>, Vec<_>) = std::mem::take(&mut pending.sleepers)
            .into_iter()
            .partition(|(sequence, _)| has_failed || *sequence <= committed);
        let next = (!waiting.is_empty()).then(|| waiting.remove(0));
        pending.sleepers = waiting;
        drop(pending);
        for (_, thread) in next.into_iter().chain(done) {
            thread.unpark();
        }
    }

    /// Makes every acknowledged write survive power loss.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        self.become_leader()?;
        self.lead(Sync::Everything)
    }

    /// Begins a new memtable while no other thread does.
    fn rotate_alone(&self, mut pending: MutexGuard<'_, Pending>) -> Result<(), StoreError> {
        pending.is_rotating = true;
        drop(pending);
        let rotated = self.rotate();
        lock(&self.pending).is_rotating = false;
        self.room.notify_all();
        rotated
    }

    /// Begins a new memtable if the current one has anything.
    pub(crate) fn rotate_if_used(&self) -> Result<(), StoreError> {
        let mut pending = lock(&self.pending);
        while pending.memtable_bytes > 0 {
            self.check_failure()?;
            if !pending.is_rotating {
                return self.rotate_alone(pending);
            }
            pending = self.room.wait(pending).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(())
    }

    /// Begins a new memtable and log segment; the old one can be flushed.
    fn rotate(&self) -> Result<(), StoreError> {
        self.await_room()?;
        self.become_leader()?;
        let outcome = self.commit_pending(Sync::ByClass).and_then(|()| self.replace_memtable());
        let outcome = outcome.map_err(|error| self.fail(error));
        self.stop_leading();
        outcome?;
        if self.options.background_threads == 0 {
            while self.work_once()? {}
        } else {
            drop(lock(&self.work));
            self.work_changed.notify_all();
        }
        Ok(())
    }

    fn replace_memtable(&self) -> Result<(), StoreError> {
        let mut log = lock(&self.log);
        log.next_segment(0)?;
        // Writes that have become pending meanwhile belong to the old memtable and go to the new segment: it is replayed from its
        // beginning, and what is in runs by then is replayed once more, with all that came later.
        let mut pending = lock(&self.pending);
        let memtable = Arc::new(Memtable::new(self.options.partitions, log.segment()));
        let old = std::mem::replace(&mut pending.memtable, Arc::clone(&memtable));
        // It is set once, here.
        let _ = old.sequence_last.set(pending.sequence);
        pending.memtable_bytes = 0;
        self.change_view(|view| view.memtables.insert(0, memtable));
        Ok(())
    }

    /// Waits until another memtable may be made. The wait is counted.
    fn await_room(&self) -> Result<(), StoreError> {
        let mut began: Option<(Instant, bool)> = None;
        let mut work = lock(&self.work);
        loop {
            self.check_failure()?;
            let view = self.view();
            let is_flush_behind = view.memtables.len() >= self.options.memtables_max;
            let runs = view.version.partitions.iter().map(|levels| levels[0].len()).max().unwrap_or(0);
            let is_compaction_behind = self.options.level0_runs_max().is_some_and(|max| runs > max);
            if !is_flush_behind && !is_compaction_behind || self.options.background_threads == 0 {
                break;
            }
            began.get_or_insert_with(|| (Instant::now(), is_flush_behind));
            work = self.work_changed.wait(work).unwrap_or_else(PoisonError::into_inner);
        }
        drop(work);
        if let Some((began, is_flush_behind)) = began {
            let nanos = began.elapsed().as_nanos() as u64;
            let counters = &self.counters;
            let (stalls, stalled) = if is_flush_behind {
                (&counters.memtable_stalls, &counters.memtable_stall_nanos)
            } else {
                (&counters.compaction_stalls, &counters.compaction_stall_nanos)
            };
            add(stalls, 1);
            add(stalled, nanos);
        }
        Ok(())
    }
}
