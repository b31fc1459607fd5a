//! Numbers as they are printed, and text that is not a number.

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
        assert!(is_near(found.value, value) && is_near(found.uncertainty, step), "{cell}: {found:?}");
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
    let said = ["many", "k", "3.5q", "1,23,4", "1.2.3", "", "-", "1e999", "-4", "5 apples", "±2"]
        .map(|cell| quantity(cell, Some(Decimal::Point)).unwrap_err());
    insta::assert_snapshot!(said.join("\n"), @r#"
    "many" is not a number
    "k" is not a number
    "3.5q" is not a number
    "1,23,4" is not a number
    "1.2.3" is not a number
    "" is not a number
    "-" is not a number
    "1e999" is not finite
    -4 is negative
    "5 apples" is not a number
    "±2" is not a number
    "#);
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
    insta::assert_snapshot!(refused, @r#""14,334" has a comma that may group digits or begin decimals (state decimal:point or decimal:comma)"#);
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
                prop_assert!(is_near(found.printed.uncertainty, 0.01), "{text}: {found:?}");
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
