//! Figures as text. Every number that a person reads is formatted here, so that two places never round it differently.
//!
//! An interval is written `low–high` in the unit of the figure beside it. Only a signed change takes `low to high`,
//! because a dash would read as a minus.

use crate::metric::Unit;
use crate::units::{GIB, KIB, MIB, format_significant};

/// Divisor and suffix of figures around `reference`. A rate and a time have no suffix here: a heading or a title
/// carries it.
pub fn scale(unit: Unit, reference: f64) -> (f64, &'static str) {
    let largest = |sizes: &[(u64, &'static str)], smallest| {
        let fitting = sizes.iter().find(|(size, _)| reference.abs() >= *size as f64);
        fitting.map_or((1.0, smallest), |(size, suffix)| (*size as f64, *suffix))
    };
    match unit {
        Unit::Share => (0.01, " %"),
        // Nothing above MiB/s: a column of bandwidths is compared from row to row.
        Unit::BytesPerSecond => largest(&[(MIB, " MiB/s"), (KIB, " KiB/s")], " B/s"),
        Unit::Bytes => largest(&[(GIB * KIB, " TiB"), (GIB, " GiB"), (MIB, " MiB"), (KIB, " KiB")], " B"),
        Unit::PerSecond | Unit::Microseconds | Unit::Nanoseconds | Unit::Seconds | Unit::Count => (1.0, ""),
    }
}

/// What stands behind a rate and a time that no heading explains.
fn symbol(unit: Unit) -> &'static str {
    match unit {
        Unit::PerSecond => "/s",
        Unit::Microseconds => " µs",
        Unit::Nanoseconds => " ns",
        Unit::Seconds => " s",
        Unit::Bytes | Unit::BytesPerSecond | Unit::Share | Unit::Count => "",
    }
}

/// A figure with its unit: `494/s`, `1 950 µs`, `27.4 KiB`, `73.1 %`.
pub fn figure(value: f64, unit: Unit) -> String {
    let (divisor, suffix) = scale(unit, value);
    format!("{}{suffix}{}", format_significant(value / divisor), symbol(unit))
}

/// A figure with its unit in three digits, as in a sentence: `127 000/s`.
pub fn round_figure(value: f64, unit: Unit) -> String {
    let (divisor, suffix) = scale(unit, value);
    format!("{}{suffix}{}", round(value / divisor), symbol(unit))
}

/// Two figures in the unit of the larger one, which stands behind the second: `98.1` and `82.0 µs`.
pub fn round_figures(one: f64, other: f64, unit: Unit) -> (String, String) {
    let (divisor, suffix) = scale(unit, one.abs().max(other.abs()));
    (round(one / divisor), format!("{}{suffix}{}", round(other / divisor), symbol(unit)))
}

/// A time with its unit, from microseconds: `243 µs`, `12.4 ms`, `2.50 s`.
pub fn elapsed(us: f64) -> String {
    match us.abs() {
        size if size >= 1e6 => format!("{} s", round(us / 1e6)),
        size if size >= 1e3 => format!("{} ms", round(us / 1e3)),
        _ => round_figure(us, Unit::Microseconds),
    }
}

/// A change of a time, from microseconds: `+12.4 ms`, `−243 µs`.
pub fn elapsed_change(us: f64) -> String {
    let sign = if us < 0.0 { "−" } else { "+" };
    format!("{sign}{}", elapsed(us.abs()))
}

/// A number in three digits and without a unit: 1 081 490 is `1 080 000`.
pub fn round(number: f64) -> String {
    format_significant(three_digits(number))
}

/// As many digits as are worth showing beside an interval.
fn three_digits(value: f64) -> f64 {
    if !(value.is_finite() && value.abs() >= 1000.0) {
        return value;
    }
    let step = 10_f64.powf(value.abs().log10().floor() - 2.0);
    (value / step).round() * step
}

/// An interval in the unit that a figure around `reference` is shown in: `455–533`, `27.4–28.1 KiB`. A rate's `/s` and
/// a time's unit stand with the figure.
pub fn interval((low, high): (f64, f64), reference: f64, unit: Unit) -> String {
    let (divisor, suffix) = scale(unit, reference);
    format!("{}–{}{suffix}", round(low / divisor), round(high / divisor))
}

