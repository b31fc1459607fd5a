//! The digits of a number, with the marks between them.

use super::decimal::{Decimal, is_digit_or_mark};
use model::excerpt;

/// The digits of a number with their marks, and what follows them.
pub(super) fn split(text: &str) -> (&str, &str) {
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
pub(super) fn plain(cell: &str, digits: &str, decimal: Option<Decimal>) -> Result<Option<String>, String> {
    let (digits, exponent) = match digits.find(['e', 'E']) {
        Some(place) => digits.split_at(place),
        None => (digits, ""),
    };
    let decimal = decimal.or_else(|| Decimal::of_number(digits.trim_start_matches(['-', '+'])));
    let decimal = decimal.ok_or_else(|| {
        format!(
            "\"{}\" has a comma that may group digits or begin decimals (state decimal:point or decimal:comma)",
            excerpt(cell)
        )
    })?;
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
