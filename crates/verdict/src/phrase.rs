//! How figures, levels and directions are put into words.

use model::metric::{self, Better, Unit};
use model::units::{format_bytes_approximate, format_significant};

/// What people call a metric; its name where the table does not know it.
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

/// A figure with its metric's unit.
pub fn figure(name: &str, value: f64) -> String {
    let number = format_significant(value);
    let Some(metric) = metric::find(name) else { return number };
    match metric.family.unit {
        Unit::Bytes => format_bytes_approximate(value),
        Unit::BytesPerSecond => format!("{}/s", format_bytes_approximate(value)),
        Unit::Share => percent(value),
        // Rates are titled "commits/s": the unit stands there already.
        Unit::PerSecond | Unit::Count => number,
        unit @ (Unit::Microseconds | Unit::Nanoseconds | Unit::Seconds) => {
            format!("{number} {}", unit.symbol())
        }
    }
}

/// A measured figure in as many digits as are worth saying beside its interval: 1 081 490 is 1 080 000.
pub(crate) fn three_digits(value: f64) -> f64 {
    if !(value.is_finite() && value.abs() >= 1000.0) {
        return value;
    }
    let step = 10_f64.powf(value.abs().log10().floor() - 2.0);
    (value / step).round() * step
}

/// A share of one in percent: `3.2 %`.
pub fn percent(share: f64) -> String {
    format!("{} %", format_significant(share * 100.0))
}

/// A limit of ours in percent: `5 %`.
pub(crate) fn limit(share: f64) -> String {
    let text = format!("{:.2}", share * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// An interval's level: `97.5 %`, with as many digits as it needs to be told from 100 %.
pub fn level(level: f64) -> String {
    let percent = level * 100.0;
    let decimals = if percent > 99.99 { 4 } else { 2 };
    let text = format!("{percent:.decimals$}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} %")
}

/// A ratio: `1.52×`.
pub fn ratio(ratio: f64) -> String {
    format!("{}×", format_significant(ratio))
}

/// Both bounds of an interval of ratios: `1.48–1.57`.
pub fn bounds((low, high): (f64, f64)) -> String {
    format!("{}–{}", format_significant(low), format_significant(high))
}

/// Whether a ratio is an improvement of this metric: `better`, `worse`, or nothing where the metric is not judged.
pub(crate) fn judgement(metric: &str, ratio: f64) -> Option<&'static str> {
    match better(metric) {
        Better::Neither => None,
        Better::Higher => Some(if ratio > 1.0 { "better" } else { "worse" }),
        Better::Lower => Some(if ratio < 1.0 { "better" } else { "worse" }),
    }
}

/// A count with its noun: `1 round`, `6 rounds`.
pub fn count(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_are_enough_and_small_figures_keep_theirs() {
        let told = [
            (1_081_490.0, "1\u{2009}080\u{2009}000"),
            (7_606.0, "7\u{2009}610"),
            (-1525.0, "-1\u{2009}530"),
            (48.123, "48.1"),
            (0.0, "0"),
        ];
        for (value, expected) in told {
            assert_eq!(format_significant(three_digits(value)), expected);
        }
        assert!(three_digits(f64::NAN).is_nan() && three_digits(f64::INFINITY).is_infinite());
    }

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
    fn levels_are_never_rounded_to_certainty() {
        for (value, text) in [(0.95, "95 %"), (0.975, "97.5 %"), (0.987_5, "98.75 %"), (0.999_95, "99.995 %")]
        {
            assert_eq!(level(value), text);
        }
    }

    #[test]
    fn better_and_worse_follow_the_metric() {
        assert_eq!(judgement("commits_per_s", 1.5), Some("better"));
        assert_eq!(judgement("commit_latency_p50_us", 1.5), Some("worse"));
        assert_eq!(judgement("in_flight_mean", 1.5), None);
    }
}
