//! A full memtable is replaced by a new one. Here writers wait if flushes or compactions are behind.

use crate::compaction::Reason;
use crate::counters::add;
use crate::error::StoreError;
use crate::group_commit::Sync;
use crate::memtable::Memtable;
use crate::shared::{Pending, Shared, lock};
use crate::sync::MutexGuard;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

impl Shared {
    /// Begins a new memtable while no other thread does.
    pub(crate) fn rotate_alone(&self, mut pending: MutexGuard<'_, Pending>) -> Result<(), StoreError> {
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
        let mut group = self.become_leader()?;
        let outcome = self.commit(&mut group, Sync::ByClass).and_then(|()| self.replace_memtable());
        let outcome = outcome.map_err(|error| self.fail(error));
        self.stop_leading(group);
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
        // Writes that have become pending meanwhile belong to the old memtable and go to the new segment: it is
        // replayed from its beginning, and what is in runs by then is replayed once more, with all that came later.
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
            let is_flush_behind =
                view.memtables.len() >= self.reserve.memtables_max(self.options.memtables_max);
            let runs = view.version.partitions.iter().map(|levels| levels[0].len()).max().unwrap_or(0);
            let is_compaction_behind = self.options.level0_runs_max().is_some_and(|max| runs > max);
            // Without room to merge, more runs are what is left.
            let has_refused =
                work.busy.has_refused(|reason| matches!(reason, Reason::Policy | Reason::Deletes));
            let may_merge = !has_refused && !self.reserve.is_given_up();
            let is_compaction_behind = is_compaction_behind && may_merge;
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
