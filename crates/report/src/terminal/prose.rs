//! Lines of text on a terminal: wrapping, indenting, colour.

use model::printable;
use std::fmt::Write as _;

/// The meaning of a line; colour only repeats it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    /// No special meaning.
    Plain,
    /// A heading.
    Strong,
    /// A good result.
    Good,
    /// Must be read with care.
    Warn,
    /// Must not be believed.
    Bad,
    /// Secondary.
    Faint,
}

impl Tone {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Strong => "1",
            Self::Good => "32",
            Self::Warn => "33",
            Self::Bad => "31",
            Self::Faint => "2",
        }
    }
}

/// A page that grows line by line.
pub(super) struct Page {
    text: String,
    /// Columns.
    pub(super) width: usize,
    /// Whether ANSI colours are written.
    pub(super) colour: bool,
}

impl Page {
    pub(super) fn new(width: usize, colour: bool) -> Self {
        Self { text: String::new(), width, colour }
    }

    /// An empty line.
    pub(super) fn gap(&mut self) {
        self.text.push('\n');
    }

    /// A paragraph at the left margin.
    pub(super) fn line(&mut self, text: &str) {
        self.hanging(Tone::Plain, "", text, 0);
    }

    /// A heading at the left margin.
    pub(super) fn heading(&mut self, text: &str) {
        for line in wrap(&printable(text), self.width) {
            let line = self.paint(Tone::Strong, &line);
            self.push(&line);
        }
    }

    /// A paragraph with a label, at the indent of a section.
    pub(super) fn item(&mut self, tone: Tone, label: &str, text: &str) {
        self.hanging(tone, label, text, 2);
    }

    /// A paragraph that belongs to the previous item.
    pub(super) fn under(&mut self, label: &str, text: &str) {
        self.hanging(Tone::Faint, label, text, 6);
    }

    /// A paragraph behind a label, one step further in than an item.
    pub(super) fn nested(&mut self, tone: Tone, label: &str, text: &str) {
        self.hanging(tone, &format!("{label:7}"), text, 4);
    }

    /// Lines that are laid out already.
    pub(super) fn block(&mut self, text: &str) {
        for line in text.lines() {
            self.push(line.trim_end());
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    fn push(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn hanging(&mut self, tone: Tone, label: &str, text: &str, indent: usize) {
        let label = printable(label);
        let hang = if label.is_empty() { indent } else { indent + label.chars().count() + 2 };
        for (index, line) in wrap(&printable(text), self.width.saturating_sub(hang)).iter().enumerate() {
            let mut out = " ".repeat(if index == 0 { indent } else { hang });
            if index == 0 && !label.is_empty() {
                // Writing to a String cannot fail.
                let _ = write!(out, "{}", self.paint(tone, &label));
                out.push_str(if line.is_empty() { "" } else { "  " });
            }
            out.push_str(line);
            self.push(&out);
        }
    }

    fn paint(&self, tone: Tone, text: &str) -> String {
        match tone.code() {
            code if self.colour && !code.is_empty() => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            _ => text.to_owned(),
        }
    }
}

/// Breaks at spaces; a word longer than a line has its own line. Thin spaces inside numbers do not break, nor does the
/// space before a per-cent sign.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    const UNBREAKABLE: &str = "\u{a0}%";
    let mut lines = vec![String::new()];
    let mut column = 0;
    for word in text.replace(" %", UNBREAKABLE).split(' ').filter(|word| !word.is_empty()) {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            lines.push(String::new());
            column = 0;
        }
        // `lines` is never empty: it starts with one line and only grows.
        let Some(line) = lines.last_mut() else { continue };
        if column > 0 {
            line.push(' ');
            column += 1;
        }
        line.push_str(&word.replace(UNBREAKABLE, " %"));
        column += length;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_only() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("9\u{2009}375 commits/s", 9), ["9\u{2009}375", "commits/s"]);
        assert_eq!(wrap("within 5 %.", 8), ["within", "5 %."]);
        assert_eq!(wrap("unbreakable", 4), ["unbreakable"]);
        assert_eq!(wrap("", 4), [""]);
    }

    #[test]
    fn escape_sequences_are_disarmed() {
        let mut page = Page::new(80, false);
        page.item(Tone::Bad, "host", "a\u{1b}[31mb\nc");
        assert_eq!(page.finish(), "  host  a\\u{1b}[31mb\\nc\n");
    }
}
