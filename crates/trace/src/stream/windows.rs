//! When what only explains an operation's time is recorded.

use crate::clock::now_ns;
use disk::kernel::tracepoint_ring::Ring;

/// Length of a window. An operation is explained if all of it lies in one, so of those that take 25 ms one in ten is
/// not.
const WINDOW_NS: u64 = 250_000_000;
/// From the beginning of a window to that of the next.
const EVERY_NS: u64 = 2_500_000_000;

/// When to record what only explains an operation's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explains {
    /// For 250 ms of every 2.5 s.
    InWindows,
    Always,
}

/// Opens and closes windows.
#[derive(Debug)]
pub(super) enum Windows {
    /// One without an end.
    Always,
    /// One is open until this time.
    Open { ends_ns: u64 },
    /// The last one has ended, and not every event before that has been read.
    Closing { closed_ns: u64, opens_ns: u64 },
    /// The next one begins at this time.
    Closed { opens_ns: u64 },
}

/// What has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Turned {
    /// A window has begun at this time.
    pub(super) opened_ns: Option<u64>,
    /// One has ended at this time, and what came before was read.
    pub(super) closed_ns: Option<u64>,
}

impl Windows {
    /// The first window is open now.
    pub(super) const fn begin(explains: Explains, now_ns: u64) -> Self {
        match explains {
            Explains::Always => Self::Always,
            Explains::InWindows => Self::Open { ends_ns: now_ns + WINDOW_NS },
        }
    }

    /// Goes on; every event before `read_ns` was read. If the kernel refuses to pause a recording, it goes on.
    pub(super) fn turn(&mut self, read_ns: u64, rings: &[Ring]) -> Turned {
        self.turn_at(read_ns, now_ns(), |opens| {
            let each = if opens { Ring::resume } else { Ring::pause };
            rings.iter().all(|ring| each(ring).is_ok())
        })
    }

    fn turn_at(&mut self, read_ns: u64, now_ns: u64, switch: impl FnOnce(bool) -> bool) -> Turned {
        match *self {
            Self::Open { ends_ns } if now_ns >= ends_ns => {
                let opens_ns = ends_ns + EVERY_NS - WINDOW_NS;
                *self =
                    if switch(false) { Self::Closing { closed_ns: now_ns, opens_ns } } else { Self::Always };
                Turned::default()
            }
            Self::Closing { closed_ns, opens_ns } if read_ns >= closed_ns => {
                *self = Self::Closed { opens_ns };
                Turned { closed_ns: Some(closed_ns), ..Turned::default() }
            }
            Self::Closed { opens_ns } if now_ns >= opens_ns => {
                // After the last of its events is on: before that some are missing.
                let is_on = switch(true);
                *self = Self::Open { ends_ns: now_ns + WINDOW_NS };
                Turned { opened_ns: is_on.then(crate::clock::now_ns), ..Turned::default() }
            }
            Self::Always | Self::Open { .. } | Self::Closing { .. } | Self::Closed { .. } => {
                Turned::default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// Times in milliseconds, over three seconds of turns.
    #[test]
    fn a_window_ends_once_its_events_were_read() {
        let mut windows = Windows::begin(Explains::InWindows, 0);
        let (mut switched, mut closed, mut opened) = (Vec::new(), Vec::new(), 0);
        for now_ms in (20..3000).step_by(20) {
            let turned = windows.turn_at((now_ms - 1) * MS, now_ms * MS, |opens| {
                switched.push((now_ms, opens));
                true
            });
            closed.extend(turned.closed_ns.map(|closed_ns| (now_ms, closed_ns / MS)));
            opened += u64::from(turned.opened_ns.is_some());
        }
        assert_eq!(switched, [(260, false), (2500, true), (2760, false)]);
        assert_eq!(closed, [(280, 260), (2780, 2760)]);
        assert_eq!(opened, 1);
    }

    #[test]
    fn a_recording_that_cannot_be_paused_goes_on() {
        let mut windows = Windows::begin(Explains::InWindows, 0);
        for now_ms in [260, 280, 3000] {
            assert_eq!(windows.turn_at(now_ms * MS, now_ms * MS, |_| false), Turned::default());
        }
        let mut always = Windows::begin(Explains::Always, 0);
        assert_eq!(always.turn_at(u64::MAX, u64::MAX, |_| panic!("nothing is switched")), Turned::default());
    }
}
