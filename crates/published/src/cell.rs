//! How one cell of a table is read: strictly, with a sentence about what does not fit.

use model::units;

/// A finite number that is not negative.
pub(crate) fn positive(cell: &str) -> Result<f64, String> {
    let number: f64 = cell.parse().map_err(|_| format!("\"{}\" is not a number", shown(cell)))?;
    if !number.is_finite() {
        return Err(format!("\"{}\" is not finite", shown(cell)));
    }
    if number < 0.0 { Err(format!("{} is negative", shown(cell))) } else { Ok(number) }
}

/// A figure as it was printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Printed {
    pub(crate) value: f64,
    /// Step of its last digit that means something; 0 if it was printed in full.
    pub(crate) step: f64,
}

/// Factors that people write behind a figure, as fio does.
const SUFFIXES: &[(char, f64)] = &[('k', 1e3), ('K', 1e3), ('M', 1e6), ('G', 1e9)];
/// Digits that every figure is taken to have: `3500` may be `3.5k` in other words, and hardly `4k`.
const DIGITS_MIN: i32 = 2;

/// A figure and how far it was rounded.
pub(crate) fn printed(cell: &str) -> Result<Printed, String> {
    let suffix = SUFFIXES.iter().find_map(|(letter, factor)| Some((cell.strip_suffix(*letter)?, *factor)));
    let (digits, factor) = suffix.unwrap_or((cell, 1.0));
    let value = positive(digits).map_err(|what| {
        if suffix.is_some() { format!("\"{}\" is not a number", shown(cell)) } else { what }
    })?;
    let step = if suffix.is_some() { last_digit(digits) } else { step(digits) };
    Ok(Printed { value: value * factor, step: step * factor })
}

/// The step of the last printed digit that means something; 0 for scientific notation, which is printed by programs in
/// full. Zeros at the end of a whole number may come from rounding.
fn step(cell: &str) -> f64 {
    if cell.contains(['e', 'E', '.']) {
        return last_digit(cell);
    }
    let zeros = cell.len() - cell.trim_end_matches('0').len();
    let digits = cell.trim_start_matches('0').len();
    10f64.powi((zeros.min(300) as i32).min(digits.min(300) as i32 - DIGITS_MIN).max(0))
}

fn last_digit(cell: &str) -> f64 {
    if cell.contains(['e', 'E']) {
        return 0.0;
    }
    let decimals = cell.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    10f64.powi(-(decimals.min(300) as i32))
}

/// Whether a figure is stated to be a device's.
pub(crate) fn is_on_device(cell: &str) -> Result<bool, String> {
    match cell.to_ascii_lowercase().as_str() {
        "device" | "disk" | "ssd" | "nvme" | "hdd" => Ok(true),
        "memory" | "ram" | "cache" => Ok(false),
        _ => Err(format!("\"{}\" is neither device nor memory", shown(cell))),
    }
}

/// A whole number that is not negative.
pub(crate) fn count(cell: &str) -> Result<u64, String> {
    let number = positive(cell)?;
    let whole = number.fract() == 0.0 && number < 2f64.powi(53);
    whole.then_some(number as u64).ok_or_else(|| format!("\"{}\" is not a count", shown(cell)))
}

/// A size with or without a unit.
pub(crate) fn bytes(cell: &str) -> Result<u64, String> {
    units::parse_bytes(cell)
        .ok_or_else(|| format!("\"{}\" is not a size: write 4096, 4KiB or 20GiB", shown(cell)))
}

/// On or off.
pub(crate) fn flag(cell: &str) -> Result<bool, String> {
    match cell.to_ascii_lowercase().as_str() {
        "0" | "false" | "no" => Ok(false),
        "1" | "true" | "yes" => Ok(true),
        _ => Err(format!("\"{}\" is neither 0 nor 1", shown(cell))),
    }
}

/// The beginning of a cell, for a message: without control characters.
pub(crate) fn shown(cell: &str) -> String {
    let beginning: String = cell.chars().take(40).collect();
    let mut text = model::printable(&beginning).into_owned();
    if cell.chars().nth(40).is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rounded_figure_says_how_far_it_was_rounded() {
        for (cell, value, step) in [
            ("3.5k", 3500.0, 100.0),
            ("3500", 3500.0, 100.0),
            ("545k", 545_000.0, 1000.0),
            ("1.12M", 1_120_000.0, 10_000.0),
            ("1000", 1000.0, 100.0),
            ("7", 7.0, 1.0),
            ("0", 0.0, 1.0),
            ("14.0", 14.0, 0.1),
            ("1.5e3", 1500.0, 0.0),
        ] {
            let found = printed(cell).unwrap();
            assert!(
                (found.value - value).abs() < 1e-6 && (found.step - step).abs() < 1e-9,
                "{cell}: {found:?}"
            );
        }
        assert!(printed("k").is_err() && printed("3.5q").is_err());
    }

    #[test]
    fn cells_that_are_no_numbers_are_refused() {
        for (cell, message) in
            [("abc", "not a number"), ("inf", "not finite"), ("NaN", "not finite"), ("-1", "negative")]
        {
            assert!(positive(cell).unwrap_err().contains(message), "{cell}");
        }
        assert!(
            count("1.5").is_err() && count("1e30").is_err() && bytes("4x").is_err() && flag("2").is_err()
        );
        assert_eq!(shown("a\u{1b}[31m"), "a\\u{1b}[31m");
    }
}
