//! Operations in flight by Little's law, for the checks that need them: rate × mean latency.

use crate::latency::{Percentile, time};
use crate::table::Row;
use model::units::format_significant;

/// Operations in flight that a row's rate and latency imply.
pub(super) struct InFlight {
    pub(super) rate: f64,
    /// The mean, or its lower bound, ns.
    mean_ns: f64,
    /// Whether the mean is not published, so that its lower bound by the percentiles is used.
    pub(super) is_bound: bool,
    /// Whether it is the mean over runs of each run's own number.
    is_by_run: bool,
    pub(super) operations: f64,
    /// How far rounding may move it, as a share of it.
    pub(super) rounding: f64,
}

impl InFlight {
    /// `None` if the row does not give both.
    pub(super) fn from_row(row: &Row) -> Option<Self> {
        let rate = row.operations_per_s.filter(|rate| *rate > 0.0)?;
        let (mean_ns, is_bound) = match row.latency.mean_ns {
            Some(mean) => (mean, false),
            None => (row.latency.mean_at_least_ns()?, true),
        };
        let (operations, rounding) = match row.in_flight_accounted {
            Some(accounted) => (accounted, 0.0),
            None => (rate * mean_ns / 1e9, row.rounding("iops", rate) + mean_rounding(row)),
        };
        let is_by_run = row.in_flight_accounted.is_some();
        let is_finite = operations > 0.0 && operations.is_finite();
        is_finite.then_some(Self { rate, mean_ns, is_bound, is_by_run, operations, rounding })
    }

    /// Whether rate and latency are one run's, both printed, and not means over several runs.
    pub(super) const fn is_printed(&self) -> bool {
        !self.is_bound && !self.is_by_run
    }

    /// Whether it is exactly this number but for rounding.
    pub(super) fn is_exactly(&self, number: f64) -> bool {
        (self.operations / number - 1.0).abs() <= self.rounding + EXACT_WITHIN
    }

    /// `1 129 000/s × 177 µs = 200 in flight`.
    pub(super) fn words(&self) -> String {
        let mean = time(self.mean_ns);
        let latency = if self.is_bound {
            format!("at least {mean} (the mean that its percentiles allow)")
        } else {
            mean
        };
        let by_run = if self.is_by_run { ", run by run," } else { "" };
        let [rate, operations] = [self.rate, self.operations].map(format_significant);
        format!("{rate}/s × {latency}{by_run} = {operations} in flight")
    }
}

/// Arithmetic in floating point, as a share.
const EXACT_WITHIN: f64 = 1e-6;

/// How far rounding may move the mean, or the percentiles that bound it, as a share.
fn mean_rounding(row: &Row) -> f64 {
    if let Some(mean) = row.latency.mean_ns {
        return row.rounding("latency mean", mean);
    }
    let percentiles = row.latency.percentiles.iter();
    let share = |known: &Percentile| row.rounding(&format!("latency {}", known.name()), known.value_ns);
    percentiles.map(share).fold(0.0, f64::max)
}
