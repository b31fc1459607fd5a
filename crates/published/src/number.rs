//! Numbers as people print them: `14,334`, `783k`, `~281`, `123 ±2`, `1.2 GiB/s`, `14.334,5`.
//!
//! Whether a comma separates decimals or groups digits is decided for a whole column, and where the column does not show it by
//! the other columns of the table ([`Decimal::of_column`]). If nothing shows it, a number such as `14,334` is refused.

use crate::unit::{Dimension, Unit};
use model::excerpt;

/// A figure as it was printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Printed {
    pub(crate) value: f64,
    /// Step of its last digit that means something; 0 if it was printed in full.
    pub(crate) step: f64,
}

impl Printed {
    pub(crate) fn scaled(self, factor: f64) -> Self {
        Self { value: self.value * factor, step: self.step * factor }
    }
}

/// A number with its spread and its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Quantity {
    pub(crate) printed: Printed,
    /// What stands behind `±`, in the number's unit.
    pub(crate) spread: Option<Printed>,
    pub(crate) unit: Option<Unit>,
}

/// The mark before the decimals; the other one groups digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decimal {
    Point,
    Comma,
}

/// What the marks of some numbers show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// A number in which the point can only be decimal, or the comma only group: `2.15`, `1,234,567`.
    point: bool,
    /// The other way round: `2,15`, `1.234.567`.
    comma: bool,
    /// A number that is either: `14,334`.
    either: bool,
}

impl Shown {
    /// What the cells of a column show.
    pub(crate) fn of_cells<'a>(cells: impl Iterator<Item = &'a str>) -> Self {
        let mut shown = Self::default();
        for cell in cells {
            for digits in cell.split(|c: char| !is_digit_or_mark(c)) {
                shown.add(digits.trim_end_matches(['.', ',']));
            }
        }
        shown
    }

    fn add(&mut self, digits: &str) {
        let marks: Vec<char> = digits.chars().filter(|c| matches!(c, '.' | ',')).collect();
        let Some(last) = marks.last() else { return };
        let behind = digits.len() - digits.rfind(*last).unwrap_or(0) - 1;
        let before = digits.find(*last).unwrap_or(0);
        let is_group = |group: &str| matches!(group.len(), 2 | 3);
        let are_groups = digits.split(*last).skip(1).all(is_group) && behind == 3;
        let is_group_like = behind == 3 && (1..=3).contains(&before) && !digits.starts_with('0');
        match (marks.len(), last) {
            (1, ',') if is_group_like => self.either = true,
            // A point is taken to be decimal unless its column says otherwise.
            (1, '.') if is_group_like => {}
            (1, '.') => self.point = true,
            (1, _) => self.comma = true,
            // The last of two different marks is the decimal one; several of one kind group.
            (_, last) if marks[0] == *last => {
                self.point |= *last == ',' && are_groups;
                self.comma |= *last == '.' && are_groups;
            }
            (_, last) => {
                self.point |= *last == '.';
                self.comma |= *last == ',';
            }
        }
    }

    /// Both together.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self {
            point: self.point || other.point,
            comma: self.comma || other.comma,
            either: self.either || other.either,
        }
    }
}

impl Decimal {
    /// The decimal mark of a column, by its own numbers and then by the whole table's; `None` if a number of it may be read
    /// either way.
    pub(crate) const fn of_column(column: Shown, table: Shown) -> Option<Self> {
        match (column.point, column.comma) {
            (true, false) => Some(Self::Point),
            (false, true) => Some(Self::Comma),
            (true, true) => None,
            (false, false) if !column.either => Some(Self::Point),
            (false, false) => match (table.point, table.comma) {
                (true, false) => Some(Self::Point),
                (false, true) => Some(Self::Comma),
                (true, true) | (false, false) => None,
            },
        }
    }
}

/// Signs of a number that was estimated.
const ABOUT: &[char] = &['~', '≈', '∼'];
const PLUS_MINUS: &[&str] = &["±", "+/-", "+-"];
/// Factors that people write behind a figure, as fio does.
const SUFFIXES: &[(char, f64)] = &[('k', 1e3), ('K', 1e3), ('M', 1e6), ('G', 1e9)];
/// Digits that every figure is taken to have: `3500` may be `3.5k` in other words, and hardly `4k`.
const DIGITS_MIN: i32 = 2;

