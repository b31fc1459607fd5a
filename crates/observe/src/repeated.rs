//! What of an observation a study of its load measures again.

use crate::class::Class;
use crate::observation::{ClassFigures, Observation};
use std::collections::BTreeMap;

impl Observation {
    /// What was observed and is measured again, by the names of the metrics of the device workload. `has_syncs` is
    /// whether jobs of the study sync.
    pub(crate) fn repeated(&self, has_syncs: bool) -> BTreeMap<&'static str, f64> {
        let [reads, writes, syncs] = Class::ALL.map(|class| self.class(class).filter(|of| of.operations > 0));
        let p50_us = |of: Option<&ClassFigures>| of.and_then(|of| of.latency.as_ref()?.p50_us);
        let mut figures = BTreeMap::new();
        for (metric, figure) in [
            ("read_iops", reads.map(|of| of.operations_per_s)),
            ("write_iops", writes.map(|of| of.operations_per_s)),
            ("syncs_per_s", syncs.filter(|_| has_syncs).map(|of| of.operations_per_s)),
            ("bytes_per_operation", mean_bytes(reads, writes)),
            ("in_flight_mean", Some(self.classes.iter().map(|of| of.depth_by_littles_law).sum())),
            (
                if writes.is_some() { "read_latency_p50_us" } else { "completion_latency_p50_us" },
                p50_us(reads),
            ),
            // A write that is due while its job syncs waits for that, so its latency is another one.
            (
                if reads.is_some() { "write_latency_p50_us" } else { "completion_latency_p50_us" },
                p50_us(writes).filter(|_| !has_syncs),
            ),
            ("sync_latency_p50_us", p50_us(syncs).filter(|_| has_syncs)),
        ] {
            if let Some(figure) = figure.filter(|figure: &f64| figure.is_finite()) {
                figures.insert(metric, figure);
            }
        }
        figures
    }
}

/// Bytes of a read or a write, on average.
fn mean_bytes(reads: Option<&ClassFigures>, writes: Option<&ClassFigures>) -> Option<f64> {
    let both = || reads.into_iter().chain(writes);
    let operations: f64 = both().map(|of| of.operations_per_s).sum();
    (operations > 0.0).then(|| both().map(|of| of.bytes_per_s).sum::<f64>() / operations)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::observation::Latency;

    pub(crate) fn class(class: Class, per_s: f64, bytes: f64, p50_us: f64) -> ClassFigures {
        let depth = per_s * p50_us / 1e6;
        ClassFigures {
            class,
            operations: (per_s * 10.0) as u64,
            seen_share: 1.0,
            operations_per_s: per_s,
            operations_per_s_interval: None,
            bytes_per_s: per_s * bytes,
            sizes: Vec::new(),
            sequential_share: None,
            depth_by_littles_law: depth,
            depth_counted: depth,
            depth_max: 1,
            busy_share: depth,
            direct_share: 0.0,
            failed: 0,
            latency: Some(Latency { mean_us: p50_us, p50_us: Some(p50_us), p99_us: None, max_us: p50_us }),
            latency_bins: Vec::new(),
        }
    }

    #[track_caller]
    fn check(classes: Vec<ClassFigures>, has_syncs: bool, expected: &[(&str, f64)]) {
        let repeated = Observation { classes, ..Observation::default() }.repeated(has_syncs);
        let is_same = |((name, figure), (expected, of)): ((&&str, &f64), &(&str, f64))| {
            name == expected && (figure - of).abs() < 1e-9
        };
        let all = repeated.iter().zip(expected).all(is_same);
        assert!(all && repeated.len() == expected.len(), "{repeated:?}");
        assert!(repeated.keys().all(|name| model::metric::find(name).is_some()), "{repeated:?}");
    }

    #[test]
    fn a_load_with_syncs_has_no_latency_of_writes() {
        let classes = vec![
            class(Class::Read, 600.0, 4096.0, 100.0),
            class(Class::Write, 200.0, 8192.0, 5.0),
            class(Class::Sync, 200.0, 0.0, 2000.0),
        ];
        let expected = [
            ("bytes_per_operation", 5120.0),
            ("in_flight_mean", 0.461),
            ("read_iops", 600.0),
            ("read_latency_p50_us", 100.0),
            ("sync_latency_p50_us", 2000.0),
            ("syncs_per_s", 200.0),
            ("write_iops", 200.0),
        ];
        check(classes, true, &expected);
    }

    #[test]
    fn writes_alone_have_the_latency_of_all_operations() {
        let expected = [
            ("bytes_per_operation", 16384.0),
            ("completion_latency_p50_us", 40.0),
            ("in_flight_mean", 0.002),
            ("write_iops", 50.0),
        ];
        check(vec![class(Class::Write, 50.0, 16384.0, 40.0)], false, &expected);
    }
}
