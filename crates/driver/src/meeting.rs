//! Where the members of a team wait for each other. Unlike `std::sync::Barrier`, it ends the wait if a member panics:
//! it will not come.

use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The place where members wait until all of them are there.
pub(crate) struct Meeting {
    members: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: usize,
    /// How often all were there.
    met: u64,
    /// A member has panicked.
    is_off: bool,
}

impl Meeting {
    pub(crate) fn new(members: usize) -> Self {
        Self { members, state: Mutex::default(), changed: Condvar::new() }
    }

    /// A member that takes part. If its thread panics, nobody waits for it.
    pub(crate) const fn join(&self) -> Member<'_> {
        Member { meeting: self }
    }

    /// Waits for all members.
    ///
    /// # Errors
    /// One of them has panicked.
    pub(crate) fn wait(&self) -> io::Result<()> {
        let mut state = self.state();
        let met = state.met;
        // One of those who left the wait would be counted as there.
        if !state.is_off {
            state.waiting += 1;
        }
        if state.waiting == self.members {
            state.waiting = 0;
            state.met += 1;
            self.changed.notify_all();
        }
        let is_awaited = |state: &mut State| state.met == met && !state.is_off;
        let state = self.changed.wait_while(state, is_awaited).unwrap_or_else(PoisonError::into_inner);
        if state.met == met { Err(io::Error::other("another thread of the trial panicked")) } else { Ok(()) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A member of a [`Meeting`].
pub(crate) struct Member<'a> {
    meeting: &'a Meeting,
}

impl Drop for Member<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.meeting.state().is_off = true;
            self.meeting.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn nobody_goes_on_before_all_are_there() {
        let (meeting, arrived) = (Meeting::new(3), AtomicU32::new(0));
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for round in 1..=100 {
                        arrived.fetch_add(1, Ordering::SeqCst);
                        meeting.wait().unwrap();
                        assert!(arrived.load(Ordering::SeqCst) >= 3 * round);
                        meeting.wait().unwrap();
                    }
                });
            }
        });
    }

    #[test]
    fn a_panic_ends_the_wait_of_the_others() {
        let meeting = Meeting::new(3);
        thread::scope(|scope| {
            let waiting = [0, 1].map(|_| scope.spawn(|| meeting.wait()));
            let panics = scope.spawn(|| {
                let _member = meeting.join();
                panic!("on purpose");
            });
            assert!(panics.join().is_err());
            for other in waiting {
                assert!(other.join().unwrap().is_err());
            }
            assert!(meeting.wait().is_err(), "nor does anybody wait later");
        });
    }
}
