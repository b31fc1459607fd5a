//! Writes: a sequence number, the memtable, the log.
//!
//! A write that waits for the log is in the memtable already: reads find what has a sequence number up to that of the
//! last write in the log.

use crate::batch::{Batch, entries};
use crate::commit::Commit;
use crate::counters::add;
use crate::entry::{Entry, EntryKind};
use crate::error::StoreError;
use crate::files::FileKind;
use crate::gate::Gate;
use crate::group_commit::Sync;
use crate::large_value;
use crate::log::record;
use crate::memtable::{self, Memtable};
use crate::shared::{Group, Shared, lock};
use crate::sync::atomic::Ordering;
use model::DurabilityClass;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

/// Whether the thread of a write waits for it at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Haste {
    Waits,
    GoesOn,
}

/// How a write that has its sequence number gets to the log.
enum Place {
    /// In a group that this thread writes.
    Own(Group),
    /// In the next one, which any thread may write.
    Next(Arc<Gate>),
    /// Some time, and nobody waits for it.
    Later,
}

impl Shared {
    /// Writes a batch: on return it survives what the durability class says, and every later read sees it.
    pub(crate) fn write(&self, batch: &Batch) -> Result<(), StoreError> {
        self.begin_write(batch, Haste::Waits)?.wait()
    }

    /// Gives a batch its place in the order of all writes, and does not wait for the log.
    pub(crate) fn write_async(&self, batch: &Batch) -> Result<Commit<'_>, StoreError> {
        self.begin_write(batch, Haste::GoesOn)
    }

    fn begin_write(&self, batch: &Batch, haste: Haste) -> Result<Commit<'_>, StoreError> {
        if batch.is_empty() {
            return Ok(Commit::done(self));
        }
        self.files.check_process()?;
        if self.reserve.is_given_up() && takes_room(batch) {
            self.require_room()?;
        }
        if batch.value_bytes_max() >= self.options.large_value_bytes {
            let moved = self.move_large_values(batch)?;
            return self.write_entries(&moved, haste);
        }
        self.write_entries(batch, haste)
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

    fn write_entries(&self, batch: &Batch, haste: Haste) -> Result<Commit<'_>, StoreError> {
        let (sequence, memtable, place) = self.enqueue(batch, haste)?;
        // Before this thread leads: reads of what its group has would wait for it, also those of a task that it wakes.
        memtable.insert(sequence, batch.payload());
        self.applied.mark(sequence);
        match place {
            Place::Own(group) => self.lead(group, Sync::ByClass).map(|()| Commit::done(self)),
            Place::Next(gate) => Ok(Commit::of(self, sequence, gate)),
            Place::Later => Ok(Commit::done(self)),
        }
    }

    /// Writes large values to files of their own; the result names them. It has the last write to each key only:
    /// nothing would remove the file of an earlier one.
    fn move_large_values(&self, batch: &Batch) -> Result<Batch, StoreError> {
        self.check_failure()?;
        let mut moved = Batch::new();
        let writes = || entries(batch.payload()).flatten().enumerate();
        let last: HashMap<&[u8], usize> = writes().map(|(at, entry)| (entry.key, at)).collect();
        for (_, entry) in writes().filter(|(at, entry)| last.get(entry.key) == Some(at)) {
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
            let value = written?.encode_large();
            add(&self.counters.large_value_bytes, entry.value.len() as u64);
            moved.push(Entry { key: entry.key, kind: EntryKind::PutLarge, value: &value })?;
        }
        self.files.sync_names().map_err(|error| self.fail(error))?;
        Ok(moved)
    }

    /// Gives a batch its number, its memtable and its place in the log. Waits for room in the memtable.
    fn enqueue(&self, batch: &Batch, haste: Haste) -> Result<(u64, Arc<Memtable>, Place), StoreError> {
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
        self.begun.store(sequence, Ordering::Release);
        let records = &mut pending.collected.memory.records;
        record::push(records, sequence, payload);
        // If nobody waits for a group, the writer that fills it leads.
        let (leads, is_awaited) = match self.options.durability {
            DurabilityClass::None => (records.len() >= self.options.log.buffer_bytes, false),
            DurabilityClass::Process | DurabilityClass::Power => (haste == Haste::Waits, true),
        };
        pending.memtable_bytes += memtable::memory_bytes(payload.len(), batch.len());
        add(&self.counters.batches, 1);
        add(&self.counters.user_bytes, payload.len() as u64);
        let memtable = Arc::clone(&pending.memtable);
        let place = if leads && self.may_lead(&pending) {
            Place::Own(self.begin_group(&mut pending))
        } else if is_awaited {
            Place::Next(Arc::clone(&pending.collected.gate))
        } else {
            Place::Later
        };
        Ok((sequence, memtable, place))
    }
}

/// Whether a batch does more than delete.
fn takes_room(batch: &Batch) -> bool {
    entries(batch.payload()).flatten().any(|entry| entry.kind != EntryKind::Delete)
}
