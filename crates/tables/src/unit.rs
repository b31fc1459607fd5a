//! Units as people write them behind a number or into a header: `ms`, `µs/op`, `GiB/s`, `kops/s`, `IOPS`, `%`.

use crate::language::english;

/// What a unit is of, and what [`Unit::factor`] leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dimension {
    /// Nanoseconds, also of one operation (`µs/op`).
    Time,
    /// Bytes.
    Bytes,
    /// Bytes per second.
    Bandwidth,
    /// Operations per second.
    Rate,
    /// Percent, or a ratio.
    Share,
}

impl Dimension {
    /// With its article, for a message.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Time => "a time",
            Self::Bytes => "a size",
            Self::Bandwidth => "a bandwidth",
            Self::Rate => "a rate",
            Self::Share => "a share",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    pub(crate) dimension: Dimension,
    /// What a number of it is multiplied by.
    pub(crate) factor: f64,
    /// Whether it is a time of one operation: `µs/op`.
    pub(crate) is_each: bool,
}

/// Times, ns.
const TIMES: &[(&[&str], f64)] = &[
    (&["ns", "nsec", "nsecs", "nanos", "nanosecond", "nanoseconds"], 1.0),
    (&["us", "usec", "usecs", "micros", "microsecond", "microseconds"], 1e3),
    (&["ms", "msec", "msecs", "millis", "millisecond", "milliseconds"], 1e6),
    (&["s", "sec", "secs", "second", "seconds"], 1e9),
    (&["min", "mins", "minute", "minutes"], 60e9),
];
/// Bytes. `MB` is 10⁶ of them here: where a program means MiB by it, its reader knows, and elsewhere the check
/// `bandwidth` finds out.
const SIZES: &[(&[&str], f64)] = &[
    (&["b", "byte", "bytes"], 1.0),
    (&["kb", "kilobytes"], 1e3),
    (&["mb", "megabytes"], 1e6),
    (&["gb", "gigabytes"], 1e9),
    (&["tb", "terabytes"], 1e12),
    (&["ki", "kib"], 1024.0),
    (&["mi", "mib"], 1_048_576.0),
    (&["gi", "gib"], 1_073_741_824.0),
    (&["ti", "tib"], 1_099_511_627_776.0),
];
/// Bits, in bytes; their letter is small where that of bytes is large.
const BITS: &[(&[&str], f64)] =
    &[(&["Kb", "kb", "kbit", "Kbit"], 1e3 / 8.0), (&["Mb", "Mbit"], 1e6 / 8.0), (&["Gb", "Gbit"], 1e9 / 8.0)];
/// Rates in one word.
const RATES: &[(&[&str], f64)] = &[
    (&["iops", "tps", "qps", "rps", "ops", "eps"], 1.0),
    (&["kiops", "ktps", "kqps", "kops"], 1e3),
    (&["miops", "mops"], 1e6),
];
/// What is counted by the thousand or the million, behind that letter: `kreq/s`.
const COUNTED: &[&str] = &[
    "", "op", "ops", "io", "ios", "req", "reqs", "requests", "tx", "txn", "txns", "queries", "reads",
    "writes", "rows", "keys",
];
/// What stands behind the slash of a rate, and how many of it a second has.
const SECONDS: &[(&[&str], f64)] = &[
    (&["s", "sec", "second"], 1.0),
    (&["ms", "msec", "millisecond"], 1e3),
    (&["us", "usec", "microsecond"], 1e6),
    (&["ns", "nsec", "nanosecond"], 1e9),
];

fn among(list: &[(&[&str], f64)], name: &str) -> Option<f64> {
    list.iter().find(|(names, _)| names.contains(&name)).map(|(_, factor)| *factor)
}

impl Unit {
    const fn new(dimension: Dimension, factor: f64) -> Self {
        Self { dimension, factor, is_each: false }
    }

