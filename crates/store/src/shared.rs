//! What all threads of a store share.

use crate::applied::Applied;
use crate::cache::PageCache;
use crate::compaction::{Busy, Task};
use crate::counters::Counters;
use crate::error::StoreError;
use crate::files::Files;
use crate::gate::Gate;
use crate::log::{GroupMemory, LogWriter, SegmentSource};
use crate::manifest::Manifest;
use crate::memtable::Memtable;
use crate::options::Options;
use crate::reserve::Reserve;
use crate::run::Run;
use crate::sync::atomic::{AtomicBool, AtomicU64};
use crate::sync::{Condvar, Mutex, MutexGuard, RwLock};
use crate::version::View;
use std::sync::{Arc, OnceLock, PoisonError};

/// A store, without its threads.
///
/// Locks are taken in this order: `work`, `manifest`, `log`, `pending`, `view`.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) files: Files,
    pub(crate) cache: Option<PageCache>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) next_number: Arc<AtomicU64>,
    pub(crate) segments: Arc<SegmentSource>,
    pub(crate) reserve: Arc<Reserve>,
    /// Writes that are not in the log yet.
    pub(crate) pending: Mutex<Pending>,
    /// Where threads wait that write the log alone.
    pub(crate) alone: Gate,
    /// Notified when a memtable was replaced.
    pub(crate) room: Condvar,
    /// Whether a thread writes the log now, for those who spin.
    pub(crate) is_led: AtomicBool,
    /// Where the next group goes.
    pub(crate) log: Mutex<LogWriter>,
    /// Notified when a group has its place in the log, if another one may wait for that.
    pub(crate) log_placed: Condvar,
    /// The last sequence number that was given out, for readers without the lock of `pending`.
    pub(crate) begun: AtomicU64,
    /// Every write up to this sequence number is in the log, with the promise of the durability class.
    pub(crate) committed: AtomicU64,
    pub(crate) applied: Applied,
    pub(crate) view: RwLock<Arc<View>>,
    /// As it is on the disk.
    pub(crate) manifest: Mutex<Manifest>,
    pub(crate) work: Mutex<Work>,
    /// Notified when there may be something to do, or something has been done.
    pub(crate) work_changed: Condvar,
    /// The first failure of a write or a background job.
    pub(crate) failure: OnceLock<Arc<StoreError>>,
}

/// Writes that are not in the log yet.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) collected: Collected,
    /// Empty ones for the next groups.
    pub(crate) spares: Vec<Collected>,
    /// The last sequence number that was given out.
    pub(crate) sequence: u64,
    /// The last sequence number of the last group that a thread has begun to write.
    pub(crate) grouped: u64,
    /// Writes in that group.
    pub(crate) group_writes: u64,
    /// Groups that are written, and the one before is not yet.
    pub(crate) written: Vec<Group>,
    /// The memtable that writes go to.
    pub(crate) memtable: Arc<Memtable>,
    pub(crate) memtable_bytes: u64,
    pub(crate) is_rotating: bool,
    /// Threads that write the log now.
    pub(crate) leaders: usize,
    /// Threads that write the log alone, or wait to do so: meanwhile no other thread begins.
    pub(crate) alone: usize,
}

/// What becomes a group of the log.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) memory: GroupMemory,
    /// Where its writers wait.
    pub(crate) gate: Arc<Gate>,
}

/// Records that are written to the log at once, by the thread that has them.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) collected: Collected,
    /// The last sequence number before the group.
    pub(crate) after: u64,
    /// The last one of the group; `after` if it has no record.
    pub(crate) last: u64,
    /// Whether no other group may be written meanwhile.
    pub(crate) is_alone: bool,
    /// Whether the records are in the log, with the promise of the durability class.
    pub(crate) is_written: bool,
}

impl Pending {
    /// No writes after this sequence number.
    pub(crate) fn after(sequence: u64, memtable: Arc<Memtable>) -> Self {
        Self {
            collected: Collected::default(),
            spares: Vec::new(),
            sequence,
            grouped: sequence,
            group_writes: 0,
            written: Vec::new(),
            memtable,
            memtable_bytes: 0,
            is_rotating: false,
            leaders: 0,
            alone: 0,
        }
    }
}

/// What background threads do.
#[derive(Debug, Default)]
pub(crate) struct Work {
    pub(crate) flush: Option<FlushWork>,
    /// Compactions that are under way.
    pub(crate) compactions: usize,
    pub(crate) busy: Busy,
    /// Threads that drain the store.
    pub(crate) drains: usize,
    /// The reads in vain that merges have been made for.
    pub(crate) repaid_to_scans: u64,
    pub(crate) is_preparing: bool,
    /// Jobs that are under way.
    pub(crate) running: usize,
    pub(crate) is_stopping: bool,
}

/// The flush of the oldest memtable.
#[derive(Debug)]
pub(crate) struct FlushWork {
    pub(crate) memtable: Arc<Memtable>,
    /// The next partition to be written.
    pub(crate) next: usize,
    /// Partitions that are not written yet.
    pub(crate) left: usize,
    pub(crate) runs: Vec<(usize, Arc<Run>)>,
}

/// Something to do.
#[derive(Debug)]
pub(crate) enum Job {
    /// Write a partition of a memtable.
    Flush(Arc<Memtable>, usize),
    /// Merge runs of a partition.
    Compact(usize, Task),
    /// Make a log segment before it is needed.
    PrepareSegment,
}

/// Locks. No panic happens while one of these locks is held and its content half changed, so a poisoned one is as good.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// What there is now.
    pub(crate) fn view(&self) -> Arc<View> {
        Arc::clone(&self.view.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes what there is.
    pub(crate) fn change_view(&self, change: impl FnOnce(&mut View)) {
        let mut view = self.view.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = View::clone(&view);
        change(&mut next);
        let before = std::mem::replace(&mut *view, Arc::new(next));
        // To free what nobody reads any more can take long: readers do not wait for it.
        drop(view);
        drop(before);
    }

    /// Stops all writes, and wakes those that wait.
    pub(crate) fn fail(&self, error: StoreError) -> StoreError {
        if error.is_full() {
            // The next open needs room.
            self.reserve.give_up();
        }
        let cause = Arc::clone(self.failure.get_or_init(|| Arc::new(error)));
        // Between a waiting thread's look at the failure and its sleep it holds the lock.
        drop(lock(&self.work));
        self.work_changed.notify_all();
        drop(lock(&self.log));
        self.log_placed.notify_all();
        let (gates, next) = {
            let mut pending = lock(&self.pending);
            (pending.abandon(), Arc::clone(&pending.collected.gate))
        };
        self.room.notify_all();
        self.alone.wake_all();
        // Those whose group is under way are woken by its leader.
        gates.into_iter().chain([next]).for_each(|gate| gate.wake_all());
        StoreError::Stopped { cause }
    }

    /// # Errors
    /// The first failure, if there was one.
    pub(crate) fn check_failure(&self) -> Result<(), StoreError> {
        match self.failure.get() {
            Some(cause) if let StoreError::ReadOnly { path } = &**cause => {
                Err(StoreError::ReadOnly { path: path.clone() })
            }
            Some(cause) => Err(StoreError::Stopped { cause: Arc::clone(cause) }),
            None => Ok(()),
        }
    }
}
