//! The tail of the latencies of several ranks: their histograms are added, because percentiles cannot be. Pure.

use model::sidecar::Sidecar;
use stats::quantile::reportable;
use std::collections::BTreeMap;

const QUANTILE: f64 = 0.99;

/// Operations by latency in nanoseconds.
type Histogram = BTreeMap<u64, u64>;

/// The 99th percentile in microseconds of each family of latencies, over the operations of all these sidecars. A family
/// with too few operations is absent.
pub(crate) fn p99_us<'a>(sidecars: impl IntoIterator<Item = &'a Sidecar>) -> BTreeMap<String, f64> {
    let mut added: BTreeMap<&str, Histogram> = BTreeMap::new();
    for sidecar in sidecars {
        for family in sidecar.histograms.keys() {
            // A sidecar that cannot be read lacks the family, as one without it does.
            let counts = sidecar.counts(family).ok().flatten().unwrap_or_default();
            let sum = added.entry(family).or_default();
            for (nanos, count) in counts {
                *sum.entry(nanos).or_insert(0) += count;
            }
        }
    }
    let p99_us = |(family, sum): (&str, Histogram)| Some((family.to_owned(), p99_ns(&sum)? as f64 / 1e3));
    added.into_iter().filter_map(p99_us).collect()
}

fn p99_ns(histogram: &Histogram) -> Option<u64> {
    let operations: u64 = histogram.values().sum();
    if !reportable(QUANTILE, operations) {
        return None;
    }
    let needed = (QUANTILE * operations as f64).ceil() as u64;
    let mut reached = 0;
    let found = histogram.iter().find(|(_, count)| {
        reached += **count;
        reached >= needed
    });
    found.map(|(nanos, _)| *nanos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::Histogram;

    const FAMILY: &str = "read_latency";

    fn sidecar(latencies: &[(u64, u64)]) -> Sidecar {
        let mut histogram = Histogram::<u64>::new_with_bounds(1, 60_000_000_000, 3).unwrap();
        for (nanos, count) in latencies {
            histogram.record_n(*nanos, *count).unwrap();
        }
        let mut sidecar = Sidecar::default();
        sidecar.insert(FAMILY, &histogram).unwrap();
        sidecar
    }

    /// The mean of the two percentiles would be 5,050 us.
    #[test]
    fn the_percentile_of_two_ranks_is_that_of_all_their_operations() {
        let (busy, stalled) = (sidecar(&[(100_000, 99_000)]), sidecar(&[(10_000_000, 1_000)]));
        let of = |sidecars: &[&Sidecar]| p99_us(sidecars.iter().copied())[FAMILY];
        assert!((of(&[&busy]) / 100.0 - 1.0).abs() < 0.001);
        assert!((of(&[&stalled]) / 10_000.0 - 1.0).abs() < 0.001);
        assert!((of(&[&busy, &stalled]) / 100.0 - 1.0).abs() < 0.001, "one operation of a hundred is slow");
    }

    #[test]
    fn too_few_operations_have_no_percentile() {
        assert_eq!(p99_us([&sidecar(&[(100_000, 999)])]), BTreeMap::new());
        assert_eq!(p99_us([]), BTreeMap::new());
        let both = [sidecar(&[(100_000, 999)]), sidecar(&[(100_000, 1)])];
        assert_eq!(p99_us(&both).len(), 1);
    }
}
