//! Whether latencies lie on the teeth of a comb.

use model::sidecar::Counts;
use stats::comb::{Comb, comb};

/// Relative width of the buckets that are searched. It is coarser than the histograms' own, which makes the search many
/// times faster and still resolves the first ten teeth.
const RESOLUTION: f64 = 5e-3;

/// The comb that a merged histogram lies on, if it does.
pub(crate) fn of_latencies(merged: &Counts) -> Option<Comb> {
    comb(&buckets(merged), RESOLUTION)
}

/// Operations by latency in µs; neighbours within a bucket's width are merged at their mean.
fn buckets(counts: &Counts) -> Vec<(f64, u64)> {
    let mut buckets: Vec<(f64, u64)> = Vec::new();
    let mut starts = f64::NEG_INFINITY;
    for (nanos, operations) in counts {
        let micros = *nanos as f64 / 1e3;
        match buckets.last_mut() {
            Some((value, count)) if micros <= starts * (1.0 + RESOLUTION) => {
                let sum = count.saturating_add(*operations).max(1);
                *value += (micros - *value) * (*operations as f64 / sum as f64);
                *count = sum;
            }
            _ => {
                starts = micros;
                buckets.push((micros, *operations));
            }
        }
    }
    buckets
}
