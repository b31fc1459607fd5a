//! Waiting until the device has nothing left to do for anybody, so that a trial does not pay for the one before.

use crate::counters::diskstats::DeviceSnapshot;
use crate::failure::Failure;
use crate::kernel::block_device::BlockDevice;
use model::mechanism::Measured;
use procfs::{Current, Meminfo};
use rustix::fs::{Mode, OFlags};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long the device must show no request to count as idle: an eighth of the time limit, between these two. A lab
/// that waits for little looks for little: 25 ms still show a neighbour that makes 40 requests a second.
const IDLE_WINDOW_MIN: Duration = Duration::from_millis(25);
const IDLE_WINDOW_MAX: Duration = Duration::from_millis(50);
/// Time between two looks.
const SAMPLE: Duration = Duration::from_millis(5);
/// Dirty and writeback bytes of the machine that count as none.
const DIRTY_BYTES_MAX: u64 = 1 << 20;

/// How the wait ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quiescence {
    /// The device is quiet.
    Quiet { elapsed: Duration },
    /// The time limit came first: others use the device, or it has not finished its own work.
    Busy {
        /// Time that was waited.
        elapsed: Duration,
        /// What was still going on, a sentence.
        why: String,
    },
}

impl Quiescence {
    /// Time that was waited.
    pub fn elapsed(&self) -> Duration {
        match self {
            Self::Quiet { elapsed } | Self::Busy { elapsed, why: _ } => *elapsed,
        }
    }

    /// Whether the device became quiet.
    pub fn is_quiet(&self) -> bool {
        matches!(self, Self::Quiet { .. })
    }
}

/// What is seen at one look.
#[derive(Clone, Copy, Debug)]
struct Look {
    dirty_bytes: Option<u64>,
    /// `None` if the device is not known.
    requests: Option<Requests>,
}

/// Requests of the whole disk.
#[derive(Clone, Copy, Debug)]
struct Requests {
    completed: u64,
    in_flight: u64,
}

/// Writes out the file system of `directory` (syncfs(2)); returns when the device has everything.
pub fn write_out(directory: &Path) -> Result<(), Failure> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let handle = rustix::fs::open(directory, flags, Mode::empty()).map_err(Failure::on("open", directory))?;
    rustix::fs::syncfs(handle).map_err(Failure::on("write out the file system of", directory))
}

/// Writes out the file system of `directory`, then waits until the device completes nothing over 25 to 50 ms and the
/// machine's Dirty + Writeback is at most 1 MiB or does not fall any more (it may be another file system's).
///
/// Returns after `time_limit` at the latest, syncfs apart, which cannot be interrupted.
pub fn quiesce(
    directory: &Path,
    device: &Measured<BlockDevice>,
    time_limit: Duration,
) -> Result<Quiescence, Failure> {
    let start = Instant::now();
    write_out(directory)?;
    Ok(settle(|| look(device), start, time_limit))
}

fn settle(mut look: impl FnMut() -> Look, start: Instant, time_limit: Duration) -> Quiescence {
    loop {
        let before = look();
        let (after, moved) = watch(&mut look, &before, idle_window(time_limit));
        let why = match moved {
            Some(why) => why,
            None => match still_writing(&before, &after) {
                Some(why) => why,
                None => return Quiescence::Quiet { elapsed: start.elapsed() },
            },
        };
        if start.elapsed() >= time_limit {
            return Quiescence::Busy { elapsed: start.elapsed(), why };
        }
    }
}

fn look(device: &Measured<BlockDevice>) -> Look {
    let memory = Meminfo::current().ok();
    Look {
        dirty_bytes: memory.map(|memory| memory.dirty + memory.writeback),
        requests: device.value().and_then(|device| {
            let taken = DeviceSnapshot::take(device);
            let snapshot = taken.value()?;
            Some(Requests { completed: snapshot.completed(), in_flight: snapshot.in_flight() })
        }),
    }
}

fn idle_window(time_limit: Duration) -> Duration {
    (time_limit / 8).clamp(IDLE_WINDOW_MIN, IDLE_WINDOW_MAX)
}

