//! Where those wait whose writes a group of the log has: threads sleep, tasks leave their wakers.

use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Futex, Mutex, MutexGuard};
use std::sync::PoisonError;
use std::task::Waker;

/// All of a group's threads, by one system call.
const ALL: u32 = i32::MAX as u32;

/// A thread that enters holds the lock of what it waits for, and a thread that wakes others has held that lock after it
/// made the change: nobody sleeps through a change. A gate may be used by a later group while threads of an earlier one
/// still leave it.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    /// Has another value after each wake.
    wakes: Futex,
    /// Threads that sleep, or are about to.
    sleepers: AtomicUsize,
    wakers: Mutex<Vec<Waker>>,
}

impl Gate {
    /// Announces that this thread is about to [`sleep`](Self::sleep), with what is returned.
    pub(crate) fn enter(&self) -> u32 {
        self.sleepers.fetch_add(1, Ordering::Relaxed);
        self.wakes.value()
    }

    /// Sleeps until the next wake after the announcement. May return earlier.
    pub(crate) fn sleep(&self, entered: u32) {
        self.wakes.sleep(entered);
        self.sleepers.fetch_sub(1, Ordering::Relaxed);
    }

    fn wakers(&self) -> MutexGuard<'_, Vec<Waker>> {
        self.wakers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves the waker of a task.
    pub(crate) fn leave(&self, waker: &Waker) {
        let mut wakers = self.wakers();
        if !wakers.iter().any(|other| other.will_wake(waker)) {
            wakers.push(waker.clone());
        }
    }

    /// Whether anyone waits. The lock is as for [`enter`](Self::enter).
    pub(crate) fn is_awaited(&self) -> bool {
        self.sleepers.load(Ordering::Relaxed) > 0 || !self.wakers().is_empty()
    }

    /// Wakes one thread; if none sleeps, all tasks, because each may have been given up.
    pub(crate) fn wake_one(&self) {
        if !self.wakes.wake(1) {
            self.wake_tasks();
        }
    }

    pub(crate) fn wake_all(&self) {
        self.wakes.wake(ALL);
        self.wake_tasks();
    }

    fn wake_tasks(&self) {
        let wakers = std::mem::take(&mut *self.wakers());
        wakers.into_iter().for_each(Waker::wake);
    }
}
