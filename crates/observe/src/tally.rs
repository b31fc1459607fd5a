//! Figures of a class of operations, or of a device's requests, as they come.

use crate::gauge::Gauge;
use crate::observation::{Latency, LatencyBin, SizeFigures};
use crate::order::Order;
use crate::sizes::Sizes;
use crate::windows::{Counted, Seen, Times};
use hdrhistogram::Histogram;
use std::collections::BTreeMap;

/// An hour.
const LATENCY_NS_MAX: u64 = 3_600_000_000_000;
/// Bins in a result, for each factor of ten.
const BINS_PER_DECADE: f64 = 10.0;
/// Sizes in a result.
const SIZES_SHOWN_MAX: usize = 8;

/// Latencies in nanoseconds.
#[derive(Debug)]
pub(crate) struct Latencies {
    histogram: Histogram<u64>,
    sum_ns: u128,
}

impl Default for Latencies {
    fn default() -> Self {
        const DIGITS: u8 = 3;
        let histogram = Histogram::new_with_bounds(1, LATENCY_NS_MAX, DIGITS);
        Self { histogram: histogram.expect("constant bounds that the library takes"), sum_ns: 0 }
    }
}

impl Latencies {
    pub(crate) fn add(&mut self, latency_ns: u64) {
        self.histogram.saturating_record(latency_ns.max(1));
        self.sum_ns += u128::from(latency_ns);
    }

    /// `None` without operations.
    pub(crate) fn figures(&self) -> Option<Latency> {
        /// Operations beyond a percentile that make it worth a figure.
        const BEYOND_MIN: f64 = 10.0;
        let operations = self.histogram.len();
        if operations == 0 {
            return None;
        }
        let percentile = |share: f64| {
            let has_enough = operations as f64 * (1.0 - share) >= BEYOND_MIN;
            has_enough.then(|| self.histogram.value_at_quantile(share) as f64 / 1000.0)
        };
        Some(Latency {
            mean_us: self.sum_ns as f64 / operations as f64 / 1000.0,
            p50_us: percentile(0.5),
            p99_us: percentile(0.99),
            max_us: self.histogram.max() as f64 / 1000.0,
        })
    }

    /// How many operations took how long.
    pub(crate) fn bins(&self) -> Vec<LatencyBin> {
        let mut bins: BTreeMap<i32, u64> = BTreeMap::new();
        for value in self.histogram.iter_recorded() {
            let us = value.value_iterated_to() as f64 / 1000.0;
            *bins.entry((us.log10() * BINS_PER_DECADE).floor() as i32).or_default() += value.count_at_value();
        }
        let bound = |bin: i32| 10_f64.powf(f64::from(bin) / BINS_PER_DECADE);
        let bin = |(bin, operations)| LatencyBin { from_us: bound(bin), to_us: bound(bin + 1), operations };
        bins.into_iter().map(bin).collect()
    }
}

/// What is counted of each kind.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) operations: Counted,
    pub(crate) bytes: Counted,
    pub(crate) failed: u64,
    pub(crate) latencies: Latencies,
    latency_ns: Counted,
    reported: Gauge,
    in_windows: Gauge,
    sizes: Sizes,
    sequential: u64,
    elsewhere: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, seen: Seen, bytes: u64, order: Order, latency_ns: u64) {
        self.operations.add(seen, 1);
        self.bytes.add(seen, bytes);
        self.latency_ns.add(seen, latency_ns);
        self.sizes.add(bytes);
        self.latencies.add(latency_ns);
        match order {
            Order::Sequential => self.sequential += 1,
            Order::Elsewhere => self.elsewhere += 1,
            Order::First => {}
        }
    }

    /// Those in flight that are seen this way.
    pub(crate) const fn gauge(&mut self, seen: Seen) -> &mut Gauge {
        match seen {
            Seen::Always => &mut self.reported,
            Seen::InWindows => &mut self.in_windows,
        }
    }

    /// The number in flight now.
    pub(crate) const fn in_flight(&self) -> u64 {
        self.reported.level() + self.in_windows.level()
    }

    /// The largest number in flight.
    pub(crate) fn depth_max(&self) -> u64 {
        self.reported.max().max(self.in_windows.max())
    }

    /// The mean over time of the number in flight, and the share of the time in which it was above 0.
    pub(crate) fn depth(&self, until_ns: u64, times: Times) -> (f64, f64) {
        let (reported, busy) = self.reported.over(until_ns, times.of(Seen::Always));
        let (in_windows, busy_in_windows) = self.in_windows.over(until_ns, times.of(Seen::InWindows));
        (reported + in_windows, (busy + busy_in_windows).min(1.0))
    }

    /// The share of those that have one before them.
    pub(crate) fn sequential_share(&self) -> Option<f64> {
        let known = self.sequential + self.elsewhere;
        (known > 0).then(|| self.sequential as f64 / known as f64)
    }

    pub(crate) fn sizes(&self) -> Vec<SizeFigures> {
        let sizes = self.sizes.most_frequent(SIZES_SHOWN_MAX).into_iter();
        sizes.map(|(bytes, share)| SizeFigures { bytes, share }).collect()
    }

    /// Operations in flight on average by Little's law: rate × mean latency.
    pub(crate) fn depth_by_littles_law(&self, times: Times) -> f64 {
        self.latency_ns.per_s(times) / 1e9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_needs_operations_beyond_it() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.figures().map(|of| of.mean_us), None);
        for _ in 0..20 {
            latencies.add(2000);
        }
        let of = latencies.figures().unwrap();
        assert_eq!((of.p99_us, of.mean_us), (None, 2.0));
        assert!(of.p50_us.is_some_and(|p50| (p50 - 2.0).abs() < 0.01), "{of:?}");
    }

    #[test]
    fn every_latency_is_in_its_bin() {
        let mut latencies = Latencies::default();
        for (latency_ns, operations) in [(1_000_000, 3), (1_200_000, 2), (55_000_000, 1)] {
            (0..operations).for_each(|_| latencies.add(latency_ns));
        }
        let bins = latencies.bins();
        assert_eq!(bins.iter().map(|bin| bin.operations).collect::<Vec<_>>(), [5, 1]);
        let is_in = |bin: &LatencyBin, us: f64| bin.from_us <= us * 1.001 && us < bin.to_us;
        assert!(is_in(&bins[0], 1000.0) && is_in(&bins[0], 1200.0) && is_in(&bins[1], 55_000.0), "{bins:?}");
        assert!(Latencies::default().bins().is_empty());
    }

    #[test]
    fn the_first_operation_is_neither_sequential_nor_not() {
        let mut tally = Tally::default();
        let mut add = |order| {
            tally.add(Seen::InWindows, 1, order, 1);
            tally.sequential_share()
        };
        assert_eq!(add(Order::First), None);
        add(Order::Sequential);
        assert_eq!(add(Order::Elsewhere), Some(0.5));
    }
}
