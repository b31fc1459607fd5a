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
use std::sync::{Arc, PoisonError};
use std::thread;

/// Looks at the log's progress before a thread sleeps: about as long as a write to the page cache takes.
const SPINS: u32 = 200;

/// In place of the sequence number that a sleeping thread waits for: it has to lead itself.
const MUST_LEAD: u64 = u64::MAX;

/// Memory for records that is kept between groups.
const SPARE_BYTES_MAX: usize = 4 << 20;

/// Whether the leader syncs more than the durability class requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sync {
    ByClass,
    Everything,
}

/// Records that are written to the log at once, by the thread that has them.
pub(crate) struct Group {
    records: Vec<u8>,
    /// The sequence number of the last record, or of the last one before if there are none.
    last: u64,
}

/// A write that has its sequence number.
struct Enqueued {
    sequence: u64,
    memtable: Arc<Memtable>,
    /// The group that this thread writes to the log.
    group: Option<Group>,
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
        let Enqueued { sequence, memtable, group } = self.enqueue(payload)?;
        let committed = match (group, self.options.durability) {
            (Some(group), _) => self.lead(group, Sync::ByClass),
            (None, DurabilityClass::None) => Ok(()),
            (None, DurabilityClass::Process | DurabilityClass::Power) => self.await_commit(sequence),
        };
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

    /// Gives a payload its number and its place in the next group; takes that group if no thread leads. Waits for room in the memtable.
    fn enqueue(&self, payload: &[u8]) -> Result<Enqueued, StoreError> {
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
                let sequence = pending.sequence + 1;
                drop(pending);
                self.applied.wait_for_room(sequence);
                pending = lock(&self.pending);
            }
        }
        pending.sequence += 1;
        let sequence = pending.sequence;
        record::push(&mut pending.records, sequence, payload);
        pending.memtable_bytes += payload.len() as u64;
        add(&self.counters.batches, 1);
        add(&self.counters.user_bytes, payload.len() as u64);
        let is_due = match self.options.durability {
            DurabilityClass::None => pending.records.len() >= self.options.log.buffer_bytes,
            DurabilityClass::Process | DurabilityClass::Power => true,
        };
        let group = (is_due && !pending.is_led).then(|| self.begin_group(&mut pending));
        Ok(Enqueued { sequence, memtable: Arc::clone(&pending.memtable), group })
    }

    /// Makes this thread the one that writes the log, with everything that is pending.
    fn begin_group(&self, pending: &mut Pending) -> Group {
        pending.is_led = true;
        self.is_led.store(true, Ordering::Relaxed);
        let empty = std::mem::take(&mut pending.spare);
        Group { records: std::mem::replace(&mut pending.records, empty), last: pending.sequence }
    }

    /// Waits until the log has a write; leads if nobody does.
    fn await_commit(&self, sequence: u64) -> Result<(), StoreError> {
        // A sync takes longer than it takes to sleep and to wake.
        let spins = if self.options.durability == DurabilityClass::Power { 0 } else { SPINS };
        for _ in 0..spins {
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
                let group = self.begin_group(&mut pending);
                drop(pending);
                return self.lead(group, Sync::ByClass);
            }
            pending.sleepers.push((sequence, thread::current()));
            drop(pending);
            thread::park();
        }
    }

    /// Becomes the thread that writes the log. Waits for the one that does.
    pub(crate) fn become_leader(&self) -> Result<Group, StoreError> {
        loop {
            let mut pending = lock(&self.pending);
            self.check_failure()?;
            let this = thread::current().id();
            if !pending.is_led || pending.heir.take_if(|heir| *heir == this).is_some() {
                // A park that ended by itself left a second entry, which would take another thread's wake.
                pending.sleepers.retain(|(_, sleeper)| sleeper.id() != this);
                return Ok(self.begin_group(&mut pending));
            }
            pending.sleepers.push((MUST_LEAD, thread::current()));
            drop(pending);
            thread::park();
        }
    }

    fn lead(&self, mut group: Group, sync: Sync) -> Result<(), StoreError> {
        let outcome = self.commit(&mut group, sync).map_err(|error| self.fail(error));
        self.stop_leading(group);
        outcome
    }

    /// Writes a group to the log.
    pub(crate) fn commit(&self, group: &mut Group, sync: Sync) -> Result<(), StoreError> {
        self.check_failure()?;
        let mut log = lock(&self.log);
        if !group.records.is_empty() {
            log.append(&mut group.records, group.last)?;
        }
        if sync == Sync::Everything {
            log.sync(group.last)?;
        }
        self.committed.store(group.last, Ordering::Release);
        Ok(())
    }

    /// Wakes the next leader first, then those whose writes are in the log.
    pub(crate) fn stop_leading(&self, group: Group) {
        // The memory is used again, unless a large group made it large.
        let mut spare = group.records;
        spare.clear();
        spare.shrink_to(SPARE_BYTES_MAX);
        let mut pending = lock(&self.pending);
        pending.spare = spare;
        pending.is_led = false;
        self.is_led.store(false, Ordering::Relaxed);
        if pending.sleepers.is_empty() {
            return;
        }
        let committed = self.committed.load(Ordering::Acquire);
        let has_failed = self.failure.get().is_some();
        let (done, mut waiting): (Vec<_>, Vec<_>) = std::mem::take(&mut pending.sleepers)
            .into_iter()
            .partition(|(sequence, _)| has_failed || *sequence <= committed);
        // A thread that has to lead itself goes first, and threads that come meanwhile do not go before it.
        let heir = waiting.iter().position(|(sequence, _)| *sequence == MUST_LEAD);
        let next = (!waiting.is_empty()).then(|| waiting.remove(heir.unwrap_or(0)));
        if let (Some(_), Some((_, thread))) = (heir, &next) {
            pending.heir = Some(thread.id());
            pending.is_led = true;
            self.is_led.store(true, Ordering::Relaxed);
        }
        pending.sleepers = waiting;
        drop(pending);
        for (_, thread) in next.into_iter().chain(done) {
            thread.unpark();
        }
    }

    /// Makes every acknowledged write survive power loss.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        let group = self.become_leader()?;
        self.lead(group, Sync::Everything)
    }
}
