//! Waiting for a deadline with nothing in flight.

use crate::{Clock, MonotonicClock};
use model::Nanos;
use std::io;
use std::num::NonZeroU64;
use std::thread;
use std::time::Duration;

/// The last part of a wait is spun: waking an idle core takes tens of microseconds, which an open loop would count as
/// latency of the operation that was due.
const SPIN: Nanos = Nanos(60_000);

/// Makes timed waits of the calling thread end when they are due. The default timer slack, 50 µs (`prctl(2)`,
/// `PR_SET_TIMERSLACK`), lets the kernel end them later to save wake-ups.
///
/// # Errors
/// The kernel refuses.
pub fn make_timers_exact() -> io::Result<()> {
    Ok(rustix::thread::set_current_timer_slack(Some(NonZeroU64::MIN))?)
}

/// Waits for the deadline.
///
/// # Errors
/// Without a deadline nothing will ever happen: the workload waits for an operation that it has not emitted.
pub fn wait_idle(clock: MonotonicClock, at_least: usize, deadline: Option<Nanos>) -> io::Result<()> {
    let Some(deadline) = deadline else {
        if at_least == 0 {
            return Ok(());
        }
        return Err(io::Error::other("the workload waits for a completion, but nothing is in flight"));
    };
    let left = deadline.since(clock.now());
    if left > SPIN {
        thread::sleep(Duration::from(left - SPIN));
    }
    while clock.now() < deadline {
        std::hint::spin_loop();
    }
    Ok(())
}
