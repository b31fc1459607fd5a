//! An estimate as text: with its unit, and with its interval or the reason why it has none.

use crate::estimate::Estimate;
use model::figure::{exact_percent, ratio, ratios, round, round_figure, scale};
use model::metric::Unit;
use model::units::format_significant;
pub use page::Spread;

/// An interval without impossible values: nothing that is measured is negative, but a t interval of few skewed trials
/// can reach below zero.
pub fn interval(estimate: &Estimate) -> Option<(f64, f64)> {
    let (low, high) = estimate.interval?;
    Some(if is_cut(estimate) { (0.0, high) } else { (low, high) })
}

/// Whether the interval of a figure reaches below zero.
pub fn is_cut(estimate: &Estimate) -> bool {
    let reaches_below = estimate.interval.is_some_and(|(low, high)| low < 0.0 && high >= 0.0);
    reaches_below && estimate.point.is_none_or(|point| point >= 0.0)
}

/// The form that replaces ± if an interval is cut ([`is_cut`]); `None` if no interval is.
pub fn cut<'a>(mut means: impl Iterator<Item = &'a Estimate>) -> Option<&'static str> {
    let any = means.any(is_cut);
    any.then_some("the interval itself, cut at zero because no figure can be negative")
}

/// A mean and its interval, in the same decimals.
#[derive(Debug, PartialEq, Eq)]
pub struct PlusMinus {
    /// The mean, or `–` if there is no value.
    pub point: String,
    /// The interval, if there is one.
    pub spread: Option<Spread>,
    /// What the column's heading lacks: ` KiB`, ` %`, or nothing.
    pub suffix: &'static str,
}

/// Splits a symmetric interval into mean and half width: two digits of the half width, or one if two would show more
/// than three digits of the mean. An interval that is cut at zero is not symmetric.
pub fn plus_minus(estimate: &Estimate, unit: Unit) -> PlusMinus {
    let Some(point) = estimate.point else {
        return PlusMinus { point: "–".to_owned(), spread: None, suffix: "" };
    };
    let (divisor, suffix) = scale(unit, point);
    let shown = point / divisor;
    let Some((low, high)) = estimate.interval else {
        return PlusMinus { point: format_significant(shown), spread: None, suffix };
    };
    if is_cut(estimate) {
        let bounds = Spread::Bounds(format!("(0–{})", format_significant(high / divisor)));
        return PlusMinus { point: format_significant(shown), spread: Some(bounds), suffix };
    }
    let half = (high - low) / 2.0 / divisor;
    if half == 0.0 || !half.is_finite() {
        return PlusMinus {
            point: format_significant(shown),
            spread: Some(Spread::HalfWidth(format_significant(half))),
            suffix,
        };
    }
    let natural = if shown == 0.0 { 0 } else { 2 - magnitude(shown) }.max(0);
    let two_digits = (1 - magnitude(half)).max(0);
    let one_digit = (-magnitude(half)).max(0);
    let decimals = if two_digits <= natural { two_digits } else { natural.max(one_digit) };
    let half = Spread::HalfWidth(fixed(half, decimals));
    PlusMinus { point: fixed(shown, decimals), spread: Some(half), suffix }
}

/// `494 ± 39`, or `5.00 (0–13.2)`; only the mean if there is no interval.
pub fn plus_minus_text(estimate: &Estimate, unit: Unit) -> String {
    let parts = plus_minus(estimate, unit);
    match parts.spread {
        Some(Spread::HalfWidth(half)) => format!("{} ± {half}{}", parts.point, parts.suffix),
        Some(Spread::Bounds(bounds)) => format!("{} {bounds}{}", parts.point, parts.suffix),
        None => format!("{}{}", parts.point, parts.suffix),
    }
}

/// A ratio, a mean or a median with its interval, `1.06 (1.02–1.11, 95 %)`, or with the reason why there is none.
pub fn with_interval(estimate: &Estimate, unit: Unit) -> String {
    let Some(point) = estimate.point else {
        return format!("no value: {}", reason(estimate));
    };
    format!("{} ({})", round_figure(point, unit), interval_text(estimate, unit))
}

/// `455–533, 95 %`, in the unit of the point, or the reason why there is none.
pub fn interval_text(estimate: &Estimate, unit: Unit) -> String {
    let Some((low, high)) = interval(estimate) else {
        return format!("no interval: {}", reason(estimate));
    };
    let level = estimate.level.map(|level| format!(", {}", exact_percent(level))).unwrap_or_default();
    format!("{}{level}", model::figure::interval((low, high), estimate.point.unwrap_or(high), unit))
}

