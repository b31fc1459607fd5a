//! Whether two texts mean the same value.

use crate::setting::Kind;

/// Whether a value of this kind in the user's file equals the advised one.
///
/// # Errors
/// A clause that states the expected form.
pub(crate) fn is_same(kind: Kind, current: &str, advised: &str) -> Result<bool, String> {
    let no = |what: &str| format!("is {what}, not {current:?}");
    Ok(match kind {
        Kind::Flag => Some(flag(current).ok_or_else(|| no("on or off"))?) == flag(advised),
        Kind::Integer => {
            let number = integer(current).ok_or_else(|| no("a whole number"))?;
            advised.parse::<f64>() == Ok(number)
        }
        Kind::Real => {
            let number: f64 = current
                .parse()
                .ok()
                .filter(|number: &f64| number.is_finite())
                .ok_or_else(|| no("a number"))?;
            // The printed estimate has two decimals.
            advised.parse::<f64>().is_ok_and(|advised| (advised - number).abs() < 0.005)
        }
        Kind::Microseconds => {
            let microseconds = microseconds(current).ok_or_else(|| no("a time such as 50, 50us or 1ms"))?;
            self::microseconds(advised).is_some_and(|advised| (advised - microseconds).abs() < 0.5)
        }
        Kind::Name => current.eq_ignore_ascii_case(advised),
        Kind::Relative | Kind::Fitness => false,
    })
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
    let number: f64 = text.parse().ok()?;
    number.is_finite().then(|| number.round_ties_even())
}

fn microseconds(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
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