/// A measured share of one in percent: `3.20 %`.
pub fn percent(share: f64) -> String {
    format!("{} %", format_significant(share * 100.0))
}

/// A limit or a level of confidence in percent, in as many digits as it has and never rounded to certainty: `5 %`,
/// `97.5 %`, `99.995 %`.
pub fn exact_percent(share: f64) -> String {
    let percent = share * 100.0;
    let decimals = if percent > 99.99 && percent < 100.0 { 4 } else { 2 };
    let text = format!("{percent:.decimals$}");
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A ratio: `1.52×`.
pub fn ratio(ratio: f64) -> String {
    format!("{}×", round(ratio))
}

/// An interval of ratios: `1.48–1.57`.
pub fn ratios(interval: (f64, f64)) -> String {
    self::interval(interval, 1.0, Unit::Count)
}

/// A count with its noun: `1 round`, `6 rounds`.
pub fn count(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", agreeing(count, "", "s"))
}

/// A count with words that agree with it: `1 question is`, `3 questions are`.
pub fn counted(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", agreeing(count, one, more))
}

/// The words that agree with a count.
pub const fn agreeing<'a>(count: usize, one: &'a str, more: &'a str) -> &'a str {
    if count == 1 { one } else { more }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_agree_with_their_count() {
        assert_eq!((count(1, "round"), count(0, "round")), ("1 round".to_owned(), "0 rounds".to_owned()));
        assert_eq!(counted(1, "disk is slow", "disks are slow"), "1 disk is slow");
        assert_eq!(counted(2, "disk is slow", "disks are slow"), "2 disks are slow");
    }

    #[test]
    fn three_digits_are_enough_and_small_figures_keep_theirs() {
        for (value, text) in [
            (1_081_490.0, "1\u{2009}080\u{2009}000"),
            (7_606.0, "7\u{2009}610"),
            (-1525.0, "-1\u{2009}530"),
            (48.123, "48.1"),
            (0.0, "0"),
            (f64::NAN, "not finite"),
        ] {
            assert_eq!(round(value), text);
        }
    }

    #[test]
    fn times_have_the_unit_of_their_size_and_changes_a_sign() {
        assert_eq!((elapsed(243.2), elapsed(12_400.0)), ("243 µs".to_owned(), "12.4 ms".to_owned()));
        let changes = [-243.2, 0.5, -12_400.0].map(elapsed_change);
        assert_eq!(changes, ["−243 µs", "+0.500 µs", "−12.4 ms"]);
    }

    #[test]
    fn figures_carry_their_units() {
        for (value, unit, text) in [
            (494.2, Unit::PerSecond, "494/s"),
            (98.12, Unit::Microseconds, "98.1 µs"),
            (4096.0, Unit::Bytes, "4.00 KiB"),
            (3e9, Unit::BytesPerSecond, "2\u{2009}861 MiB/s"),
            (0.731, Unit::Share, "73.1 %"),
            (1.0, Unit::Count, "1.00"),
        ] {
            assert_eq!(figure(value, unit), text);
        }
        let pair = |one, other, unit| round_figures(one, other, unit);
        assert_eq!(pair(98.1, 82.0, Unit::Microseconds), ("98.1".to_owned(), "82.0 µs".to_owned()));
        assert_eq!(pair(512.0, 2048.0, Unit::Bytes), ("0.500".to_owned(), "2.00 KiB".to_owned()));
    }

    #[test]
    fn an_interval_has_one_form() {
        assert_eq!(ratios((1.1612, 1.2399)), "1.16–1.24");
        assert_eq!(interval((455.2, 532.9), 494.0, Unit::PerSecond), "455–533");
        assert_eq!(interval((0.45, 0.55), 0.5, Unit::Share), "45.0–55.0 %");
    }

    #[test]
    fn levels_are_never_rounded_to_certainty() {
        for (value, text) in [
            (0.05, "5 %"),
            (0.95, "95 %"),
            (0.975, "97.5 %"),
            (0.987_5, "98.75 %"),
            (0.999_95, "99.995 %"),
            (1.0, "100 %"),
        ] {
            assert_eq!(exact_percent(value), text);
        }
    }
}
