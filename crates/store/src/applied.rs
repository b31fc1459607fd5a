//! Which writes are in the memtable: threads insert at the same time, in any order.

use std::sync::atomic::{AtomicU64, Ordering};

/// Writes that may be under way at once.
const WINDOW: u64 = 4096;

/// Knows up to which sequence number every write is in the memtable.
#[derive(Debug)]
pub(crate) struct Applied {
    /// Every write before this one is.
    next: AtomicU64,
    /// By sequence number modulo the window: the last write there that is.
    slots: Box<[AtomicU64]>,
}

impl Applied {
    pub(crate) fn new(last: u64) -> Self {
        Self { next: AtomicU64::new(last + 1), slots: (0..WINDOW).map(|_| AtomicU64::new(0)).collect() }
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
    /// Stores and loads are sequentially consistent: of two threads that mark neighbours, at least one sees both.
    pub(crate) fn mark(&self, sequence: u64) {
        let slot = |sequence: u64| &self.slots[(sequence % WINDOW) as usize];
        slot(sequence).store(sequence, Ordering::SeqCst);
        loop {
            let next = self.next.load(Ordering::SeqCst);
            if slot(next).load(Ordering::SeqCst) != next {
                return;
            }
            // If another thread was faster, it or this one goes on from there.
            let _ = self.next.compare_exchange(next, next + 1, Ordering::SeqCst, Ordering::SeqCst);
        }
    }

    /// Waits until every write up to this one is in the memtable. Some of them may still wait for the log.
    pub(crate) fn wait(&self, sequence: u64) {
        let mut tries = 0_u32;
        while self.last() < sequence {
            tries += 1;
            if tries < 100 { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
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
                        while !applied.has_room(sequence) {
                            std::thread::yield_now();
                        }
                        applied.mark(sequence);
                    }
                });
            }
        });
        assert_eq!(applied.last(), 20_000);
    }
}
