//! One cell of a table: what a role takes from it, and a sentence about what does not fit.

use crate::number::{Decimal, Quantity, quantity};
use crate::unit::Dimension;
use laws::Figure;
use model::excerpt;
use model::{IoMode, units};

/// A cell, with how its column writes numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cell<'a> {
    pub(crate) text: &'a str,
    /// The mark before decimals; `None` if the table does not show it.
    pub(crate) decimal: Option<Decimal>,
}

impl<'a> Cell<'a> {
    /// What was typed, or printed by a program: decimals follow a point.
    pub(crate) const fn plain(text: &'a str) -> Self {
        Self { text, decimal: Some(Decimal::Point) }
    }

    /// Its number with the unit that it may have.
    pub(crate) fn quantity(self) -> Result<Quantity, String> {
        quantity(self.text, self.decimal)
    }

    /// Its number in the base unit of a dimension (ns, bytes per second, operations per second): by its own unit or
    /// else by that of its column.
    pub(crate) fn measure(self, dimension: Dimension, column: f64) -> Result<Figure, String> {
        let found = self.quantity()?;
        let factor = match found.unit {
            None => column,
            Some(unit) if unit.dimension == dimension => unit.factor,
            Some(_) => return Err(self.is_not(dimension.name())),
        };
        let scaled = found.printed.scaled(factor);
        if scaled.value.is_finite() { Ok(scaled) } else { Err(self.is_not("finite")) }
    }

    /// A finite number that is not negative, without a unit.
    pub(crate) fn positive(self) -> Result<f64, String> {
        let found = self.quantity()?;
        let is_plain = found.unit.is_none();
        is_plain.then_some(found.printed.value).ok_or_else(|| self.is_not("a number"))
    }

    /// A whole number that is not negative; words may follow it: `16 threads`.
    pub(crate) fn count(self) -> Result<u64, String> {
        let is_word = |word: &str| word.chars().all(char::is_alphabetic);
        let text = match self.text.split_once(' ') {
            Some((number, words)) if words.split(' ').all(is_word) => number,
            Some(_) | None => self.text,
        };
        // A count has no decimals, so its marks can only group.
        let decimal = self.decimal.or(Some(Decimal::Point));
        let number = Cell { text, decimal }.positive()?;
        let whole = number.fract() == 0.0 && number < 2f64.powi(53);
        whole.then_some(number as u64).ok_or_else(|| self.is_not("a count"))
    }

    /// A place in a ranking: `1`, `#1`, `1.`, `1st`.
    pub(crate) fn rank(self) -> Result<u64, String> {
        let digits = self.text.trim().trim_start_matches('#');
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let (digits, rest) = digits.split_at(end);
        let is_ending = matches!(rest, "" | "." | "st" | "nd" | "rd" | "th");
        digits.parse().ok().filter(|_| is_ending).ok_or_else(|| self.is_not("a rank"))
    }

    /// A size with or without a unit.
    pub(crate) fn bytes(self) -> Result<u64, String> {
        let grouped = || self.count().ok();
        units::parse_bytes(self.text)
            .or_else(grouped)
            .ok_or_else(|| format!("\"{}\" is not a size: write 4096, 4KiB or 20GiB", excerpt(self.text)))
    }

    pub(crate) fn flag(self) -> Result<bool, String> {
        match self.text.to_ascii_lowercase().as_str() {
            "0" | "false" | "no" | "off" => Ok(false),
            "1" | "true" | "yes" | "on" => Ok(true),
            _ => Err(format!("\"{}\" is neither 0 nor 1", excerpt(self.text))),
        }
    }

    /// Whether a figure is stated to be a device's.
    pub(crate) fn is_on_device(self) -> Result<bool, String> {
        match self.text.to_ascii_lowercase().as_str() {
            "device" | "disk" | "ssd" | "nvme" | "hdd" => Ok(true),
            "memory" | "ram" | "cache" => Ok(false),
            _ => Err(format!("\"{}\" is neither device nor memory", excerpt(self.text))),
        }
    }

    fn is_not(self, what: &str) -> String {
        format!("\"{}\" is not {what}", excerpt(self.text))
    }
}

/// Other names of I/O modes.
const MODES: &[(&str, &str)] = &[("o_direct", "direct"), ("odirect", "direct"), ("page cache", "buffered")];

/// An I/O mode by the names that people use.
pub(crate) fn io_mode(text: &str) -> Option<IoMode> {
    let plain = text.trim().to_ascii_lowercase().replace(" i/o", "").replace(" io", "");
    let name = MODES.iter().find(|(other, _)| *other == plain).map_or(plain.as_str(), |(_, name)| name);
    IoMode::from_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_what_its_column_holds() {
        let measure = |text, dimension| Cell::plain(text).measure(dimension, 1e3).map(|found| found.value);
        assert_eq!(measure("5", Dimension::Time), Ok(5e3), "the column's unit");
        assert_eq!(measure("5 ms", Dimension::Time), Ok(5e6), "its own");
        assert_eq!(measure("5 ms", Dimension::Rate), Err("\"5 ms\" is not a rate".to_owned()));
        assert_eq!(Cell::plain("100,000").count(), Ok(100_000));
        assert_eq!(Cell { text: "100,000", decimal: None }.count(), Ok(100_000), "no count has decimals");
        assert_eq!(Cell::plain("16 threads").count(), Ok(16));
        assert_eq!(Cell::plain("100K keys").count(), Ok(100_000));
        assert_eq!((Cell::plain("4,096").bytes(), Cell::plain("256 KiB").bytes()), (Ok(4096), Ok(256 << 10)));
    }

    #[test]
    fn cells_that_are_no_numbers_are_refused() {
        let plain = Cell::plain;
        let said = ["abc", "inf", "NaN", "-1"].map(|cell| plain(cell).positive().unwrap_err());
        insta::assert_snapshot!(said.join("\n"), @r#"
        "abc" is not a number
        "inf" is not a number
        "NaN" is not a number
        -1 is negative
        "#);
        assert!(
            plain("1.5").count().is_err()
                && plain("1e30").count().is_err()
                && plain("4x").bytes().is_err()
                && plain("2").flag().is_err()
        );
    }
}
