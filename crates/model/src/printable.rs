//! Text as it may be shown: nothing in it steers a terminal, and nothing in it hides or reorders the text around it.
//!
//! Names of hosts, devices, files and studies come from outside. A control character (Unicode category Cc) can steer a
//! terminal, a bidirectional mark can show a line in another order than it has (Unicode Technical Report 36, section
//! 2.8; CVE-2021-42574), and a line or paragraph separator can break it. Each is written as its escape, such as
//! `\u{202e}`.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character is shown as it is.
pub fn is_printable(c: char) -> bool {
    !c.is_control() && !is_invisible_mark(c)
}

/// Marks that change how the text beside them is shown, and separators that browsers and some terminals break lines at.
const fn is_invisible_mark(c: char) -> bool {
    matches!(c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// One line: a line break in it is escaped too.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, is_printable)
}

/// The beginning of a text in a message: one line of at most 40 characters.
pub fn excerpt(text: &str) -> String {
    const CHARACTERS_MAX: usize = 40;
    match text.char_indices().nth(CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", printable(&text[..end])),
        None => printable(text).into_owned(),
    }
}

/// Lines: breaks between them and tabs stay.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c == '\n' || c == '\t' || is_printable(c))
}

fn escaped(text: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.chars().all(&is_kept) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_kept(c) { escaped.push(c) } else { escaped.extend(c.escape_default()) }
    }
    Cow::Owned(escaped)
}

/// JSON text in which the same characters are JSON's own escapes, such as `\u202e`: a parser reads the same value from
/// it. Between tokens JSON has no such characters but line breaks, which stay.
pub fn printable_json(text: &str) -> Cow<'_, str> {
    let is_kept = |c: char| c == '\n' || is_printable(c);
    if text.chars().all(is_kept) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_kept(c) {
            escaped.push(c);
        } else {
            // All of them lie in the basic plane, so one escape of four digits is enough. Writing to a String cannot
            // fail.
            let _ = write!(escaped, "\\u{:04x}", u32::from(c));
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every character that must reach no line.
    fn marks() -> impl Iterator<Item = char> {
        let listed = ['\u{61c}', '\u{200e}', '\u{200f}'].into_iter();
        let ranges = ('\u{0}'..='\u{1f}').chain('\u{7f}'..='\u{9f}');
        ranges.chain('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}').chain(listed)
    }

    #[test]
    fn a_message_holds_no_control_character_and_no_page() {
        assert_eq!(excerpt("a\u{1b}[31m"), "a\\u{1b}[31m");
        assert_eq!(excerpt(&"9".repeat(50)), format!("{}…", "9".repeat(40)));
        assert_eq!(excerpt(&"ä".repeat(40)), "ä".repeat(40));
    }

    #[test]
    fn a_mark_that_reorders_a_line_is_escaped() {
        for mark in marks() {
            assert!(!is_printable(mark), "{mark:?}");
            let line = format!("a{mark}b");
            assert!(printable(&line).chars().all(is_printable), "{mark:?}");
        }
        assert_eq!(printable("a\u{1b}[31m\u{202e}b\n"), "a\\u{1b}[31m\\u{202e}b\\n");
        assert_eq!(printable_lines("a\tb\r\n"), "a\tb\\r\n");
        assert!(matches!(printable("µs, Größe 日本"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn no_text_keeps_a_mark(text in any::<String>(), at in any::<prop::sample::Index>(), which in 0..80_usize) {
            let mark = marks().nth(which % marks().count()).unwrap_or('\u{202e}');
            let mut text: Vec<char> = text.chars().collect();
            text.insert(at.index(text.len() + 1), mark);
            let text: String = text.into_iter().collect();
            prop_assert!(printable(&text).chars().all(is_printable));
            prop_assert!(printable_lines(&text).chars().all(|c| c == '\n' || c == '\t' || is_printable(c)));
            let json = serde_json::to_string_pretty(&serde_json::json!({ "a": text })).unwrap();
            let shown = printable_json(&json);
            prop_assert!(shown.chars().all(|c| c == '\n' || is_printable(c)));
            let back: serde_json::Value = serde_json::from_str(&shown).unwrap();
            prop_assert_eq!(back["a"].as_str(), Some(text.as_str()));
        }
    }
}
