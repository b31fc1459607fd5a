//! Writes: a sequence number, the log, the memtable.

use crate::batch::{Batch, entries};
use crate::counters::add;
use crate::entry::{Entry, EntryKind};
use crate::error::StoreError;
use crate::files::FileKind;
use crate::group_commit::{Group, Sync};
use crate::large_value;
use crate::log::record;
use crate::memtable::{self, Memtable};
use crate::shared::{Shared, lock};
use model::DurabilityClass;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

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
        self.files.check_process()?;
        if self.reserve.is_given_up() && takes_room(batch) {
            self.require_room()?;
        }
        if batch.value_bytes_max() >= self.options.large_value_bytes {
            let moved = self.move_large_values(batch)?;
            return self.write_entries(&moved);
        }
        self.write_entries(batch)
    }

    /// Takes the room back that is kept for deletes, if it is there.
    fn require_room(&self) -> Result<(), StoreError> {
        self.check_failure()?;
        if self.reserve.keep_after_a_pause()? {
            lock(&self.work).busy.offer_refused();
            self.work_changed.notify_all();
            return Ok(());
        }
        Err(self.reserve.refusal("put to"))
    }

    fn write_entries(&self, batch: &Batch) -> Result<(), StoreError> {
        let Enqueued { sequence, memtable, group } = self.enqueue(batch)?;
        let committed = match (group, self.options.durability) {
            (Some(group), _) => self.lead(group, Sync::ByClass),
            (None, DurabilityClass::None) => Ok(()),
            (None, DurabilityClass::Process | DurabilityClass::Power) => self.await_commit(sequence),
        };
        if committed.is_ok() {
            memtable.insert(sequence, batch.payload());
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
            if entry.kind != EntryKind::Put || entry.value.len() < self.options.large_value_bytes {
                moved.push(entry)?;
                continue;
            }
            let number = self.next_number.fetch_add(1, Ordering::Relaxed);
            let data = &self.options.data;
            let written = large_value::write(&self.files, number, entry.value, data.io, data.write_bytes);
            let written = written.map_err(|error| {
                if error.is_full() {
                    // No record names it.
                    self.files.remove_unneeded(FileKind::Value.name(number));
                    return error;
                }
                self.fail(error)
            });
            let value = written?.encode();
            add(&self.counters.large_value_bytes, entry.value.len() as u64);
            moved.push(Entry { key: entry.key, kind: EntryKind::PutLarge, value: &value })?;
        }
        self.files.sync_names().map_err(|error| self.fail(error))?;
        Ok(moved)
    }

    /// Gives a batch its number and its place in the next group; takes that group if no thread leads. Waits for room in
    /// the memtable.
    fn enqueue(&self, batch: &Batch) -> Result<Enqueued, StoreError> {
        let mut pending = lock(&self.pending);
        loop {
            self.check_failure()?;
            if pending.memtable_bytes >= self.reserve.limit(self.options.memtable_bytes) {
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
        let (sequence, payload) = (pending.sequence, batch.payload());
        record::push(&mut pending.records, sequence, payload);
        pending.memtable_bytes += memtable::memory_bytes(payload.len(), batch.len());
        add(&self.counters.batches, 1);
        add(&self.counters.user_bytes, payload.len() as u64);
        let is_due = match self.options.durability {
            DurabilityClass::None => pending.records.len() >= self.options.log.buffer_bytes,
            DurabilityClass::Process | DurabilityClass::Power => true,
        };
        let group = (is_due && self.may_lead(&pending)).then(|| self.begin_group(&mut pending));
        Ok(Enqueued { sequence, memtable: Arc::clone(&pending.memtable), group })
    }
}

/// Whether a batch does more than delete.
fn takes_room(batch: &Batch) -> bool {
    entries(batch.payload()).flatten().any(|entry| entry.kind != EntryKind::Delete)
}
