//! Where latencies go: one HDR histogram and one time series per latency family.

use crate::slice::Window;
use crate::stamps::StampLog;
use hdrhistogram::Histogram;
use model::Nanos;
use model::sidecar::{Sidecar, SidecarError};

/// Latencies above this are recorded as this: ten minutes, longer than any trial's deadline.
pub const LATENCY_NANOS_MAX: u64 = 600_000_000_000;
const SIGNIFICANT_DIGITS: u8 = 3;
const INTERVAL: Nanos = Nanos::from_millis(100);
const INTERVALS_MAX: usize = 4096;

/// Latency histograms (nanoseconds, three significant digits) and operations per interval of 100 ms.
///
/// A workload that takes turns is measured in windows. A rate counts what ends inside a window, so that neither a queue
/// that fills nor one that drains biases it. A histogram has what *began* inside one, also if it ends in the drain: a
/// stall cannot hide.
///
/// All memory is taken up front: when a series is full, neighbouring intervals are merged and the interval doubles, so
/// a recorder is as large after a day as after a second.
#[derive(Clone, Debug)]
pub struct Recorder {
    families: &'static [&'static str],
    histograms: Vec<Histogram<u64>>,
    tallies: Vec<Tally>,
    series: Vec<Vec<u64>>,
    interval: Nanos,
    interval_ends: Nanos,
    /// The present window, in the workload's time.
    window: Window,
    /// The windows before it, and the sum of their lengths. An open loop may start late what was due in one of them.
    earlier: Vec<Window>,
    measured_before: Nanos,
    /// Kept in a traced trial only.
    stamps: Option<Box<StampLog>>,
}

/// Latencies of one family.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    performed: u64,
    /// Those that ended inside a window.
    completed: u64,
    /// Those of them since the last interval of the series.
    in_interval: u64,
}

