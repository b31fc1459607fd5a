//! From a histogram to the metrics of its family: each with enough operations behind it, or with the reason why not.

use hdrhistogram::{Counter, Histogram};
use model::mechanism::Measured;
use model::metric::{STATISTICS, Statistic, statistic_name};
use std::collections::BTreeMap;

/// Metrics by full name, as a phase carries them.
pub type Metrics = BTreeMap<String, Measured<f64>>;

/// Adds every statistic of a latency family, in microseconds. A quantile with too few operations behind it is
/// unsupported; its reason gives the number of operations that it needs ([`stats::quantile`]).
pub fn insert_latency(metrics: &mut Metrics, family: &str, histogram: &Histogram<u64>) {
    for (index, (_, statistic)) in STATISTICS.iter().enumerate() {
        metrics.insert(statistic_name(family, index), latency_statistic(histogram, *statistic));
    }
}

/// Adds the same reason for every statistic of a family that was not measured.
pub fn insert_unsupported(metrics: &mut Metrics, family: &str, why: &str) {
    for index in 0..STATISTICS.len() {
        metrics.insert(statistic_name(family, index), Measured::unsupported(why));
    }
}

/// One statistic of a latency family, in microseconds, or the reason why there is none.
pub(crate) fn latency_statistic<T: Counter>(histogram: &Histogram<T>, statistic: Statistic) -> Measured<f64> {
    let operations = histogram.len();
    if operations == 0 {
        return Measured::unsupported("no operation completed");
    }
    let nanos = match statistic {
        Statistic::Mean => histogram.mean(),
        Statistic::StandardDeviation => histogram.stdev(),
        Statistic::Max => histogram.max() as f64,
        Statistic::Quantile(quantile) => {
            match stats::quantile::operations_needed(quantile) {
                Some(needed) if operations >= needed => {}
                Some(needed) => {
                    return Measured::unsupported(format!(
                        "{operations} operations; this quantile needs {needed}"
                    ));
                }
                None => return Measured::unsupported("not a quantile below 1"),
            }
            histogram.value_at_quantile(quantile) as f64
        }
    };
    Measured::Value(nanos / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_without_operations_behind_it_is_not_reported() {
        let mut histogram = Histogram::<u64>::new_with_bounds(1, 1_000_000_000, 3).unwrap();
        for nanos in 1..=1000 {
            histogram.record(nanos * 1000).unwrap();
        }
        let mut metrics = Metrics::new();
        insert_latency(&mut metrics, "sync_latency", &histogram);
        let p99 = *metrics["sync_latency_p99_us"].value().unwrap();
        assert!((p99 / 990.0 - 1.0).abs() < 0.001, "{p99}");
        assert_eq!(
            metrics["sync_latency_p99_9_us"].reason(),
            Some("1000 operations; this quantile needs 10000")
        );
    }
}
