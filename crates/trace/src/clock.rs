//! The clock that events have.

use rustix::time::ClockId;

/// The time now, `CLOCK_MONOTONIC`, nanoseconds.
pub fn now_ns() -> u64 {
    let now = rustix::time::clock_gettime(ClockId::Monotonic);
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}
