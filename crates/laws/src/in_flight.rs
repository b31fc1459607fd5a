//! Operations in flight by Little's law, for the laws that need them: rate × mean latency.

use crate::claim::{Claim, Percentile, time};
use model::units::format_significant;

/// Operations in flight that a claim's rate and latency imply.
pub(crate) struct InFlight {
    rate: f64,
    /// The mean, or its lower bound, ns.
    mean_ns: f64,
    /// Whether the mean is not published, so that its lower bound by the percentiles is used.
    pub(crate) is_bound: bool,
    /// Whether it is summed up run by run or stream by stream.
    is_accounted: bool,
    pub(crate) operations: f64,
    /// The same if each latency stands for as many operations as it may.
    operations_most: f64,
    /// How far the uncertainty of rate and latency may move it, as a share of it.
    pub(crate) rounding: f64,
}

impl InFlight {
    /// `None` if the claim does not give both.
    pub(crate) fn from_claim(claim: &Claim) -> Option<Self> {
        let rate = claim.rate().filter(|rate| rate.value > 0.0)?;
        let (mean_ns, is_bound) = match claim.latency.mean_ns {
            Some(mean) => (mean, false),
            None => (claim.latency.mean_at_least_ns()?, true),
        };
        let of_means = rate.value * mean_ns / 1e9;
        let (operations, operations_most) = claim.in_flight_accounted.unwrap_or((of_means, of_means));
        let is_accounted = claim.in_flight_accounted.is_some();
        let rounding = if is_accounted {
            claim.figure("in flight", operations).relative()
        } else {
            rate.relative() + mean_rounding(claim)
        };
        let is_finite = operations > 0.0 && operations.is_finite();
        let rate = rate.value;
        is_finite.then_some(Self {
            rate,
            mean_ns,
            is_bound,
            is_accounted,
            operations,
            operations_most,
            rounding,
        })
    }

    /// At least, within the uncertainty.
    pub(crate) fn least(&self) -> f64 {
        self.operations * (1.0 - self.rounding)
    }

    /// At most, within the uncertainty.
    pub(crate) fn most(&self) -> f64 {
        self.operations_most * (1.0 + self.rounding)
    }

    /// Whether rate and latency are one run's, both printed, and not means over several runs.
    pub(crate) const fn is_printed(&self) -> bool {
        !self.is_bound && !self.is_accounted
    }

    /// Whether it is exactly this number but for rounding.
    pub(crate) fn is_exactly(&self, number: f64) -> bool {
        (self.operations / number - 1.0).abs() <= self.rounding + EXACT_WITHIN
    }

    /// `1 129 000/s × 177 µs = 200 in flight`.
    pub(crate) fn words(&self) -> String {
        let mean = time(self.mean_ns);
        let latency = if self.is_bound {
            format!("at least {mean} (the mean that its percentiles allow)")
        } else {
            mean
        };
        let by_run = if self.is_accounted { ", run by run," } else { "" };
        let [rate, operations] = [self.rate, self.operations].map(format_significant);
        format!("{rate}/s × {latency}{by_run} = {operations} in flight")
    }

    /// `2.4`, or `2.4 to 4.8` if a latency may stand for several operations.
    pub(crate) fn span(&self) -> String {
        let [least, most] = [self.operations, self.operations_most].map(format_significant);
        if self.operations_most > self.operations * 1.001 { format!("{least} to {most}") } else { least }
    }
}

/// Arithmetic in floating point, as a share.
const EXACT_WITHIN: f64 = 1e-6;

/// How far rounding may move the mean, or the percentiles that bound it, as a share.
fn mean_rounding(claim: &Claim) -> f64 {
    if let Some(mean) = claim.latency.mean_ns {
        return claim.figure("latency mean", mean).relative();
    }
    let percentiles = claim.latency.percentiles.iter();
    let share =
        |known: &Percentile| claim.figure(&format!("latency {}", known.name()), known.value_ns).relative();
    percentiles.map(share).fold(0.0, f64::max)
}
