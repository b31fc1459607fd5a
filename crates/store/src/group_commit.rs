//! Threads that write at the same time share the log's writes and syncs: one of them leads, the others wait for it, and
//! whatever has come meanwhile is the next group.
//!
//! If the log may have several groups in flight, the next one begins beside the one before; groups have their places in
//! the log, and are acknowledged, in the order of their sequence numbers.

use crate::counters::add;
use crate::error::StoreError;
use crate::log::{GroupMemory, Placed};
use crate::options::LogPacking;
use crate::shared::{Pending, Shared, Span, lock};
use model::DurabilityClass;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::thread::{self, Thread};

/// Looks at the log's progress before a thread sleeps: about as long as a write to the page cache takes.
const SPINS: u32 = 200;

/// In place of the sequence number that a sleeping thread waits for: it has to lead itself.
const MUST_LEAD: u64 = u64::MAX;

/// Whether the leader syncs more than the durability class requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sync {
    ByClass,
    Everything,
}

/// Records that are written to the log at once, by the thread that has them.
pub(crate) struct Group {
    memory: GroupMemory,
    span: Span,
    /// Whether the records are in the log, with the promise of the durability class.
    is_written: bool,
}

impl Shared {
    /// Whether a thread may write the log now.
    pub(crate) fn may_lead(&self, pending: &Pending) -> bool {
        // Beside another group only one that has as many writes: otherwise each thread that is acknowledged would begin
        // a group of its own.
        let is_worth_it = pending.sequence - pending.grouped >= pending.group_writes;
        let has_place = pending.leaders == 0 || pending.leaders < self.options.log_depth() && is_worth_it;
        has_place && pending.alone.is_none()
    }

    /// Makes this thread one that writes the log, with everything that is pending.
    pub(crate) fn begin_group(&self, pending: &mut Pending) -> Group {
        pending.leaders += 1;
        self.is_led.store(true, Ordering::Relaxed);
        let mut memory = pending.spares.pop().unwrap_or_default();
        std::mem::swap(&mut memory.records, &mut pending.records);
        let span = Span { after: pending.grouped, last: pending.sequence };
        (pending.grouped, pending.group_writes) = (span.last, span.last - span.after);
        Group { memory, span, is_written: false }
    }

