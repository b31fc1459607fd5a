//! The beginning of a text from outside, for a message.

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
    fn a_message_holds_no_control_character_and_no_page() {
        assert_eq!(shown("a\u{1b}[31m"), "a\\u{1b}[31m");
        assert_eq!(shown(&"9".repeat(50)), format!("{}…", "9".repeat(40)));
    }
}
