//! Replaces `src/sync.rs`: each use is a moment at which the model checker may let another thread go on. All atomics
//! are sequentially consistent here, whatever their callers ask for.

pub(crate) use shuttle::hint::spin_loop;
pub(crate) use shuttle::sync::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, atomic};
pub(crate) use shuttle::thread;

use std::sync::PoisonError;

/// A futex of a lock and a condition. Its threads wake one by one, in any order.
#[derive(Debug, Default)]
pub(crate) struct Futex {
    state: Mutex<State>,
    woken: Condvar,
}

#[derive(Debug, Default)]
struct State {
    value: u32,
    sleeping: u32,
}

impl Futex {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn value(&self) -> u32 {
        self.state().value
    }

    pub(crate) fn sleep(&self, value: u32) {
        let mut state = self.state();
        if state.value == value {
            state.sleeping += 1;
            drop(self.woken.wait(state).unwrap_or_else(PoisonError::into_inner));
        }
    }

    pub(crate) fn wake(&self, threads: u32) -> bool {
        let mut state = self.state();
        state.value += 1;
        let woken = threads.min(state.sleeping);
        state.sleeping -= woken;
        drop(state);
        for _ in 0..woken {
            self.woken.notify_one();
        }
        woken > 0
    }
}