/// Watches for the idle window; ends early, with the reason, as soon as the device moves.
fn watch(look: &mut impl FnMut() -> Look, before: &Look, window: Duration) -> (Look, Option<String>) {
    let start = Instant::now();
    loop {
        sleep(SAMPLE.min(window.saturating_sub(start.elapsed())));
        let now = look();
        if let (Some(before), Some(after)) = (before.requests, now.requests) {
            let completed = after.completed.wrapping_sub(before.completed);
            let in_flight = after.in_flight;
            if completed > 0 || in_flight > 0 {
                let window_ms = start.elapsed().as_millis();
                let why = format!(
                    "the device completed {completed} requests in {window_ms} ms, {in_flight} in flight"
                );
                return (now, Some(why));
            }
        }
        if start.elapsed() >= window {
            return (now, None);
        }
    }
}

fn still_writing(before: &Look, after: &Look) -> Option<String> {
    let (before, after) = (before.dirty_bytes?, after.dirty_bytes?);
    let falling = after < before;
    (after > DIRTY_BYTES_MAX && falling).then(|| format!("{after} bytes are still dirty or being written"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dirty(bytes: u64) -> Look {
        Look { dirty_bytes: Some(bytes), requests: None }
    }

    /// The answer for a device that is seen so at each look, and how often it was looked at.
    fn settled(limit: Duration, seen: impl Fn(u64) -> Look) -> (Quiescence, u64) {
        let mut looks = 0;
        let look = || {
            looks += 1;
            seen(looks)
        };
        (settle(look, Instant::now(), limit), looks)
    }

    /// Time only ever takes longer on a busy machine, so how often it was looked is what has a limit.
    #[test]
    fn a_device_that_does_nothing_is_quiet_after_one_window() {
        let idle = |_| Look { dirty_bytes: Some(0), requests: Some(Requests { completed: 7, in_flight: 0 }) };
        let (answer, looks) = settled(Duration::from_secs(1), idle);
        assert!(answer.is_quiet() && answer.elapsed() >= IDLE_WINDOW_MAX, "{answer:?}");
        assert!(looks <= 2 + 50 / 5, "{looks} looks");
        // What is in flight at the first looks is waited for.
        let ending = |look: u64| Look {
            dirty_bytes: Some(0),
            requests: Some(Requests { completed: look.min(3), in_flight: u64::from(look < 3) }),
        };
        let (answer, looks) = settled(Duration::from_hours(1), ending);
        assert!(answer.is_quiet() && looks > 3, "{answer:?}");
    }

    #[test]
    fn a_device_that_goes_on_is_busy_at_the_time_limit() {
        let limit = Duration::from_millis(100);
        let requests = |completed, in_flight| Look {
            dirty_bytes: None,
            requests: Some(Requests { completed, in_flight }),
        };
        for (answer, looks) in [settled(limit, |look| requests(look, 0)), settled(limit, |_| requests(7, 1))]
        {
            let Quiescence::Busy { elapsed, why } = &answer else { panic!("{answer:?}") };
            assert!(
                *elapsed >= limit && why.contains("completed") && why.contains("in flight"),
                "{answer:?}"
            );
            assert!(looks <= 2 + 2 * 100 / 5, "{looks} looks");
        }
    }

    #[test]
    fn who_may_wait_for_less_looks_for_less() {
        let window = |limit_ms: u64| idle_window(Duration::from_millis(limit_ms)).as_millis();
        assert_eq!([window(3000), window(320), window(200), window(50)], [50, 40, 25, 25]);
    }

    #[test]
    fn dirty_pages_count_while_there_are_many_and_they_fall() {
        assert!(still_writing(&dirty(9 << 20), &dirty(8 << 20)).is_some());
        assert!(still_writing(&dirty(8 << 20), &dirty(8 << 20)).is_none());
        assert!(still_writing(&dirty(8 << 20), &dirty(1 << 20)).is_none());
    }
}
