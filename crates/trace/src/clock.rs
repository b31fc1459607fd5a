//! The clock that events have.

use rustix::time::ClockId;
use std::fs;

/// What the clocks of a process are ahead of the kernel's own (time_namespaces(7)).
const OFFSETS: &str = "/proc/self/timens_offsets";

/// The time now, `CLOCK_MONOTONIC`, nanoseconds.
pub fn now_ns() -> u64 {
    let now = rustix::time::clock_gettime(ClockId::Monotonic);
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}

/// Turns the kernel's own times, which records have, into those of this process's clock. In a name space of times the
/// two differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KernelClock {
    ahead_ns: i64,
}

impl KernelClock {
    /// The kernel's clock as this process sees it. A kernel without name spaces of times has no such file.
    pub(crate) fn of_this_process() -> Self {
        fs::read_to_string(OFFSETS).ok().and_then(|text| Self::read(&text)).unwrap_or_default()
    }

    /// Reads lines such as `monotonic  86400  0`: seconds and nanoseconds.
    fn read(text: &str) -> Option<Self> {
        let rest = text.lines().find_map(|line| line.strip_prefix("monotonic"))?;
        let mut numbers = rest.split_whitespace().map(str::parse::<i64>);
        let (seconds, nanoseconds) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        Some(Self { ahead_ns: seconds.checked_mul(1_000_000_000)?.checked_add(nanoseconds)? })
    }

    /// A time of a record on this process's clock.
    pub(crate) const fn time_ns(self, kernel_ns: u64) -> u64 {
        kernel_ns.saturating_add_signed(self.ahead_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_space_of_times_moves_the_clock() {
        let read = |text| KernelClock::read(text).map(|clock| clock.time_ns(5_000_000_000));
        assert_eq!(
            read("monotonic           0         0\nboottime            7         0\n"),
            Some(5_000_000_000)
        );
        assert_eq!(read("monotonic       86400       123\n"), Some(86_405_000_000_123));
        assert_eq!(read("monotonic          -2         0\n"), Some(3_000_000_000));
        assert_eq!((read(""), read("monotonic soon 0")), (None, None));
    }
}