    /// Reads a unit; `None` for any other text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text =
            english(text.trim()).trim_end_matches('.').replace(['µ', 'μ'], "u").replace(" Per ", " per ");
        let plain = text.to_ascii_lowercase();
        if matches!(plain.as_str(), "%" | "x" | "×" | "percent") {
            return Some(Self::new(Dimension::Share, if plain == "%" { 0.01 } else { 1.0 }));
        }
        if let Some(factor) = among(TIMES, &plain) {
            return Some(Self::new(Dimension::Time, factor));
        }
        if let Some(factor) = among(RATES, &plain) {
            return Some(Self::new(Dimension::Rate, factor));
        }
        if let Some(factor) = among(SIZES, &plain) {
            return Some(Self::new(Dimension::Bytes, factor));
        }
        Self::quotient(&text, &plain)
    }

    /// `GiB/s`, `MBps`, `ops per second`, `µs/op`.
    fn quotient(text: &str, plain: &str) -> Option<Self> {
        let slash = |text: &str| {
            let (above, below) = text.split_once('/').or_else(|| text.split_once(" per "))?;
            Some((above.trim().to_owned(), below.trim().to_ascii_lowercase()))
        };
        let bytes = |name: &str| {
            among(BITS, name).filter(|_| name != "kb").or_else(|| among(SIZES, &name.to_ascii_lowercase()))
        };
        let Some((above, below)) = slash(text) else {
            let factor = text.strip_suffix("ps").and_then(bytes)?;
            return (plain != "ps").then_some(Self::new(Dimension::Bandwidth, factor));
        };
        if let Some(each_second) = among(SECONDS, &below) {
            if let Some(factor) = bytes(&above) {
                return Some(Self::new(Dimension::Bandwidth, factor * each_second));
            }
            let lower = above.to_ascii_lowercase();
            let is_word = lower.chars().all(|letter| letter.is_ascii_alphabetic() || letter == ' ');
            let thousands = |letter, factor| {
                lower.strip_prefix(letter).filter(|rest| COUNTED.contains(&rest.trim())).map(|_| factor)
            };
            let factor = thousands('k', 1e3).or_else(|| thousands('m', 1e6)).unwrap_or(1.0);
            return is_word.then_some(Self::new(Dimension::Rate, factor * each_second));
        }
        let is_word = !below.is_empty() && below.chars().all(|letter| letter.is_ascii_alphabetic());
        let factor = among(TIMES, &above.to_ascii_lowercase()).filter(|_| is_word)?;
        Some(Self { is_each: true, ..Self::new(Dimension::Time, factor) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_as_they_are_written() {
        for (text, dimension, factor) in [
            ("ms", Dimension::Time, 1e6),
            ("µs", Dimension::Time, 1e3),
            ("μs/page", Dimension::Time, 1e3),
            ("micros/op", Dimension::Time, 1e3),
            ("GiB/s", Dimension::Bandwidth, 1_073_741_824.0),
            ("MB/sec", Dimension::Bandwidth, 1e6),
            ("MBps", Dimension::Bandwidth, 1e6),
            ("Mb/s", Dimension::Bandwidth, 125e3),
            ("mb/s", Dimension::Bandwidth, 1e6),
            ("IOPS", Dimension::Rate, 1.0),
            ("ops/s", Dimension::Rate, 1.0),
            ("Operations/sec", Dimension::Rate, 1.0),
            ("requests per second", Dimension::Rate, 1.0),
            ("kops/s", Dimension::Rate, 1e3),
            ("/s", Dimension::Rate, 1.0),
            ("ops/ms", Dimension::Rate, 1e3),
            ("k/s", Dimension::Rate, 1e3),
            ("Mreq/s", Dimension::Rate, 1e6),
            ("KiB", Dimension::Bytes, 1024.0),
            ("%", Dimension::Share, 0.01),
        ] {
            let unit = Unit::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((unit.dimension, unit.factor), (dimension, factor), "{text}");
        }
        for text in ["", "apples", "ps", "reads", "ms/", "5/s", "steps"] {
            assert_eq!(Unit::parse(text), None, "{text}");
        }
    }
}
