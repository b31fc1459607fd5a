//! What a workload's metrics are computed from, beside its own counts and latencies.

use model::mechanism::{Measured, Mechanism};

/// What the kernel counted and what the instrument costs.
#[derive(Clone, Debug)]
pub struct Evidence<'a> {
    /// Mechanism counters over the phase.
    pub mechanism: &'a Mechanism,
    /// Cost of one operation on the null backend, in nanoseconds.
    pub instrument_overhead_ns: Measured<f64>,
}

/// Bytes fetched beyond the requested ones, as a share of the requested bytes, that are ignored: they are metadata.
const EXCESS_MAX: f64 = 0.01;

/// Share of the requested bytes that did not have to be fetched, 0…1: 1 − fetched ÷ requested. Operations in flight at
/// the end, `cut_off_bytes` in all, were fetched and are not counted. If even more was fetched than was requested, some
/// of it was never used, and the difference shows nothing.
pub(crate) fn hit_share(
    fetched_bytes: f64,
    asked_bytes: f64,
    cut_off_bytes: f64,
    otherwise: &str,
) -> Measured<f64> {
    match ratio(fetched_bytes, asked_bytes, otherwise) {
        Measured::Value(fetched) if fetched > 1.0 + EXCESS_MAX + cut_off_bytes / asked_bytes => {
            Measured::unsupported(format!(
                "{fetched:.2} bytes were fetched for each requested byte: the unused ones (readahead, the rest of a \
                 page) hide the page cache's share"
            ))
        }
        fetched => fetched.map(|fetched| (1.0 - fetched).max(0.0)),
    }
}

/// A quotient, or the reason why it does not exist.
pub(crate) fn ratio(numerator: f64, denominator: f64, otherwise: &str) -> Measured<f64> {
    if denominator > 0.0 {
        Measured::Value(numerator / denominator)
    } else {
        Measured::unsupported(otherwise)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_one_or_tells_why_it_is_none() {
        let share = |fetched, cut_off| hit_share(fetched, 100.0, cut_off, "nothing was requested");
        for (fetched, cut_off, expected) in
            [(0.0, 0.0, 1.0), (25.0, 0.0, 0.75), (100.0, 0.0, 0.0), (100.5, 0.0, 0.0), (132.0, 32.0, 0.0)]
        {
            let found = share(fetched, cut_off);
            assert!(
                found.value().is_some_and(|found| (found - expected).abs() < 1e-12),
                "{fetched}: {found:?}"
            );
        }
        assert!(share(153.6, 32.0).reason().is_some_and(|why| why.starts_with("1.54 bytes were fetched")));
        assert_eq!(hit_share(0.0, 0.0, 0.0, "nothing was requested").reason(), Some("nothing was requested"));
    }
}
