//! A limit on a figure itself: `commit_latency_p99 <= 10ms`.

use model::metric::{self, Unit};
use model::units;
use serde::Serialize;
use std::fmt;
use verdict::compare::metric_named;

/// Larger numbers are a mistake.
const NUMBER_MAX: f64 = 1e15;

/// The side of the value on which a figure keeps a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// `<=`.
    AtMost,
    /// `>=`.
    AtLeast,
}

/// A limit on one metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Limit {
    /// As the file has it.
    pub text: String,
    /// The full name of the metric.
    pub metric: String,
    pub side: Side,
    /// In the metric's unit.
    pub value: f64,
}

impl Limit {
    /// Reads `METRIC <= VALUE` or `METRIC >= VALUE`. The metric is one of `metrics`, which are those of `whose` (`the
    /// planned studies`), by its full name, its name without the unit, or an unambiguous beginning of it.
    ///
    /// # Errors
    /// One sentence: the error, and the nearest correct form.
    pub fn parse(text: &str, metrics: &[String], whose: &str) -> Result<Self, String> {
        let malformed = || format!("\"{text}\" is not a limit: write METRIC <= VALUE or METRIC >= VALUE");
        let at = text.find(['<', '>']).ok_or_else(malformed)?;
        let (name, rest) = text.split_at(at);
        let sides = [("<=", Side::AtMost), (">=", Side::AtLeast)];
        let side = sides.iter().find_map(|(sign, side)| Some((*side, rest.strip_prefix(sign)?)));
        let (side, number) = side.ok_or_else(malformed)?;
        let metric = metric_named(name.trim(), metrics, whose)?;
        let unit = metric::find(&metric).map_or(Unit::Count, |metric| metric.family.unit);
        let value = value(number.trim(), unit)
            .ok_or_else(|| format!("\"{text}\": a limit of {metric} is {}", example(unit)))?;
        Ok(Self { text: text.to_owned(), metric, side, value })
    }

    /// The metric's unit.
    pub fn unit(&self) -> Unit {
        metric::find(&self.metric).map_or(Unit::Count, |metric| metric.family.unit)
    }

    /// Whether it allows every value of an interval.
    pub fn is_within(&self, (low, high): (f64, f64)) -> bool {
        match self.side {
            Side::AtMost => high <= self.value,
            Side::AtLeast => low >= self.value,
        }
    }

    /// Whether it excludes every value of an interval.
    pub fn is_beyond(&self, (low, high): (f64, f64)) -> bool {
        match self.side {
            Side::AtMost => low > self.value,
            Side::AtLeast => high < self.value,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A value in a metric's unit. A time needs its unit: a bare number would be read as microseconds by one reader and as
/// seconds by another.
fn value(text: &str, unit: Unit) -> Option<f64> {
    match unit {
        Unit::PerSecond => number(text.strip_suffix("/s").unwrap_or(text)),
        Unit::Count => number(text),
        Unit::Share => match text.strip_suffix('%') {
            Some(percent) => number(percent).map(|percent| percent / 100.0),
            None => number(text),
        },
        Unit::Bytes => units::parse_bytes(text).map(|bytes| bytes as f64),
        Unit::BytesPerSecond => {
            units::parse_bytes(text.strip_suffix("/s").unwrap_or(text)).map(|bytes| bytes as f64)
        }
        Unit::Microseconds => nanos(text).map(|nanos| nanos / 1e3),
        Unit::Nanoseconds => nanos(text),
        Unit::Seconds => nanos(text).map(|nanos| nanos / 1e9),
    }
}

fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|number| is_plain && (0.0..=NUMBER_MAX).contains(number))
}

fn nanos(text: &str) -> Option<f64> {
    let has_unit = text.ends_with(|last: char| last.is_alphabetic());
    has_unit.then(|| units::parse_duration(text))?.map(|nanos| nanos.0 as f64)
}

/// What a limit of this unit looks like.
const fn example(unit: Unit) -> &'static str {
    match unit {
        Unit::PerSecond | Unit::Count => "a number, such as 500",
        Unit::Share => "a share, such as 95% or 0.95",
        Unit::Bytes => "a size, such as 64KiB",
        Unit::BytesPerSecond => "a size each second, such as 100MiB/s",
        Unit::Microseconds | Unit::Nanoseconds | Unit::Seconds => "a time with its unit, such as 10ms",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metrics() -> Vec<String> {
        ["commits_per_s", "commit_latency_p50_us", "commit_latency_p99_us", "bandwidth_bytes_per_s"]
            .map(str::to_owned)
            .into()
    }

    fn limit(text: &str) -> Result<Limit, String> {
        Limit::parse(text, &metrics(), "the planned studies")
    }

    #[test]
    fn a_limit_is_in_the_unit_of_its_metric() {
        for (text, metric, side, value) in [
            ("commit_latency_p99 <= 10ms", "commit_latency_p99_us", Side::AtMost, 10_000.0),
            ("commit_latency_p99_us<=1.5s", "commit_latency_p99_us", Side::AtMost, 1_500_000.0),
            ("commits_per_s >= 500", "commits_per_s", Side::AtLeast, 500.0),
            ("commits >= 500/s", "commits_per_s", Side::AtLeast, 500.0),
            ("bandwidth >= 100MiB/s", "bandwidth_bytes_per_s", Side::AtLeast, f64::from(100 << 20)),
        ] {
            let read = limit(text).unwrap();
            assert_eq!((read.metric.as_str(), read.side, read.value), (metric, side, value), "{text}");
        }
    }

    #[test]
    fn a_wrong_limit_is_refused_in_one_line() {
        for text in [
            "",
            "commits_per_s",
            "commits_per_s > 500",
            "commits_per_s = 500",
            "commits_per_s >= -1",
            "commits_per_s >= 1e3",
            "commits_per_s >= nan",
            "commits_per_s >= 500ms",
            "commits_per_s >= 500 <= 3",
            // 10 what?
            "commit_latency_p99 <= 10",
            "commit_latency_p99 <= 10 parsecs",
            // p50 or p99?
            "commit_latency <= 10ms",
            "comits_per_s >= 500",
            "bandwidth >= fast",
            "<= 10ms",
        ] {
            let why = limit(text).unwrap_err();
            assert!(!why.is_empty() && !why.contains('\n'), "{text}: {why}");
        }
    }

    #[test]
    fn an_interval_that_contains_the_limit_is_neither_within_nor_beyond() {
        let (most, least) = (limit("commit_latency_p99 <= 10ms").unwrap(), limit("commits >= 500").unwrap());
        for (limit, interval, within, beyond) in [
            (&most, (9_000.0, 10_000.0), true, false),
            (&most, (9_000.0, 10_000.1), false, false),
            (&most, (10_001.0, 11_000.0), false, true),
            (&least, (500.0, 600.0), true, false),
            (&least, (499.0, 600.0), false, false),
            (&least, (400.0, 499.0), false, true),
        ] {
            assert_eq!(
                (limit.is_within(interval), limit.is_beyond(interval)),
                (within, beyond),
                "{interval:?}"
            );
        }
    }
}
