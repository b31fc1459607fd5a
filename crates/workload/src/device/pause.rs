//! Pauses of a job after a number of operations: `thinktime` and `thinktime_blocks`, what a program does between its
//! I/O.

use super::parameters::Parameters;
use model::Nanos;

/// One job's pauses. As in fio, operations in flight complete first; then the job has nothing in flight for the whole
/// pause.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pause {
    length: Nanos,
    /// Operations from one pause to the next; 0 = there are none.
    every: u64,
    since: u64,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    No,
    /// Begins as soon as nothing is in flight.
    Due,
    Until(Nanos),
}

impl Pause {
    pub(super) fn new(parameters: &Parameters) -> Self {
        let every = if parameters.thinktime > Nanos::ZERO { parameters.thinktime_blocks } else { 0 };
        Self { length: parameters.thinktime, every, since: 0, state: State::No }
    }

    /// Counts an operation that was started.
    #[inline]
    pub(super) fn count(&mut self) {
        if self.every > 0 {
            self.since += 1;
            if self.since == self.every {
                (self.since, self.state) = (0, State::Due);
            }
        }
    }

    /// Whether the job waits for a pause to begin or to end.
    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.state != State::No
    }

    /// When the pause ends; `None` if it waits for operations in flight. `is_on` may be false afterwards.
    pub(super) fn end(&mut self, now: Nanos, is_idle: bool) -> Option<Nanos> {
        if self.state == State::Due && is_idle {
            self.state = State::Until(now + self.length);
        }
        match self.state {
            State::Until(end) if now >= end => {
                self.state = State::No;
                Some(now)
            }
            State::Until(end) => Some(end),
            State::No | State::Due => None,
        }
    }
}
