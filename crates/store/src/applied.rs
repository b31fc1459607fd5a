//! Which writes are in the memtable: threads insert at the same time, in any order.

use crate::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use crate::sync::{Condvar, Mutex, spin_loop};
use std::sync::PoisonError;

/// Writes that may be under way at once.
const WINDOW: u64 = 4096;

/// Looks at the progress before a thread sleeps: an insertion takes about a microsecond.
const SPINS: u32 = 100;

/// Knows up to which sequence number every write is in the memtable.
#[derive(Debug)]
pub(crate) struct Applied {
    /// Every write before this one is.
    next: AtomicU64,
    /// By sequence number modulo the window: the last write there that is.
    slots: Box<[AtomicU64]>,
    /// Threads that sleep until `next` is larger, or are about to.
    sleepers: AtomicUsize,
    /// Held by a thread between its last look at `next` and its sleep.
    sleep: Mutex<()>,
    advanced: Condvar,
}

impl Applied {
    pub(crate) fn new(last: u64) -> Self {
        Self {
            next: AtomicU64::new(last + 1),
            slots: (0..WINDOW).map(|_| AtomicU64::new(0)).collect(),
            sleepers: AtomicUsize::new(0),
            sleep: Mutex::default(),
            advanced: Condvar::new(),
        }
    }

    /// Every write up to this one is in the memtable.
    pub(crate) fn last(&self) -> u64 {
        self.next.load(Ordering::SeqCst) - 1
    }

    /// Whether a write with this number can begin; otherwise writes before it have to be marked first.
    pub(crate) fn has_room(&self, sequence: u64) -> bool {
        sequence < self.next.load(Ordering::SeqCst) + WINDOW
    }

    /// Marks a write as done.
    ///
    /// Stores and loads are sequentially consistent: of two threads that mark neighbours, at least one sees both. And
    /// of a thread that goes on and one that is about to sleep, either the first sees the sleeper or the second sees
    /// the progress.
    pub(crate) fn mark(&self, sequence: u64) {
        let slot = |sequence: u64| &self.slots[(sequence % WINDOW) as usize];
        slot(sequence).store(sequence, Ordering::SeqCst);
        let mut has_advanced = false;
        loop {
            let next = self.next.load(Ordering::SeqCst);
            if slot(next).load(Ordering::SeqCst) != next {
                break;
            }
            // If another thread was faster, it or this one goes on from there.
            has_advanced |=
                self.next.compare_exchange(next, next + 1, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        }
        if has_advanced && self.sleepers.load(Ordering::SeqCst) > 0 {
            drop(self.sleep.lock().unwrap_or_else(PoisonError::into_inner));
            self.advanced.notify_all();
        }
    }

    /// Waits until every write up to this one is in the memtable. The thread of one of them may still wait for the disk
    /// below the log.
    pub(crate) fn wait(&self, sequence: u64) {
        for _ in 0..SPINS {
            if self.last() >= sequence {
                return;
            }
            spin_loop();
        }
        let mut sleep = self.sleep.lock().unwrap_or_else(PoisonError::into_inner);
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        while self.last() < sequence {
            sleep = self.advanced.wait(sleep).unwrap_or_else(PoisonError::into_inner);
        }
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
    }

    /// Waits until a write with this number can begin.
    pub(crate) fn wait_for_room(&self, sequence: u64) {
        self.wait(sequence.saturating_sub(WINDOW));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_follows_without_gaps() {
        let applied = Applied::new(10);
        assert!(applied.has_room(10 + WINDOW) && !applied.has_room(11 + WINDOW));
        applied.mark(12);
        assert_eq!(applied.last(), 10);
        applied.mark(11);
        assert_eq!(applied.last(), 12);
    }

    #[test]
    fn no_mark_is_lost_between_threads() {
        let applied = Applied::new(0);
        let taken = AtomicU64::new(1);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    loop {
                        let sequence = taken.fetch_add(1, Ordering::Relaxed);
                        if sequence > 20_000 {
                            return;
                        }
                        applied.wait_for_room(sequence);
                        assert!(applied.has_room(sequence));
                        applied.mark(sequence);
                        if sequence.is_multiple_of(100) {
                            // What was given out before is marked by threads that run.
                            applied.wait(sequence);
                        }
                    }
                });
            }
        });
        assert_eq!(applied.last(), 20_000);
    }
}
