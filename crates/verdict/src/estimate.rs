//! Estimates from the statistics crate, in the verdict's form: a point with its interval, or the reason why it has
//! none.

use serde::Serialize;
use stats::contrast::ratio_of_logs;
use stats::interval::{mean_interval, median_interval};
use stats::{Confidence, Interval, NoInterval, sample};

/// A point with its interval, or the reason why there is none.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The point; `None` if there is no value.
    pub point: Option<f64>,
    /// Lower and upper bound.
    pub interval: Option<(f64, f64)>,
    /// The interval's exact level, such as 0.969.
    pub level: Option<f64>,
    /// Why there is no interval.
    pub reason: Option<String>,
}

impl Estimate {
    /// The same ratio the other way round.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self {
            point: self.point.map(f64::recip),
            interval: self.interval.map(|(low, high)| (high.recip(), low.recip())),
            ..self.clone()
        }
    }
}

/// Level of descriptive intervals.
const LEVEL: f64 = 0.95;

/// The mean of trials with its t interval.
pub(crate) fn mean(values: &[f64]) -> Estimate {
    of_result(sample::mean(values), mean_interval(values, LEVEL))
}

/// The median of trials with its order-statistic interval.
pub(crate) fn median(values: &[f64]) -> Estimate {
    of_result(sample::median(values), median_interval(values))
}

/// How much greater the second sample's mean is than the first's, in the unit of the values.
pub(crate) fn difference(first: &[f64], second: &[f64], level: f64) -> Estimate {
    let point = sample::mean(second).zip(sample::mean(first)).map(|(second, first)| second - first);
    of_result(point, stats::unpaired::difference(first, second, level))
}

/// A descriptive ratio from natural-log ratios, one per round, if neighbouring rounds correlate by this.
pub(crate) fn ratio(logs: &[f64], correlation: f64) -> Estimate {
    let confidence = Confidence { level: LEVEL, correlation };
    of_result(ratio_point(logs), ratio_of_logs(logs, confidence).map(|ratio| ratio.interval))
}

/// The geometric mean of ratios given by their logarithms.
pub(crate) fn ratio_point(logs: &[f64]) -> Option<f64> {
    sample::mean(logs).map(f64::exp).filter(|ratio| ratio.is_finite())
}

/// An estimate with this interval.
pub(crate) fn of_interval(interval: &Interval) -> Estimate {
    Estimate {
        point: Some(interval.estimate),
        interval: Some((interval.low, interval.high)),
        level: Some(interval.level),
        reason: None,
    }
}

/// A point without an interval, and the reason.
pub(crate) fn without_interval(point: Option<f64>, why: &NoInterval) -> Estimate {
    Estimate { point, interval: None, level: None, reason: Some(why.to_string()) }
}

fn of_result(point: Option<f64>, interval: Result<Interval, NoInterval>) -> Estimate {
    match interval {
        Ok(interval) => Estimate { point, ..of_interval(&interval) },
        Err(why) => without_interval(point, &why),
    }
}

/// Positions of the values that are marked as outliers (never dropped).
pub(crate) fn outliers(values: &[f64]) -> Vec<usize> {
    let marked = stats::outlier::outliers(values).unwrap_or_default();
    marked.iter().enumerate().filter(|(_, marked)| **marked).map(|(index, _)| index).collect()
}

/// A warning if the sample's shape makes the intervals cover less than stated.
pub(crate) fn shape_warning(values: &[f64]) -> Option<String> {
    stats::shape::shape(values).ok()?.warning(values.len())
}
