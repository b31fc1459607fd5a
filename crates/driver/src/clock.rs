//! The driver's clock: real, or virtual for a simulated device.

use model::Nanos;
use rustix::time::ClockId;
use std::cell::Cell;
use std::rc::Rc;

/// Where time comes from.
pub trait Clock {
    /// Time since the clock began.
    fn now(&self) -> Nanos;

    /// `CLOCK_MONOTONIC` when the clock began; zero if it is not of this machine.
    fn began(&self) -> Nanos {
        Nanos::ZERO
    }
}

/// `CLOCK_MONOTONIC` since an origin. Copies share the origin, so a team's stamps are comparable.
///
/// Every operation pays for a read, so nothing is done but the vDSO's call and one subtraction of integers:
/// [`std::time::Instant`] checks and carries seconds and nanoseconds apart, which takes as many instructions again.
#[derive(Clone, Copy, Debug)]
pub struct MonotonicClock {
    origin_nanos: u64,
}

/// Nanoseconds since the machine began; 64 bits last for centuries.
#[inline]
fn monotonic_nanos() -> u64 {
    let time = rustix::time::clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

impl MonotonicClock {
    /// A clock that begins now.
    pub fn start() -> Self {
        Self { origin_nanos: monotonic_nanos() }
    }
}

impl Clock for MonotonicClock {
    #[inline]
    fn now(&self) -> Nanos {
        Nanos(monotonic_nanos() - self.origin_nanos)
    }

    fn began(&self) -> Nanos {
        Nanos(self.origin_nanos)
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