/// A ratio for a table: `0.43 (0.41–0.45)`; `–` if there is none.
pub fn ratio_with_bounds(estimate: &Estimate) -> String {
    let Some(point) = estimate.point else { return "–".to_owned() };
    match estimate.interval {
        Some(interval) => format!("{} ({})", round(point), ratios(interval)),
        None => round(point),
    }
}

/// `1.20×`; a dash if there is no ratio.
pub fn times(estimate: &Estimate) -> String {
    estimate.point.map_or_else(|| "–".to_owned(), ratio)
}

/// Why an estimate has no interval.
pub fn reason(estimate: &Estimate) -> &str {
    estimate.reason.as_deref().unwrap_or("not computed")
}

fn magnitude(number: f64) -> i32 {
    (number.abs().log10().floor() as i32).max(-9)
}

/// Fixed decimals with a thousands separator in the whole part.
fn fixed(number: f64, decimals: i32) -> String {
    let text = format!("{number:.*}", usize::try_from(decimals).unwrap_or(0));
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), None), |(w, f)| (w, Some(f)));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |rest| ("-", rest));
    let mut grouped = String::from(sign);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && digits.len() > 3 && (digits.len() - index).is_multiple_of(3) {
            grouped.push('\u{2009}');
        }
        grouped.push(digit);
    }
    if let Some(fraction) = fraction {
        grouped.push('.');
        grouped.push_str(fraction);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(point: f64, half: f64) -> Estimate {
        Estimate {
            point: Some(point),
            interval: Some((point - half, point + half)),
            level: Some(0.95),
            reason: None,
        }
    }

    #[test]
    fn half_width_and_mean_share_decimals() {
        for (point, half, unit, text) in [
            (494.2, 38.7, Unit::PerSecond, "494 ± 39"),
            (5996.2, 0.31, Unit::Microseconds, "5\u{2009}996.2 ± 0.3"),
            (48.13, 1.234, Unit::Microseconds, "48.1 ± 1.2"),
            (1_132_970.0, 40_704.0, Unit::PerSecond, "1\u{2009}132\u{2009}970 ± 40\u{2009}704"),
            (2.0, 0.0, Unit::Count, "2.00 ± 0"),
            (28_057.6, 1024.0, Unit::Bytes, "27.4 ± 1.0 KiB"),
            (0.731, 0.012, Unit::Share, "73.1 ± 1.2 %"),
            (3.0e9, 1.0e7, Unit::BytesPerSecond, "2\u{2009}861 ± 10 MiB/s"),
        ] {
            assert_eq!(plus_minus_text(&estimate(point, half), unit), text);
        }
    }

    /// Six trials, one of them with a stall: `5.00 ± 8.2` would mean that a latency can be negative.
    #[test]
    fn nothing_measured_is_negative() {
        for (point, half, unit, text) in [
            (5.0, 8.2, Unit::Microseconds, "5.00 (0–13.2)"),
            (2048.0, 4096.0, Unit::Bytes, "2.00 (0–6.00) KiB"),
            (0.0, 0.05, Unit::Count, "0 (0–0.0500)"),
            (8.2, 8.2, Unit::Count, "8.2 ± 8.2"),
            (-5.0, 8.2, Unit::Count, "-5.0 ± 8.2"),
        ] {
            assert_eq!(plus_minus_text(&estimate(point, half), unit), text);
        }
        assert_eq!(with_interval(&estimate(5.0, 8.2), Unit::Microseconds), "5.00 µs (0–13.2, 95 %)");
    }

    #[test]
    fn sentences_have_three_digits() {
        let found = estimate(1_081_490.0, 71_234.0);
        let text = "1\u{2009}080\u{2009}000/s (1\u{2009}010\u{2009}000–1\u{2009}150\u{2009}000, 95 %)";
        assert_eq!(with_interval(&found, Unit::PerSecond), text);
    }

    #[test]
    fn a_missing_interval_says_why() {
        let none = Estimate {
            point: Some(3.07),
            interval: None,
            level: None,
            reason: Some("n = 3, fewer than 6".to_owned()),
        };
        assert_eq!(with_interval(&none, Unit::Count), "3.07 (no interval: n = 3, fewer than 6)");
        assert_eq!(with_interval(&estimate(3.07, 0.05), Unit::Count), "3.07 (3.02–3.12, 95 %)");
    }
}