    /// Waits until the log has a write, and all before it; leads if the write is in no group and nobody does.
    pub(crate) fn await_commit(&self, sequence: u64) -> Result<(), StoreError> {
        if self.committed.load(Ordering::Acquire) >= sequence {
            return Ok(());
        }
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
            if sequence > pending.grouped && self.may_lead(&pending) {
                let group = self.begin_group(&mut pending);
                drop(pending);
                return self.lead(group, Sync::ByClass);
            }
            pending.sleepers.push((sequence, thread::current()));
            drop(pending);
            thread::park();
        }
    }

    /// Becomes the only thread that writes the log. Waits for those that do.
    pub(crate) fn become_leader(&self) -> Result<Group, StoreError> {
        loop {
            let mut pending = lock(&self.pending);
            self.check_failure()?;
            let this = thread::current().id();
            if *pending.alone.get_or_insert(this) == this && pending.leaders == 0 {
                // A park that ended by itself left a second entry, which would take another thread's wake.
                pending.sleepers.retain(|(_, sleeper)| sleeper.id() != this);
                return Ok(self.begin_group(&mut pending));
            }
            pending.sleepers.push((MUST_LEAD, thread::current()));
            drop(pending);
            thread::park();
        }
    }

    pub(crate) fn lead(&self, mut group: Group, sync: Sync) -> Result<(), StoreError> {
        let last = group.span.last;
        let outcome = self.commit(&mut group, sync).map_err(|error| self.fail(error));
        self.stop_leading(group);
        outcome?;
        // Groups before this one may still be under way.
        self.await_commit(last)
    }

    /// Writes a group to the log.
    pub(crate) fn commit(&self, group: &mut Group, sync: Sync) -> Result<(), StoreError> {
        self.check_failure()?;
        let Group { memory, span, is_written } = group;
        if span.last > span.after {
            self.write_group(memory, *span)?;
        }
        if sync == Sync::Everything {
            lock(&self.log).sync(span.last)?;
        }
        *is_written = true;
        // The threads that wait are acknowledged at once, unless a group before this one is under way.
        if self.committed.load(Ordering::Acquire) == span.after {
            self.committed.store(span.last, Ordering::Release);
        }
        Ok(())
    }

    fn write_group(&self, memory: &mut GroupMemory, span: Span) -> Result<(), StoreError> {
        let mut log = lock(&self.log);
        while log.last() != span.after {
            self.check_failure()?;
            log = self.log_placed.wait(log).unwrap_or_else(PoisonError::into_inner);
        }
        let placed = log.place(memory, span.last, self.committed.load(Ordering::Acquire))?;
        match self.options.log.packing {
            // The next group writes the block in which this one ends once more: not before this write.
            LogPacking::Packed => {
                self.write_placed(&placed, memory)?;
                drop(log);
            }
            LogPacking::Padded => drop(log),
        }
        if self.options.log_depth() > 1 {
            self.log_placed.notify_all();
        }
        if self.options.log.packing == LogPacking::Padded {
            self.write_placed(&placed, memory)?;
        }
        if placed.sync()? {
            add(&self.counters.log_syncs, 1);
        }
        Ok(())
    }

    /// Writes a group. A log that grows, or that is copied on write, may find no room: then the reserve makes some.
    fn write_placed(&self, placed: &Placed, memory: &GroupMemory) -> Result<(), StoreError> {
        if placed.can_be_repeated() {
            self.reserve.spend(|| placed.write(memory))
        } else {
            placed.write(memory)
        }
    }

    /// Wakes the next leader first, then those whose writes are in the log.
    pub(crate) fn stop_leading(&self, group: Group) {
        let Group { mut memory, span, is_written } = group;
        memory.clear();
        let mut pending = lock(&self.pending);
        pending.spares.push(memory);
        pending.leaders -= 1;
        if is_written && self.committed.load(Ordering::Acquire) < span.last {
            pending.written.push(span);
        }
        self.commit_written(&mut pending);
        pending.alone.take_if(|alone| *alone == thread::current().id());
        let committed = self.committed.load(Ordering::Acquire);
        let has_failed = self.failure.get().is_some();
        let (done, mut waiting): (Vec<_>, Vec<_>) = std::mem::take(&mut pending.sleepers)
            .into_iter()
            .partition(|(sequence, _)| has_failed || *sequence <= committed);
        let next = self.next_leader(&mut pending, &waiting).map(|next| waiting.remove(next));
        self.is_led.store(pending.leaders > 0 || pending.alone.is_some(), Ordering::Relaxed);
        pending.sleepers = waiting;
        drop(pending);
        for (_, thread) in next.into_iter().chain(done) {
            thread.unpark();
        }
    }

    /// Acknowledges groups that were written before the one in front of them, as far as nothing is missing now.
    fn commit_written(&self, pending: &mut Pending) {
        let committed = || self.committed.load(Ordering::Acquire);
        while let Some(next) = pending.written.iter().position(|span| span.after == committed()) {
            self.committed.store(pending.written.swap_remove(next).last, Ordering::Release);
        }
    }

    /// Which of the threads that wait is to lead now, if any.
    fn next_leader(&self, pending: &mut Pending, waiting: &[(u64, Thread)]) -> Option<usize> {
        if pending.alone.is_none() {
            // A thread that has to lead itself goes first, and threads that come meanwhile do not go before it.
            let first = waiting.iter().find(|(sequence, _)| *sequence == MUST_LEAD);
            pending.alone = first.map(|(_, thread)| thread.id());
        }
        let may_lead = self.may_lead(pending);
        waiting.iter().position(|(sequence, thread)| match pending.alone {
            Some(alone) => pending.leaders == 0 && *sequence == MUST_LEAD && thread.id() == alone,
            None => may_lead && *sequence > pending.grouped,
        })
    }

    /// Makes every acknowledged write survive power loss.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        let group = self.become_leader()?;
        self.lead(group, Sync::Everything)
    }
}
