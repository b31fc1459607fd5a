//! When calls, requests of devices and what explains their time are recorded.

use std::time::Duration;

/// Length of a window. An operation is explained if all of it lies in one, so of those that take 25 ms one in ten is
/// not.
const WINDOW_NS: u64 = 250_000_000;
/// From the end of a window to the beginning of the next one, on average. On a busy server recording everything costs a
/// quarter of its rate, so a twentieth of the time costs about 1 %.
const BETWEEN_NS: f64 = 4.75e9;
/// The golden ratio's fraction: its multiples are spread evenly, and meet no period of a load again and again.
const SPREAD: f64 = 0.618_033_988_749_894_9;
/// How long records lie in a ring before they are read, unless it fills earlier: a descriptor is to be looked up before
/// it is closed.
const READ_EVERY: Duration = Duration::from_millis(20);
/// The same outside windows, where only syncs are recorded.
const READ_EVERY_OUTSIDE: Duration = Duration::from_millis(100);

/// When calls, requests of devices and what explains their time are recorded. What is rare is always recorded: syncs
/// of file systems that report them, and the beginnings and ends of processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// For 250 ms of every 5 s, on average.
    InWindows,
    Always,
}

/// Which window it is, or will be.
#[derive(Debug)]
pub(super) enum Windows {
    /// One without an end.
    Always,
    Open {
        number: u32,
        ends_ns: u64,
    },
    /// The last one has ended, and the tracepoints are still armed.
    Ended {
        number: u32,
        next_ns: u64,
    },
    Closed {
        number: u32,
        next_ns: u64,
    },
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Open,
    End,
    /// After the records of the window were read and handed over: it takes a while.
    Release,
}

impl Windows {
    /// The first window is open now.
    pub(super) const fn begin(recorded: Recorded, now_ns: u64) -> Self {
        match recorded {
            Recorded::InWindows => Self::Open { number: 0, ends_ns: now_ns + WINDOW_NS },
            Recorded::Always => Self::Always,
        }
    }

    /// Goes on.
    pub(super) fn turn(&mut self, now_ns: u64) -> Option<Turn> {
        match *self {
            Self::Open { number, ends_ns } if now_ns >= ends_ns => {
                *self = Self::Ended { number, next_ns: now_ns + between_ns(number) };
                Some(Turn::End)
            }
            Self::Ended { number, next_ns } => {
                *self = Self::Closed { number, next_ns };
                Some(Turn::Release)
            }
            Self::Closed { number, next_ns } if now_ns >= next_ns => {
                *self = Self::Open { number: number.wrapping_add(1), ends_ns: now_ns + WINDOW_NS };
                Some(Turn::Open)
            }
            Self::Always | Self::Open { .. } | Self::Closed { .. } => None,
        }
    }

    /// How long the next turn may wait.
    pub(super) fn read_every(&self, now_ns: u64) -> Duration {
        match *self {
            Self::Always | Self::Open { .. } | Self::Ended { .. } => READ_EVERY,
            Self::Closed { next_ns, .. } => {
                READ_EVERY_OUTSIDE.min(Duration::from_nanos(next_ns.saturating_sub(now_ns)))
            }
        }
    }
}

/// The time after a window: the average, give or take a quarter of it.
fn between_ns(number: u32) -> u64 {
    (BETWEEN_NS * (0.75 + 0.5 * (f64::from(number) * SPREAD).fract())) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// Times in milliseconds, over seconds of turns.
    #[test]
    fn a_window_ends_and_the_next_one_begins() {
        let mut windows = Windows::begin(Recorded::InWindows, 0);
        let turns: Vec<(u64, Turn)> = (20..4200)
            .step_by(20)
            .filter_map(|now_ms| windows.turn(now_ms * MS).map(|turn| (now_ms, turn)))
            .collect();
        let expected = [(260, Turn::End), (280, Turn::Release), (3840, Turn::Open), (4100, Turn::End)];
        assert_eq!(turns[..4], expected);
    }

    #[test]
    fn windows_are_a_twentieth_of_the_time_and_meet_no_period() {
        let between: Vec<f64> = (0..200).map(|number| between_ns(number) as f64).collect();
        let mean = between.iter().sum::<f64>() / between.len() as f64;
        let share = WINDOW_NS as f64 / (WINDOW_NS as f64 + mean);
        assert!((share - 0.05).abs() < 0.0005, "{share}");
        // Where in a second each begins.
        let mut begins = 0.0;
        let mut tenths = [0; 10];
        for ns in between {
            begins += ns + WINDOW_NS as f64;
            tenths[(begins % 1e9 / 1e8) as usize] += 1;
        }
        assert!(tenths.iter().all(|windows| (10..=30).contains(windows)), "{tenths:?}");
    }

    #[test]
    fn a_window_begins_on_time_although_nothing_happens() {
        let closed = Windows::Closed { number: 0, next_ns: 50 * MS };
        assert_eq!(closed.read_every(20 * MS), Duration::from_millis(30));
        assert_eq!(closed.read_every(60 * MS), Duration::ZERO);
        let mut always = Windows::begin(Recorded::Always, 0);
        assert_eq!((always.turn(u64::MAX), always.read_every(0)), (None, READ_EVERY));
    }
}
