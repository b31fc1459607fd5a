//! Which quantiles of operation latencies a trial may report.

/// Operations that must lie beyond a reported quantile.
pub const OPERATIONS_BEYOND: f64 = 10.0;

/// Operations needed to report quantile `q`: 10/(1 − q), so that ten are expected beyond it. `None` unless `0 <= q <
/// 1`.
///
/// With ten beyond, the count there varies by about ±1/√10 = 32 %; with one, a p99.9 is just the largest value seen.
pub fn operations_needed(q: f64) -> Option<u64> {
    // 1 − q is not exact in binary (1 − 0.99 = 0.01000…009): without the slack p99 would need 1001 or 999 at random.
    (0.0..1.0).contains(&q).then(|| (OPERATIONS_BEYOND / (1.0 - q) * (1.0 - 1e-9)).ceil() as u64)
}

/// Whether quantile `q` may be reported from `operations` latencies.
pub fn reportable(q: f64, operations: u64) -> bool {
    operations_needed(q).is_some_and(|needed| operations >= needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_operations_lie_beyond() {
        for (q, needed) in [(0.5, 20), (0.9, 100), (0.99, 1_000), (0.999, 10_000), (0.9999, 100_000)] {
            assert_eq!(operations_needed(q), Some(needed));
            assert!(reportable(q, needed) && !reportable(q, needed - 1));
        }
    }

    #[test]
    fn what_is_no_quantile_is_not_reportable() {
        for q in [1.0, 1.5, -0.1, f64::NAN] {
            assert!(!reportable(q, u64::MAX));
        }
    }
}
