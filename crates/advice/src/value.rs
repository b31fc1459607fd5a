//! Whether two texts mean the same value.

use crate::setting::ValueKind;
use crate::values::Values;

/// Whether a value of this kind in the user's file equals the advised one.
///
/// # Errors
/// A clause that states the expected form.
pub(crate) fn is_same(kind: ValueKind, current: &str, advised: &str) -> Result<bool, String> {
    let no = |what: &str| format!("is {what}, not {current:?}");
    Ok(match kind {
        ValueKind::Flag => Some(flag(current).ok_or_else(|| no("on or off"))?) == flag(advised),
        ValueKind::Integer => {
            let found = integer(current).ok_or_else(|| no("a whole number"))?;
            integer(advised) == Some(found)
        }
        ValueKind::Real => {
            let found = real(current).ok_or_else(|| no("a number"))?;
            // The printed estimate has two decimals.
            real(advised).is_some_and(|advised| (advised - found).abs() < 0.005)
        }
        ValueKind::Microseconds => {
            let microseconds = microseconds(current).ok_or_else(|| no("a time such as 50, 50us or 1ms"))?;
            self::microseconds(advised).is_some_and(|advised| (advised - microseconds).abs() < 0.5)
        }
        ValueKind::Name => current.eq_ignore_ascii_case(advised),
        ValueKind::Relative | ValueKind::Fitness => false,
    })
}

/// Whether a value is one of those that a rule names.
pub(crate) fn is_among(values: Values, value: &str) -> bool {
    let is_one =
        |known: &str| value.eq_ignore_ascii_case(known) || is_same(ValueKind::Flag, value, known) == Ok(true);
    match values {
        Values::These(values) => values.iter().any(|known| is_one(known)),
        Values::AllBut(other) => !is_one(other),
    }
}

/// A value of this kind as a number: a time in microseconds; `None` if it is not a number.
pub(crate) fn number(kind: ValueKind, text: &str) -> Option<f64> {
    match kind {
        ValueKind::Integer => integer(text),
        ValueKind::Real => real(text),
        ValueKind::Microseconds => microseconds(text),
        ValueKind::Flag | ValueKind::Name | ValueKind::Relative | ValueKind::Fitness => None,
    }
}

/// The words of PostgreSQL, MySQL and RocksDB together: on, true, yes, 1 and their opposites. PostgreSQL also accepts
/// abbreviations.
fn flag(text: &str) -> Option<bool> {
    let text = text.to_ascii_lowercase();
    let begins = |word: &str, least: usize| text.len() >= least && word.starts_with(&text);
    if text == "1" || begins("on", 2) || begins("true", 1) || begins("yes", 1) {
        return Some(true);
    }
    (text == "0" || begins("off", 2) || begins("false", 1) || begins("no", 1)).then_some(false)
}

/// As PostgreSQL reads them: also hexadecimal, and fractions are rounded.
fn integer(text: &str) -> Option<f64> {
    if let Some(digits) = text.to_ascii_lowercase().strip_prefix("0x") {
        return u32::from_str_radix(digits, 16).ok().map(f64::from);
    }
    real(text).map(f64::round_ties_even)
}

fn real(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

fn microseconds(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let number = real(&text[..end])?;
    let unit = match text[end..].trim() {
        "" | "us" => 1.0,
        "ms" => 1e3,
        "s" => 1e6,
        "min" => 6e7,
        "h" => 3.6e9,
        "d" => 8.64e10,
        _ => return None,
    };
    Some(number * unit)
}
