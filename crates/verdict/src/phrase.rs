//! The words of audits and advice for metrics and directions.

pub(crate) use model::figure::exact_percent as limit;
pub use model::figure::{count, exact_percent as level, percent, ratio, ratios as bounds};
use model::metric::{self, Better};
use model::units::format_significant;

/// The title of a metric; its name if the table does not have it.
pub fn title(name: &str) -> String {
    metric::find(name).map_or_else(|| name.to_owned(), |metric| metric.title())
}

/// A rate with what it counts: `9 900 IOPS`; with its title if that says more: `9 900 gets/s (read rate of loaded
/// keys)`.
pub(crate) fn rate(name: &str, value: f64) -> String {
    let (title, value) = (title(name), format_significant(value));
    match metric::find(name).map(|metric| metric.family.counted_per_s) {
        Some(counted) if counted != title => format!("{value} {counted} ({title})"),
        Some(_) | None => format!("{value} {title}"),
    }
}

/// Which direction of a metric is an improvement.
pub fn better(name: &str) -> Better {
    metric::find(name).map_or(Better::Neither, |metric| metric.family.better)
}

/// The metric's family: `sync_latency` of `sync_latency_p50_us`.
pub(crate) fn family(name: &str) -> &str {
    metric::find(name).map_or(name, |metric| metric.family.name)
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
    fn a_rate_says_what_it_counts() {
        for (name, text) in [
            ("iops", "500 IOPS"),
            ("hit_operations_per_s", "500 gets/s (read rate of loaded keys)"),
            ("from_a_newer_version", "500 from_a_newer_version"),
        ] {
            assert_eq!(rate(name, 500.0), text);
        }
    }

    #[test]
    fn better_and_worse_follow_the_metric() {
        assert_eq!(is_better("commits_per_s", 1.5), Some(true));
        assert_eq!(is_better("commit_latency_p50_us", 1.5), Some(false));
        assert_eq!(is_better("in_flight_mean", 1.5), None);
    }
}
