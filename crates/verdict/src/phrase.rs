//! The words of audits and advice for metrics and directions.

pub(crate) use model::figure::exact_percent as limit;
pub use model::figure::{count, exact_percent as level, percent, ratio, ratios as bounds};
use model::metric::{self, Better, Unit};
use model::units::format_significant;

/// The title of a metric; its name if the table does not have it.
pub fn title(name: &str) -> String {
    metric::find(name).map_or_else(|| name.to_owned(), |metric| metric.title())
}

/// Which direction of a metric is an improvement.
pub fn better(name: &str) -> Better {
    metric::find(name).map_or(Better::Neither, |metric| metric.family.better)
}

/// The metric's family: `sync_latency` of `sync_latency_p50_us`.
pub(crate) fn family(name: &str) -> &str {
    metric::find(name).map_or(name, |metric| metric.family.name)
}

/// A figure with its metric's unit; a rate's title, such as "commits/s", contains the unit already.
pub fn figure(name: &str, value: f64) -> String {
    match metric::find(name).map_or(Unit::Count, |metric| metric.family.unit) {
        Unit::PerSecond => format_significant(value),
        unit => model::figure::figure(value, unit),
    }
}

/// Whether a ratio is an improvement of this metric; `None` if the metric is not judged.
pub(crate) fn is_better(metric: &str, ratio: f64) -> Option<bool> {
    match better(metric) {
        Better::Neither => None,
        Better::Higher => Some(ratio > 1.0),
        Better::Lower => Some(ratio < 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_carry_their_units() {
        for (name, value, text) in [
            ("commits_per_s", 1525.0, "1\u{2009}525"),
            ("commit_latency_p50_us", 98.12, "98.1 µs"),
            ("device_written_bytes_per_commit", 4096.0, "4.00 KiB"),
            ("efficiency_share", 0.731, "73.1 %"),
            ("device_flushes_per_commit", 1.0, "1.00"),
            ("from_a_newer_version", 2.5, "2.50"),
        ] {
            assert_eq!(figure(name, value), text);
        }
    }

    #[test]
    fn better_and_worse_follow_the_metric() {
        assert_eq!(is_better("commits_per_s", 1.5), Some(true));
        assert_eq!(is_better("commit_latency_p50_us", 1.5), Some(false));
        assert_eq!(is_better("in_flight_mean", 1.5), None);
    }
}
