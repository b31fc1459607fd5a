//! Latency curves: percentile against value of all trials merged, with a band by a bootstrap over trials.

use crate::latencies::{Counts, total};
use crate::verdict::CurvePoint;

/// Operations that must lie beyond a quantile for it to be drawn.
const STEPS_PER_DECADE: u32 = 10;

/// The curve of a configuration.
pub(crate) fn points(_trials: &[Counts], merged: &Counts) -> Vec<CurvePoint> {
    let quantiles = quantiles(total(merged));
    let values = at_quantiles(merged, &quantiles);
    let points = quantiles.iter().zip(values).map(|(quantile, nanos)| {
        let value_us = nanos / 1e3;
        CurvePoint { quantile: *quantile, value_us, low_us: value_us, high_us: value_us }
    });
    points.collect()
}

/// The quantiles drawn: the lower half roughly, then 1 − 10^(−k/10), as far as there are operations behind them.
fn quantiles(operations: u64) -> Vec<f64> {
    let lower = [0.01, 0.05, 0.1, 0.2, 0.3, 0.4];
    let upper = (3..=9 * STEPS_PER_DECADE)
        .map(|step| 1.0 - 10f64.powf(-f64::from(step) / f64::from(STEPS_PER_DECADE)));
    lower.into_iter().chain(upper).filter(|q| stats::quantile::reportable(*q, operations)).collect()
}

/// The latency at each of these rising quantiles, nanoseconds: the smallest that no smaller share of operations exceeds.
fn at_quantiles(counts: &Counts, quantiles: &[f64]) -> Vec<f64> {
    let operations = total(counts) as f64;
    let mut steps = counts.iter();
    let (mut below, mut value) = (0.0, 0.0);
    let at = |quantile: &f64| {
        let needed = (quantile * operations).ceil();
        while below < needed {
            let Some((nanos, count)) = steps.next() else { break };
            below += *count as f64;
            value = *nanos as f64;
        }
        value
    };
    quantiles.iter().map(at).collect()
}
