//! No line breaks inside a number or before its unit.

/// The units that a figure stands before, a space apart.
const UNITS: &[&str] = &["%", "µs", "ns", "KiB", "MiB", "GiB", "TiB"];

/// A space at which no line breaks.
pub(crate) const SPACE: char = '\u{a0}';

/// Replaces the space before each unit by an unbreakable one.
pub(crate) fn joined(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut words = text.split(' ');
    joined.extend(words.next());
    for word in words {
        joined.push(if UNITS.iter().any(|unit| word.starts_with(unit)) { SPACE } else { ' ' });
        joined.push_str(word);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_stay_with_their_figures() {
        assert_eq!(joined("within 5 %, of 12 µs"), "within 5\u{a0}%, of 12\u{a0}µs");
        assert_eq!(joined("64.0 GiB of  memory"), "64.0\u{a0}GiB of  memory");
        assert_eq!(joined(""), "");
    }
}
