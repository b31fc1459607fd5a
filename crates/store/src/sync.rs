//! What threads meet at. `tests/interleavings` puts the model checker's in its place.

pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, atomic};
pub(crate) use std::thread;

use rustix::thread::futex;

/// A word on which threads sleep (`futex(2)`).
#[derive(Debug, Default)]
pub(crate) struct Futex(atomic::AtomicU32);

impl Futex {
    pub(crate) fn value(&self) -> u32 {
        self.0.load(atomic::Ordering::Acquire)
    }

    /// Sleeps until a wake if the word has this value. May return earlier.
    pub(crate) fn sleep(&self, value: u32) {
        // The word has another value, or a signal came: the caller looks again.
        let _ = futex::wait(&self.0, futex::Flags::PRIVATE, value, None);
    }

    /// Changes the value, and wakes at most this number of threads by one system call. Whether there was one.
    pub(crate) fn wake(&self, threads: u32) -> bool {
        self.0.fetch_add(1, atomic::Ordering::Release);
        // It fails for no word of this process.
        futex::wake(&self.0, futex::Flags::PRIVATE, threads).is_ok_and(|woken| woken > 0)
    }
}
