//! Numbers as people print them: `14,334`, `783k`, `~281`, `123 ±2`, `1.2 GiB/s`, `14.334,5`.
//!
//! Whether a comma separates decimals or groups digits is decided for a whole column, and where the column does not
//! show it by the other columns of the table ([`Decimal::of_column`]). If nothing shows it, a number such as `14,334`
//! is refused.

mod decimal;
mod digits;
#[cfg(test)]
mod tests;

pub(crate) use decimal::{Decimal, Shown};

use crate::unit::{Dimension, Unit};
use digits::{plain, split};
use laws::Figure;
use model::excerpt;

/// A number with its spread and its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Quantity {
    pub(crate) printed: Figure,
    /// What stands behind `±`, in the number's unit.
    pub(crate) spread: Option<Figure>,
    pub(crate) unit: Option<Unit>,
}

/// Signs of a number that was estimated.
const ABOUT: &[char] = &['~', '≈', '∼'];
const PLUS_MINUS: &[&str] = &["±", "+/-", "+-"];
/// Factors that people write behind a figure, as fio does; 万 is ten thousand.
const SUFFIXES: &[(char, f64)] = &[('k', 1e3), ('K', 1e3), ('M', 1e6), ('G', 1e9), ('万', 1e4)];
/// Digits that every figure is taken to have: `3500` may be `3.5k` in other words, and hardly `4k`.
const DIGITS_MIN: i32 = 2;

/// Reads the ends of an interval: `[1.130, 1.174]`, `16 to 20`, `16–20`; in the order of the text.
pub(crate) fn interval(cell: &str, decimal: Option<Decimal>) -> Option<(Figure, Figure)> {
    let inner = cell.trim().trim_matches(['[', ']', '(', ')']);
    let (low, high) =
        [", ", "; ", "–", " to ", " - ", ","].iter().find_map(|between| inner.split_once(between))?;
    let end = |text: &str| quantity(text, decimal).ok().map(|found| found.printed);
    Some((end(low)?, end(high)?))
}

/// Reads a number, with the factor or the unit behind it and the spread behind `±`.
///
/// # Errors
/// A sentence: what it is instead.
pub(crate) fn quantity(cell: &str, decimal: Option<Decimal>) -> Result<Quantity, String> {
    let not_a_number = || format!("\"{}\" is not a number", excerpt(cell));
    let text = cell.trim().trim_start_matches(ABOUT).trim();
    let text = text.strip_prefix("avg=").map_or(text, str::trim);
    let plus_minus = PLUS_MINUS.iter().find_map(|sign| text.split_once(sign));
    let (text, spread) = match plus_minus {
        Some((text, spread)) => (text.trim_end_matches(['(', ' ']), Some(spread.trim_matches([')', ' ']))),
        None => (text, None),
    };
    let (printed, unit) = one(cell, text, decimal)?.ok_or_else(not_a_number)?;
    if printed.value < 0.0 {
        return Err(format!("{} is negative", excerpt(cell)));
    }
    let Some(spread) = spread else { return Ok(Quantity { printed, spread: None, unit }) };
    let (mut width, own) = one(cell, spread, decimal)?.ok_or_else(not_a_number)?;
    match (own, unit) {
        (Some(own), unit) if own.dimension == Dimension::Share && unit != Some(own) => {
            width = width.scaled(own.factor * printed.value);
        }
        (Some(own), Some(unit)) => width = width.scaled(own.factor / unit.factor),
        (Some(_) | None, _) => {}
    }
    // `123 ± 2 ms`: the unit behind both is that of both.
    let unit = unit.or(own.filter(|own| own.dimension != Dimension::Share));
    Ok(Quantity { printed, spread: Some(width), unit })
}

/// A number alone; `None` for other text.
fn one(cell: &str, text: &str, decimal: Option<Decimal>) -> Result<Option<(Figure, Option<Unit>)>, String> {
    let text = without_note(text.trim());
    let (digits, rest) = split(text);
    let Some(plain) = plain(cell, digits, decimal)? else { return Ok(None) };
    let rest = rest.trim();
    let factor = SUFFIXES.iter().find_map(|(letter, factor)| Some((rest.strip_prefix(*letter)?, *factor)));
    let unit = |text: &str| if text.trim().is_empty() { Some(None) } else { Unit::parse(text).map(Some) };
    let number = |factor: f64, is_suffixed: bool| {
        let value: f64 = plain.parse().ok()?;
        let step = if is_suffixed { last_digit(&plain) } else { step(&plain) };
        Some(Figure { value: value * factor, uncertainty: step * factor })
    };
    let found = match (unit(rest), factor) {
        (Some(unit), _) => number(1.0, unit.is_some()).map(|printed| (printed, unit)),
        (None, Some((rest, factor))) => match unit(rest) {
            Some(unit) => number(factor, true).map(|printed| (printed, unit)),
            None => None,
        },
        (None, None) => None,
    };
    match found {
        Some((printed, _)) if !printed.value.is_finite() => {
            Err(format!("\"{}\" is not finite", excerpt(cell)))
        }
        found => Ok(found),
    }
}

/// `0.72x (28% slower)`: brackets behind a figure are a remark about it.
fn without_note(text: &str) -> &str {
    match text.find(" (") {
        Some(begin) if text.ends_with(')') && begin > 0 => text[..begin].trim_end(),
        _ => text,
    }
}

/// The step of the last printed digit that means something; 0 for scientific notation, which is printed by programs in
/// full. Zeros at the end of a whole number may come from rounding.
fn step(number: &str) -> f64 {
    if number.contains(['e', 'E', '.']) {
        return last_digit(number);
    }
    let zeros = number.len() - number.trim_end_matches('0').len();
    let digits = number.trim_start_matches('0').len();
    10f64.powi((zeros.min(300) as i32).min(digits.min(300) as i32 - DIGITS_MIN).max(0))
}

fn last_digit(number: &str) -> f64 {
    if number.contains(['e', 'E']) {
        return 0.0;
    }
    let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    10f64.powi(-(decimals.min(300) as i32))
}