/// Reads the ends of an interval: `[1.130, 1.174]`, `16 to 20`, `16–20`; in the order of the text.
pub(crate) fn interval(cell: &str, decimal: Option<Decimal>) -> Option<(Printed, Printed)> {
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
fn one(cell: &str, text: &str, decimal: Option<Decimal>) -> Result<Option<(Printed, Option<Unit>)>, String> {
    let text = without_note(text.trim());
    let (digits, rest) = split(text);
    let Some(plain) = plain(cell, digits, decimal)? else { return Ok(None) };
    let rest = rest.trim();
    let factor = SUFFIXES.iter().find_map(|(letter, factor)| Some((rest.strip_prefix(*letter)?, *factor)));
    let unit = |text: &str| if text.trim().is_empty() { Some(None) } else { Unit::parse(text).map(Some) };
    let number = |factor: f64, is_suffixed: bool| {
        let value: f64 = plain.parse().ok()?;
        let step = if is_suffixed { last_digit(&plain) } else { step(&plain) };
        Some(Printed { value: value * factor, step: step * factor })
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

const fn is_digit_or_mark(c: char) -> bool {
    matches!(c, '0'..='9' | '.' | ',' | '\'' | '_')
}

/// The digits of a number with their marks, and what follows them.
fn split(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let mut end = usize::from(text.starts_with(['-', '+']));
    let digit = |place: usize| bytes.get(place).is_some_and(u8::is_ascii_digit);
    while end < bytes.len() {
        let is_exponent = matches!(bytes[end], b'e' | b'E')
            && digit(end.wrapping_sub(1))
            && (digit(end + 1) || matches!(bytes.get(end + 1), Some(b'-' | b'+')) && digit(end + 2));
        if is_exponent {
            end += 2;
            while digit(end) {
                end += 1;
            }
            break;
        }
        let space = spaces(&text[end..]);
        // A space groups digits before three of them.
        let groups = space > 0
            && digit(end.wrapping_sub(1))
            && (0..3).all(|place| digit(end + space + place))
            && !digit(end + space + 3);
        if groups {
            end += space;
        } else if is_digit_or_mark(char::from(bytes[end])) {
            end += 1;
        } else {
            break;
        }
    }
    text.split_at(end)
}

/// Bytes of the one space that a text begins with: also the narrow and the unbroken ones.
fn spaces(text: &str) -> usize {
    text.chars()
        .next()
        .filter(|c| matches!(c, ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}'))
        .map_or(0, char::len_utf8)
}

/// The number as Rust reads it: a point before the decimals, and nothing that groups; `None` for anything else.
fn plain(cell: &str, digits: &str, decimal: Option<Decimal>) -> Result<Option<String>, String> {
    let (digits, exponent) = match digits.find(['e', 'E']) {
        Some(place) => digits.split_at(place),
        None => (digits, ""),
    };
    let mut of_digits = Shown::default();
    of_digits.add(digits.trim_start_matches(['-', '+']));
    let decimal = match (decimal, of_digits) {
        (Some(decimal), _) => decimal,
        (None, Shown { point: true, .. }) => Decimal::Point,
        (None, Shown { comma: true, .. }) => Decimal::Comma,
        (None, Shown { either: true, .. }) => {
            let what = "has a comma that may group digits or begin decimals (say --columns decimal:point or decimal:comma)";
            return Err(format!("\"{}\" {what}", excerpt(cell)));
        }
        (None, _) => Decimal::Point,
    };
    let (mark, group) = match decimal {
        Decimal::Point => ('.', ','),
        Decimal::Comma => (',', '.'),
    };
    let (whole, decimals) =
        digits.split_once(mark).map_or((digits, None), |(whole, rest)| (whole, Some(rest)));
    let is_group = |c: char| c == group || matches!(c, '\'' | '_') || c.is_whitespace();
    let groups: Vec<&str> = whole.trim_start_matches(['-', '+']).split(is_group).collect();
    // India groups by two digits before the last three.
    let is_grouped = groups.len() == 1
        || groups
            .iter()
            .skip(1)
            .rev()
            .enumerate()
            .all(|(place, group)| group.len() == 3 || place > 0 && group.len() == 2)
            && (1..=3).contains(&groups[0].len());
    let are_decimals = decimals.is_none_or(|decimals| decimals.chars().all(|c| c.is_ascii_digit()));
    if !is_grouped || !are_decimals {
        return Ok(None);
    }
    let whole: String = whole.chars().filter(|c| !is_group(*c)).collect();
    let decimals = decimals.map(|decimals| format!(".{decimals}")).unwrap_or_default();
    let number = format!("{whole}{decimals}{exponent}");
    Ok(number.parse::<f64>().is_ok().then_some(number))
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(cell: &str) -> Quantity {
        quantity(cell, Some(Decimal::Point)).unwrap_or_else(|what| panic!("{what}"))
    }

    fn is_near(found: f64, expected: f64) -> bool {
        (found - expected).abs() <= 1e-9 * expected.abs().max(1.0)
    }

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
            ("14,300", 14_300.0, 100.0),
            ("1,133K", 1_133_000.0, 1000.0),
        ] {
            let found = read(cell).printed;
            assert!(is_near(found.value, value) && is_near(found.step, step), "{cell}: {found:?}");
        }
    }

    #[test]
    fn what_stands_beside_a_number_is_read_with_it() {
        for (cell, value, spread, dimension) in [
            ("~281", 281.0, None, None),
            ("123 ±2", 123.0, Some(2.0), None),
            ("123 (±2)", 123.0, Some(2.0), None),
            ("1,133K ±41K", 1_133_000.0, Some(41_000.0), None),
            ("12.5 ms ± 400 us", 12.5, Some(0.4), Some(Dimension::Time)),
            ("12.5 +/- 0.4 ms", 12.5, Some(0.4), Some(Dimension::Time)),
            ("200 ± 2%", 200.0, Some(4.0), None),
            ("1.2 GiB/s", 1.2, None, Some(Dimension::Bandwidth)),
            ("783k IOPS", 783_000.0, None, Some(Dimension::Rate)),
            ("305,078 ops/s", 305_078.0, None, Some(Dimension::Rate)),
            ("1 234 567", 1_234_567.0, None, None),
            ("12'345'678", 12_345_678.0, None, None),
            ("0.72x (28% slower)", 0.72, None, Some(Dimension::Share)),
            ("5.14 s", 5.14, None, Some(Dimension::Time)),
        ] {
            let found = read(cell);
            assert!(is_near(found.printed.value, value), "{cell}: {found:?}");
            assert_eq!(found.spread.is_some(), spread.is_some(), "{cell}");
            assert!(
                is_near(found.spread.map_or(0.0, |spread| spread.value), spread.unwrap_or(0.0)),
                "{cell}: {found:?}"
            );
            assert_eq!(found.unit.map(|unit| unit.dimension), dimension, "{cell}");
        }
    }

    #[test]
    fn text_is_no_number() {
        for (cell, message) in [
            ("many", "not a number"),
            ("k", "not a number"),
            ("3.5q", "not a number"),
            ("1,23,4", "not a number"),
            ("1.2.3", "not a number"),
            ("", "not a number"),
            ("-", "not a number"),
            ("1e999", "not finite"),
            ("-4", "negative"),
            ("5 apples", "not a number"),
            ("±2", "not a number"),
        ] {
            let found = quantity(cell, Some(Decimal::Point));
            assert!(found.as_ref().is_err_and(|what| what.contains(message)), "{cell}: {found:?}");
        }
    }

    #[test]
    fn an_interval_has_two_ends() {
        let ends = |cell| interval(cell, Some(Decimal::Point)).map(|(low, high)| (low.value, high.value));
        for cell in ["[1.13, 1.17]", "1.13–1.17", "1.13 to 1.17", "(1.13; 1.17)"] {
            assert_eq!(ends(cell), Some((1.13, 1.17)), "{cell}");
        }
        assert_eq!(ends("1.13"), None);
        assert_eq!(ends("many, few"), None);
    }

    /// The decimal mark of a column of these cells, in a table of these others.
    fn mark(column: &[&str], table: &[&str]) -> Option<Decimal> {
        let of = |cells: &[&str]| Shown::of_cells(cells.iter().copied());
        Decimal::of_column(of(column), of(column).and(of(table)))
    }

    #[test]
    fn a_column_shows_its_decimal_mark() {
        for (column, table, expected) in [
            (&["14,334", "2.15"][..], &[][..], Some(Decimal::Point)),
            (&["14.334,5", "281"], &[], Some(Decimal::Comma)),
            (&["14,334", "0,5"], &[], Some(Decimal::Comma)),
            (&["1,234,567", "14,334"], &[], Some(Decimal::Point)),
            (&["1.234.567", "14.334"], &[], Some(Decimal::Comma)),
            (&["14,334", "281"], &[], None),
            (&["14,334"], &["2.15 ms"], Some(Decimal::Point)),
            (&["14,334"], &["2,15 ms"], Some(Decimal::Comma)),
            (&["14,334"], &["2,15 ms", "2.15"], None),
            (&["14.334", "281"], &[], Some(Decimal::Point)),
            (&["2,15", "2.15"], &[], None),
            (&["281"], &["2,15"], Some(Decimal::Point)),
        ] {
            assert_eq!(mark(column, table), expected, "{column:?} {table:?}");
        }
        let value = |cell, decimal| quantity(cell, decimal).unwrap().printed.value;
        assert!(is_near(value("14.334,5", Some(Decimal::Comma)), 14_334.5));
        assert!(is_near(value("14.334", Some(Decimal::Comma)), 14_334.0));
        assert!(is_near(value("14,334", Some(Decimal::Comma)), 14.334));
        assert!(is_near(value("2,15", None), 2.15), "it can be nothing else");
        let refused = quantity("14,334", None).unwrap_err();
        assert!(refused.contains("decimal:point or decimal:comma"), "{refused}");
    }

    fn grouped(whole: u64, mark: char) -> String {
        let digits = whole.to_string();
        let grouped = digits.char_indices().map(|(place, digit)| {
            let is_group = place > 0 && (digits.len() - place).is_multiple_of(3);
            if is_group { format!("{mark}{digit}") } else { digit.to_string() }
        });
        grouped.collect()
    }

    proptest! {
        #[test]
        fn a_number_is_read_as_it_was_written(whole in 0..10_000_000_000_u64, decimals in 0..100_u32) {
            let expected = whole as f64 + f64::from(decimals) / 100.0;
            for (text, decimal) in [
                (format!("{whole}.{decimals:02}"), Decimal::Point),
                (format!("{},{decimals:02}", grouped(whole, '.')), Decimal::Comma),
                (format!("~{}.{decimals:02}", grouped(whole, ',')), Decimal::Point),
                (format!("{}.{decimals:02} ms", grouped(whole, '\u{202f}')), Decimal::Point),
                (format!("{}.{decimals:02}  ±0", grouped(whole, '\'')), Decimal::Point),
            ] {
                for decimal in [Some(decimal), Decimal::of_column(Shown::of_cells(std::iter::once(text.as_str())), Shown::default())] {
                    let found = quantity(&text, decimal).unwrap();
                    prop_assert!(is_near(found.printed.value, expected), "{text}: {found:?}");
                    prop_assert!(is_near(found.printed.step, 0.01), "{text}: {found:?}");
                }
            }
        }

        #[test]
        fn any_cell(text in ".{0,40}") {
            for decimal in [None, Some(Decimal::Point), Some(Decimal::Comma)] {
                match quantity(&text, decimal) {
                    Ok(found) => prop_assert!(found.printed.value.is_finite() && found.printed.value >= 0.0),
                    Err(what) => prop_assert!(!what.is_empty()),
                }
            }
        }

        #[test]
        fn any_number_like_cell(text in "[~0-9.,' kMG±%()/a-z-]{0,24}") {
            if let Ok(found) = quantity(&text, None) {
                prop_assert!(found.printed.value.is_finite());
            }
        }
    }
}