impl Recorder {
    /// An empty recorder for these latency families.
    pub fn new(families: &'static [&'static str]) -> Self {
        let empty = Histogram::new_with_bounds(1, LATENCY_NANOS_MAX, SIGNIFICANT_DIGITS)
            .expect("1 ≤ low, 2 × low ≤ high and at most 5 digits: the bounds are constants");
        Self {
            families,
            histograms: vec![empty; families.len()],
            tallies: vec![Tally::default(); families.len()],
            // A cloned vector has no spare capacity: each is made by itself.
            series: families.iter().map(|_| Vec::with_capacity(INTERVALS_MAX)).collect(),
            interval: INTERVAL,
            interval_ends: INTERVAL,
            window: Window::ALL,
            earlier: Vec::new(),
            measured_before: Nanos::ZERO,
            stamps: None,
        }
    }

    /// Records one latency of the family with this index, from its beginning to its end in the workload's time.
    #[inline]
    pub fn latency(&mut self, family: usize, began: Nanos, ended: Nanos) {
        let tally = &mut self.tallies[family];
        tally.performed += 1;
        if self.window.contains(ended) {
            tally.completed += 1;
            tally.in_interval += 1;
        }
        if self.measures(began) {
            self.histograms[family].saturating_record(ended.since(began).0.max(1));
        }
        if let Some(stamps) = &mut self.stamps {
            stamps.add(family, began, ended);
        }
    }

    /// Whether a histogram has the latency of what began then: always, but for what began outside the windows of turns.
    #[inline]
    pub fn measures(&self, began: Nanos) -> bool {
        self.window.contains(began) || self.began_earlier(began)
    }

    /// Keeps the stamps of that many operations, which the calling thread drives.
    pub(crate) fn keep_stamps(&mut self, kept_max: usize) {
        self.stamps = Some(Box::new(StampLog::of_this_thread(self.families.len(), kept_max)));
    }

    /// What the machine's clock had when the workload's time was zero.
    pub(crate) fn set_zero(&mut self, zero: Nanos) {
        if let Some(stamps) = &mut self.stamps {
            stamps.zero = zero;
        }
    }

    #[inline]
    fn began_earlier(&self, began: Nanos) -> bool {
        // Windows follow each other: the last one that had begun by then decides. An operation of the settle finds it
        // at once.
        let had_begun = self.earlier.iter().rev().find(|window| window.from <= began);
        began < self.window.from && had_begun.is_some_and(|window| began < window.to)
    }

    /// Whether what ends now is measured: always, but for what ends outside the windows of turns.
    #[inline]
    pub fn counts(&self, ended: Nanos) -> bool {
        self.window.contains(ended)
    }

    /// Measures in this window from now on.
    pub(crate) fn open(&mut self, window: Window) {
        if self.window != Window::ALL {
            self.measured_before = self.measured_before + self.window.to.since(self.window.from);
            self.earlier.push(self.window);
        }
        self.window = window;
    }

    /// Closes every interval that ended before `now`, counted in measured time.
    #[inline]
    pub(crate) fn tick(&mut self, now: Nanos) {
        let measured = self.measured_before + self.window.overlap(Nanos::ZERO, now);
        while measured >= self.interval_ends {
            self.close_interval();
        }
    }

    fn close_interval(&mut self) {
        if self.series.first().is_some_and(|series| series.len() == INTERVALS_MAX) {
            for series in &mut self.series {
                for pair in 0..INTERVALS_MAX / 2 {
                    series[pair] = series[2 * pair] + series[2 * pair + 1];
                }
                series.truncate(INTERVALS_MAX / 2);
            }
            self.interval = self.interval + self.interval;
            // The interval that was under way has only half its new length yet: let it run on.
            self.interval_ends = Nanos(self.interval.0 * (INTERVALS_MAX as u64 / 2 + 1));
            return;
        }
        for (series, tally) in self.series.iter_mut().zip(&mut self.tallies) {
            series.push(std::mem::take(&mut tally.in_interval));
        }
        self.interval_ends = self.interval_ends + self.interval;
    }

    /// The families, in index order.
    pub fn families(&self) -> &'static [&'static str] {
        self.families
    }

    /// The histogram of a family by name, in nanoseconds.
    pub fn histogram(&self, family: &str) -> Option<&Histogram<u64>> {
        let index = self.families.iter().position(|name| *name == family)?;
        self.histograms.get(index)
    }

    /// Latencies of a family that ended inside a window: what a rate counts. Without turns, all.
    pub fn completed(&self, family: &str) -> u64 {
        self.tally(family).completed
    }

    /// All latencies of a family, also of operations outside the windows: what the kernel's counters are divided by.
    pub fn performed(&self, family: &str) -> u64 {
        self.tally(family).performed
    }

    fn tally(&self, family: &str) -> Tally {
        let index = self.families.iter().position(|name| *name == family);
        index.and_then(|index| self.tallies.get(index)).copied().unwrap_or_default()
    }

    /// Adds what a team mate recorded over the same time.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.tallies.iter_mut().zip(&other.tallies) {
            mine.performed += theirs.performed;
            mine.completed += theirs.completed;
        }
        for (mine, theirs) in self.histograms.iter_mut().zip(&other.histograms) {
            mine.add(theirs).expect("every recorder has the same bounds");
        }
        if let (Some(mine), Some(theirs)) = (&mut self.stamps, &other.stamps) {
            mine.merge(theirs);
        }
        // Team mates start and stop together; if one doubled its interval first, its series are left out.
        if self.interval == other.interval {
            for (mine, theirs) in self.series.iter_mut().zip(&other.series) {
                mine.resize(mine.len().max(theirs.len()), 0);
                for (sum, count) in mine.iter_mut().zip(theirs) {
                    *sum += count;
                }
            }
        }
    }

    /// The histograms and the complete intervals of the series, for the record's sidecar.
    pub fn sidecar(&self) -> Result<Sidecar, SidecarError> {
        let mut sidecar = Sidecar { interval_s: self.interval.seconds(), ..Sidecar::default() };
        sidecar.stamps =
            self.stamps.as_ref().map(|stamps| stamps.by_family(self.families)).unwrap_or_default();
        for ((family, histogram), series) in self.families.iter().zip(&self.histograms).zip(&self.series) {
            if !histogram.is_empty() {
                sidecar.insert(family, histogram)?;
                sidecar.series.insert((*family).to_owned(), series.clone());
            }
        }
        Ok(sidecar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAMILIES: &[&str] = &["read_latency"];

    #[test]
    fn a_full_series_doubles_its_interval_and_loses_nothing() {
        let mut recorder = Recorder::new(FAMILIES);
        let intervals = 3 * INTERVALS_MAX as u64;
        for interval in 0..intervals {
            recorder.latency(0, Nanos::ZERO, Nanos(1000));
            recorder.tick(Nanos(INTERVAL.0 * (interval + 1)));
        }
        let sidecar = recorder.sidecar().unwrap();
        assert!((sidecar.interval_s - 0.4).abs() < 1e-9);
        let series = &sidecar.series["read_latency"];
        assert_eq!(series.iter().sum::<u64>() + recorder.tallies[0].in_interval, intervals);
        assert!(series.iter().all(|count| *count == 4));
    }

    #[test]
    fn merging_adds_counts_interval_by_interval() {
        let (mut one, mut other) = (Recorder::new(FAMILIES), Recorder::new(FAMILIES));
        one.latency(0, Nanos::ZERO, Nanos(5));
        one.tick(INTERVAL);
        other.latency(0, Nanos::ZERO, Nanos(7));
        other.tick(INTERVAL);
        other.latency(0, Nanos::ZERO, Nanos(7));
        other.tick(INTERVAL + INTERVAL);
        one.merge(&other);
        assert_eq!(one.sidecar().unwrap().series["read_latency"], [2, 1]);
        assert_eq!(one.histogram("read_latency").unwrap().len(), 3);
    }
}
