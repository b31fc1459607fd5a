//! Writers that come at the same time share the log's writes and syncs: one of those who wait leads, and whatever has
//! come meanwhile is the next group.
//!
//! If the log may have several groups in flight, the next one begins beside the one before; groups have their places in
//! the log, and are acknowledged, in the order of their sequence numbers.

use crate::counters::add;
use crate::error::StoreError;
use crate::gate::Gate;
use crate::log::{GroupMemory, Placed};
use crate::options::LogPacking;
use crate::shared::{Collected, Group, Pending, Shared, lock};
use crate::sync::atomic::Ordering;
use crate::sync::spin_loop;
use model::DurabilityClass;
use std::sync::{Arc, PoisonError};
use std::task::{Poll, Waker};

/// Looks at the log's progress before a thread sleeps: about as long as a write to the page cache takes.
const SPINS: u32 = 200;

/// Whether the leader syncs more than the durability class requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sync {
    ByClass,
    Everything,
}

/// What a writer does next.
enum Next {
    Return(Result<(), StoreError>),
    Lead(Group),
    /// Others work for it, and wake it.
    Wait,
}

impl Shared {
    /// Whether a write is in the log, and all before it.
    pub(crate) fn is_committed(&self, sequence: u64) -> bool {
        self.committed.load(Ordering::Acquire) >= sequence
    }

    /// Whether a thread may write the log now.
    pub(crate) fn may_lead(&self, pending: &Pending) -> bool {
        // Beside another group only one that has as many writes: otherwise each thread that is acknowledged would begin
        // a group of its own.
        let is_worth_it = pending.sequence - pending.grouped >= pending.group_writes;
        let has_place = pending.leaders == 0 || pending.leaders < self.options.log_depth() && is_worth_it;
        has_place && pending.alone == 0
    }

    /// Makes this thread one that writes the log, with everything that is pending.
    pub(crate) fn begin_group(&self, pending: &mut Pending) -> Group {
        pending.leaders += 1;
        self.is_led.store(true, Ordering::Relaxed);
        let next = pending.spares.pop().unwrap_or_default();
        let collected = std::mem::replace(&mut pending.collected, next);
        let (after, last) = (pending.grouped, pending.sequence);
        (pending.grouped, pending.group_writes) = (last, last - after);
        Group { collected, after, last, is_alone: false, is_written: false }
    }

    /// Waits until the log has a write, and all before it; leads if the write is in no group and nobody does.
    pub(crate) fn await_commit(&self, sequence: u64, gate: &Gate) -> Result<(), StoreError> {
        if self.is_committed(sequence) {
            return Ok(());
        }
        // A sync takes longer than it takes to sleep and to wake.
        let spins = if self.options.durability == DurabilityClass::Power { 0 } else { SPINS };
        for _ in 0..spins {
            if self.is_committed(sequence) {
                return Ok(());
            }
            if !self.is_led.load(Ordering::Relaxed) {
                break;
            }
            spin_loop();
        }
        loop {
            let mut pending = lock(&self.pending);
            let next = self.next(&mut pending, sequence);
            let entered = matches!(next, Next::Wait).then(|| gate.enter());
            drop(pending);
            match next {
                Next::Return(outcome) => return outcome,
                Next::Lead(group) => return self.lead(group, Sync::ByClass),
                Next::Wait => entered.into_iter().for_each(|entered| gate.sleep(entered)),
            }
        }
    }

    /// The same for a task, which waits elsewhere until it is woken.
    pub(crate) fn poll_commit(
        &self,
        sequence: u64,
        gate: &Gate,
        waker: &Waker,
    ) -> Poll<Result<(), StoreError>> {
        let mut pending = lock(&self.pending);
        match self.next(&mut pending, sequence) {
            Next::Return(outcome) => Poll::Ready(outcome),
            Next::Lead(group) => {
                drop(pending);
                Poll::Ready(self.lead(group, Sync::ByClass))
            }
            Next::Wait => {
                gate.leave(waker);
                Poll::Pending
            }
        }
    }

    fn next(&self, pending: &mut Pending, sequence: u64) -> Next {
        if self.is_committed(sequence) {
            Next::Return(Ok(()))
        } else if let Err(failure) = self.check_failure() {
            Next::Return(Err(failure))
        } else if sequence > pending.grouped && self.may_lead(pending) {
            Next::Lead(self.begin_group(pending))
        } else {
            Next::Wait
        }
    }

