//! Small rules of English that every sentence shares.

/// A count with its noun, and its verb: `1 question is`, `3 questions are`.
pub fn plural(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// The text with a capital at its beginning.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A clause as a sentence: it ends with one full stop, whatever it ends with.
pub fn sentence(clause: &str) -> String {
    if clause.ends_with(['.', '?', '!']) { clause.to_owned() } else { format!("{clause}.") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_a_sentence_has_one_full_stop() {
        assert_eq!(plural(1, "disk is slow", "disks are slow"), "1 disk is slow");
        assert_eq!(plural(0, "disk is slow", "disks are slow"), "0 disks are slow");
        assert_eq!((capitalised("état"), capitalised("")), ("État".to_owned(), String::new()));
        assert_eq!(
            (sentence("a limit"), sentence("a limit.")),
            ("a limit.".to_owned(), "a limit.".to_owned())
        );
    }
}
