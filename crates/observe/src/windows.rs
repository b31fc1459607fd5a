//! For how long calls were recorded: all the time, or in windows. Sums of what was seen in windows are estimates.

use crate::class::Class;
use crate::observation::Recording;
use stats::interval::mean_interval;

/// Windows whose rates are kept for the interval: six hours of them.
const WINDOWS_MAX: usize = 4096;

/// When operations of a kind are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Those that the file system reports.
    Always,
    /// Those that are system calls, or requests of rings and devices.
    InWindows,
}

/// A number of each, which come to a rate together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    always: u64,
    in_windows: u64,
}

impl Counted {
    pub(crate) const fn add(&mut self, seen: Seen, number: u64) {
        let sum = match seen {
            Seen::Always => &mut self.always,
            Seen::InWindows => &mut self.in_windows,
        };
        *sum += number;
    }

    pub(crate) const fn extend(&mut self, other: Self) {
        self.always += other.always;
        self.in_windows += other.in_windows;
    }

    /// Whether some of it was seen in windows only.
    pub(crate) const fn has_windows(self) -> bool {
        self.in_windows > 0
    }

    /// What was seen.
    pub(crate) const fn sum(self) -> u64 {
        self.always + self.in_windows
    }

    pub(crate) fn per_s(self, times: Times) -> f64 {
        let rate =
            |number: u64, ns: u64| if number == 0 { 0.0 } else { number as f64 / (ns.max(1) as f64 / 1e9) };
        rate(self.always, times.whole_ns) + rate(self.in_windows, times.in_windows_ns)
    }

    /// The share of the time in which such operations were seen, if there were any.
    pub(crate) fn seen_share(self, times: Times) -> f64 {
        if self.has_windows() { times.share() } else { 1.0 }
    }
}

/// For how long an observation lasted, and its windows together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) whole_ns: u64,
    pub(crate) in_windows_ns: u64,
}

impl Times {
    pub(crate) const fn of(self, seen: Seen) -> u64 {
        match seen {
            Seen::Always => self.whole_ns,
            Seen::InWindows => self.in_windows_ns,
        }
    }

    /// The share of the windows: 1 if calls were recorded all the time.
    pub(crate) fn share(self) -> f64 {
        if self.whole_ns == 0 { 1.0 } else { self.in_windows_ns as f64 / self.whole_ns as f64 }
    }
}

/// The windows so far.
#[derive(Debug)]
pub(crate) struct Windows {
    begun_ns: u64,
    open_since_ns: Option<u64>,
    /// Time of the windows that have ended.
    seen_ns: u64,
    ended: usize,
    /// Operations of each class in the window that is open.
    operations: [u64; Class::ALL.len()],
    /// The rate of a class in each window that has ended.
    rates: [Vec<f64>; Class::ALL.len()],
}

impl Windows {
    /// One is open from a time on.
    pub(crate) fn new(begun_ns: u64) -> Self {
        Self {
            begun_ns,
            open_since_ns: Some(begun_ns),
            seen_ns: 0,
            ended: 0,
            operations: [0; Class::ALL.len()],
            rates: Default::default(),
        }
    }

    pub(crate) const fn is_open(&self) -> bool {
        self.open_since_ns.is_some()
    }

    /// When the one that is open was opened.
    pub(crate) const fn open_since_ns(&self) -> Option<u64> {
        self.open_since_ns
    }

    /// Whether there was a time outside windows.
    pub(crate) const fn has_gaps(&self) -> bool {
        self.ended > 0
    }

    pub(crate) fn open(&mut self, time_ns: u64) {
        self.open_since_ns = Some(time_ns.max(self.begun_ns));
        self.operations = Default::default();
    }

    pub(crate) fn close(&mut self, time_ns: u64) {
        let Some(since_ns) = self.open_since_ns.take() else { return };
        let length_ns = time_ns.saturating_sub(since_ns);
        self.seen_ns += length_ns;
        self.ended += 1;
        for (rates, operations) in self.rates.iter_mut().zip(self.operations) {
            if rates.len() < WINDOWS_MAX && length_ns > 0 {
                rates.push(operations as f64 / length_ns as f64 * 1e9);
            }
        }
    }

    pub(crate) const fn count(&mut self, class: Class) {
        self.operations[class as usize] += 1;
    }

    pub(crate) fn times(&self, until_ns: u64) -> Times {
        let open_ns = self.open_since_ns.map_or(0, |since_ns| until_ns.saturating_sub(since_ns));
        Times { whole_ns: until_ns.saturating_sub(self.begun_ns), in_windows_ns: self.seen_ns + open_ns }
    }

    /// The 95 % interval of a rate, by Student's t over the windows; `None` of too few.
    pub(crate) fn interval(&self, class: Class) -> Option<(f64, f64)> {
        let interval = mean_interval(&self.rates[class as usize], 0.95).ok()?;
        Some((interval.low.max(0.0), interval.high))
    }

    pub(crate) fn figures(&self, until_ns: u64) -> Recording {
        let times = self.times(until_ns);
        Recording {
            windows: self.has_gaps().then_some(self.ended + usize::from(self.is_open())),
            seconds: times.in_windows_ns as f64 / 1e9,
            share: times.share(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn a_rate_is_that_of_the_time_in_which_it_was_seen() {
        let times = Times { whole_ns: 20 * SECOND, in_windows_ns: SECOND };
        let mut counted = Counted::default();
        counted.add(Seen::Always, 100);
        assert_eq!((counted.per_s(times), counted.seen_share(times)), (5.0, 1.0));
        counted.add(Seen::InWindows, 7);
        assert_eq!((counted.per_s(times), counted.sum(), counted.seen_share(times)), (12.0, 107, 0.05));
        assert!(Counted::default().per_s(Times { whole_ns: 0, in_windows_ns: 0 }).abs() < 1e-9);
    }

    #[test]
    fn windows_are_summed_and_their_rates_have_an_interval() {
        let mut windows = Windows::new(SECOND);
        for number in 0..10 {
            if number > 0 {
                windows.open(SECOND * (1 + 5 * number));
            }
            // 40 and 60 in a quarter of a second, by turns.
            (0..10 + 5 * (number % 2)).for_each(|_| windows.count(Class::Read));
            windows.close(SECOND * (1 + 5 * number) + SECOND / 4);
            windows.close(SECOND * 1000);
        }
        let times = windows.times(51 * SECOND);
        assert_eq!((times.whole_ns, times.in_windows_ns), (50 * SECOND, SECOND * 10 / 4));
        let (low, high) = windows.interval(Class::Read).unwrap();
        assert!(low < 50.0 && 50.0 < high && high - low < 20.0, "{low} to {high}");
        let seen = windows.figures(51 * SECOND);
        assert_eq!((seen.windows, seen.seconds, seen.share), (Some(10), 2.5, 0.05));
    }

    #[test]
    fn without_an_end_a_window_is_all_the_time() {
        let windows = Windows::new(SECOND);
        let seen = windows.figures(3 * SECOND);
        assert_eq!((seen.windows, seen.seconds, seen.share), (None, 2.0, 1.0));
        assert_eq!(windows.interval(Class::Read), None);
    }
}
