//! How one cell of a table is read: strictly, with a sentence about what does not fit.

use crate::table::Direction;
use model::suggestion;
use model::units;

/// Which way the bytes of one of fio's patterns go.
pub(crate) fn direction(rw: &str) -> Result<Direction, String> {
    match rw {
        "read" | "randread" => Ok(Direction::Read),
        "write" | "randwrite" => Ok(Direction::Write),
        "rw" | "readwrite" | "randrw" => Ok(Direction::Mixed),
        other => {
            let patterns = ["read", "write", "randread", "randwrite", "rw", "randrw"];
            Err(suggestion::unknown("pattern", other, patterns))
        }
    }
}

/// A finite number that is not negative.
pub(crate) fn positive(cell: &str) -> Result<f64, String> {
    let number: f64 = cell.parse().map_err(|_| format!("\"{}\" is no number", shown(cell)))?;
    if !number.is_finite() {
        return Err(format!("\"{}\" is not finite", shown(cell)));
    }
    if number < 0.0 { Err(format!("{} is negative", shown(cell))) } else { Ok(number) }
}

/// A whole number that is not negative.
pub(crate) fn count(cell: &str) -> Result<u64, String> {
    let number = positive(cell)?;
    let whole = number.fract() == 0.0 && number < 2f64.powi(53);
    whole.then_some(number as u64).ok_or_else(|| format!("\"{}\" is no count", shown(cell)))
}

/// A size with or without a unit.
pub(crate) fn bytes(cell: &str) -> Result<u64, String> {
    units::parse_bytes(cell)
        .ok_or_else(|| format!("\"{}\" is no size: write 4096, 4KiB or 20GiB", shown(cell)))
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
    let mut text: String =
        cell.chars().take(40).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if cell.chars().nth(40).is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_that_are_no_numbers_are_refused() {
        for (cell, message) in
            [("abc", "no number"), ("inf", "not finite"), ("NaN", "not finite"), ("-1", "negative")]
        {
            assert!(positive(cell).unwrap_err().contains(message), "{cell}");
        }
        assert!(
            count("1.5").is_err() && count("1e30").is_err() && bytes("4x").is_err() && flag("2").is_err()
        );
        assert_eq!(shown("a\u{1b}[31m"), "a\u{fffd}[31m");
    }
}
