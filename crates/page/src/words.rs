//! Small rules of English that every sentence shares.

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
    fn a_sentence_has_one_full_stop() {
        assert_eq!((capitalised("état"), capitalised("")), ("État".to_owned(), String::new()));
        assert_eq!(
            (sentence("a limit"), sentence("a limit.")),
            ("a limit.".to_owned(), "a limit.".to_owned())
        );
    }
}
