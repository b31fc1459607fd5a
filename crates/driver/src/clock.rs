//! The driver's clock: real, or virtual for a simulated device.

use model::Nanos;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;

/// Where time comes from.
pub trait Clock {
    /// Time since the clock began.
    fn now(&self) -> Nanos;
}

/// `CLOCK_MONOTONIC` since an origin. Copies share the origin, so a team's stamps are comparable.
#[derive(Clone, Copy, Debug)]
pub struct MonotonicClock {
    origin: Instant,
}

impl MonotonicClock {
    /// A clock that begins now.
    pub fn start() -> Self {
        Self { origin: Instant::now() }
    }
}

impl Clock for MonotonicClock {
    #[inline]
    fn now(&self) -> Nanos {
        Nanos::from(self.origin.elapsed())
    }
}

/// A clock that moves only when its simulated device moves it. Clones share the time.
#[derive(Clone, Debug, Default)]
pub struct VirtualClock {
    now: Rc<Cell<u64>>,
}

impl VirtualClock {
    /// Moves time forward to `to`; never backwards.
    pub fn advance_to(&self, to: Nanos) {
        self.now.set(self.now.get().max(to.0));
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Nanos {
        Nanos(self.now.get())
    }
}