    /// Becomes the only thread that writes the log. Waits for those that do.
    pub(crate) fn become_leader(&self) -> Result<Group, StoreError> {
        let mut pending = lock(&self.pending);
        // Threads that come meanwhile do not go before it.
        pending.alone += 1;
        loop {
            if let Err(failure) = self.check_failure() {
                pending.alone -= 1;
                return Err(failure);
            }
            if pending.leaders == 0 {
                return Ok(Group { is_alone: true, ..self.begin_group(&mut pending) });
            }
            let entered = self.alone.enter();
            drop(pending);
            self.alone.sleep(entered);
            pending = lock(&self.pending);
        }
    }

    /// Writes a group to the log, and waits until it is acknowledged.
    pub(crate) fn lead(&self, mut group: Group, sync: Sync) -> Result<(), StoreError> {
        let last = group.last;
        let outcome = self.commit(&mut group, sync).map_err(|error| self.fail(error));
        let behind = self.stop_leading(group);
        outcome?;
        behind.map_or(Ok(()), |gate| self.await_commit(last, &gate))
    }

    /// Writes a group to the log.
    pub(crate) fn commit(&self, group: &mut Group, sync: Sync) -> Result<(), StoreError> {
        self.check_failure()?;
        if group.last > group.after {
            self.write_group(&mut group.collected.memory, group.after, group.last)?;
        }
        if sync == Sync::Everything {
            lock(&self.log).sync(group.last)?;
        }
        group.is_written = true;
        // The threads that wait are acknowledged at once, unless a group before this one is under way.
        if self.committed.load(Ordering::Acquire) == group.after {
            self.committed.store(group.last, Ordering::Release);
        }
        Ok(())
    }

    fn write_group(&self, memory: &mut GroupMemory, after: u64, last: u64) -> Result<(), StoreError> {
        let mut log = lock(&self.log);
        while log.last() != after {
            self.check_failure()?;
            log = self.log_placed.wait(log).unwrap_or_else(PoisonError::into_inner);
        }
        let placed = log.place(memory, last, self.committed.load(Ordering::Acquire))?;
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

    /// Wakes the next leader first, then those whose writes are in the log. If a group before this one is under way,
    /// returns where to wait for it.
    pub(crate) fn stop_leading(&self, group: Group) -> Option<Arc<Gate>> {
        let mut pending = lock(&self.pending);
        pending.leaders -= 1;
        pending.alone -= usize::from(group.is_alone);
        let last = group.last;
        let mut done = Vec::new();
        if group.is_written {
            pending.written.push(group);
        } else {
            done.extend(pending.retire(group));
        }
        while let Some(at) = pending.written.iter().position(|group| self.is_committed(group.after)) {
            let group = pending.written.swap_remove(at);
            if !self.is_committed(group.last) {
                self.committed.store(group.last, Ordering::Release);
            }
            done.extend(pending.retire(group));
        }
        let own = pending.written.iter().find(|group| group.last == last);
        let behind = own.map(|group| Arc::clone(&group.collected.gate));
        if self.failure.get().is_some() {
            done.extend(pending.abandon());
        }
        let is_alone_next = pending.alone > 0 && pending.leaders == 0;
        let next = if self.may_lead(&pending) { pending.collected.awaited() } else { None };
        self.is_led.store(pending.leaders > 0 || pending.alone > 0, Ordering::Relaxed);
        drop(pending);
        if is_alone_next {
            self.alone.wake_one();
        }
        if let Some(next) = next {
            next.wake_one();
        }
        for gate in done {
            gate.wake_all();
        }
        behind
    }

    /// Waits until the log has a write, and all before it.
    pub(crate) fn require_commit(&self, sequence: u64) -> Result<(), StoreError> {
        if self.is_committed(sequence) {
            return Ok(());
        }
        let group = self.become_leader()?;
        self.lead(group, Sync::ByClass)
    }

    /// Makes every acknowledged write survive power loss.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        let group = self.become_leader()?;
        self.lead(group, Sync::Everything)
    }
}

impl Collected {
    /// The gate, if anyone waits there.
    fn awaited(&self) -> Option<Arc<Gate>> {
        self.gate.is_awaited().then(|| Arc::clone(&self.gate))
    }
}

impl Pending {
    /// Keeps the memory of a group for a later one. Returns its gate if anyone waits there.
    fn retire(&mut self, group: Group) -> Option<Arc<Gate>> {
        let mut collected = group.collected;
        collected.memory.clear();
        let awaited = collected.awaited();
        self.spares.push(collected);
        awaited
    }

    /// After a failure: the gates of groups that nobody will acknowledge.
    pub(crate) fn abandon(&mut self) -> Vec<Arc<Gate>> {
        std::mem::take(&mut self.written).into_iter().map(|group| group.collected.gate).collect()
    }
}
