//! Lines of text on a terminal: wrapping, indenting, colour.

use crate::text::{Span, Text, Tone};
use crate::unbreakable::{self, joined};
use model::printable;
use textwrap::core::display_width;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

impl Tone {
    /// Parameter of the escape sequence that begins it.
    const fn code(self) -> &'static str {
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

/// Columns that a text takes, without its escape sequences.
pub(super) fn width(text: &str) -> usize {
    display_width(text)
}

/// Longer lines of prose are hard to read; tables are as wide as the terminal.
const PROSE_MAX: usize = 120;

/// Lines that grow one by one.
pub struct Lines {
    text: String,
    pub width: usize,
    /// Whether ANSI colours are written.
    pub colour: bool,
}

impl Lines {
    /// No lines yet.
    pub const fn new(width: usize, colour: bool) -> Self {
        Self { text: String::new(), width, colour }
    }

    pub fn gap(&mut self) {
        self.text.push('\n');
    }

    /// A paragraph at the left margin.
    pub fn line(&mut self, text: &str) {
        self.paragraph(0, &text.into());
    }

    /// A heading at the left margin.
    pub fn heading(&mut self, text: &str) {
        for line in wrap(&printable(text), self.width.min(PROSE_MAX)) {
            let line = painted(Tone::Strong, &line, self.colour);
            self.push(&line);
        }
    }

    /// A paragraph with a label, at the indent of a section.
    pub fn item(&mut self, tone: Tone, label: &str, text: &str) {
        self.hanging(tone, label, text, 2);
    }

    /// A paragraph that belongs to the previous item.
    pub fn under(&mut self, label: &str, text: &str) {
        self.hanging(Tone::Faint, label, text, 6);
    }

    /// A paragraph behind a label, one step further in than an item.
    pub fn nested(&mut self, tone: Tone, label: &str, text: &str) {
        self.hanging(tone, &format!("{label:7}"), text, 4);
    }

    /// Lines that are laid out already.
    pub fn block(&mut self, text: &str) {
        for line in text.lines() {
            self.push(line.trim_end());
        }
    }

    pub fn finish(self) -> String {
        self.text
    }

    pub(super) fn push(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A paragraph at an indent.
    pub(super) fn paragraph(&mut self, indent: usize, text: &Text) {
        self.labelled(indent, &[], text);
    }

    fn hanging(&mut self, tone: Tone, label: &str, text: &str, indent: usize) {
        let labels = [(tone, label)];
        self.labelled(indent, if label.is_empty() { &[] } else { &labels }, &text.into());
    }

    /// A paragraph behind labels, all of its lines to the right of them.
    pub(super) fn labelled(&mut self, indent: usize, labels: &[(Tone, &str)], text: &Text) {
        let text = spans(text, self.colour);
        self.behind(indent, labels, &text);
    }

    /// The same for a text that is escaped and has its colours.
    pub(super) fn behind(&mut self, indent: usize, labels: &[(Tone, &str)], text: &str) {
        let labels: Vec<(Tone, String)> =
            labels.iter().map(|(tone, label)| (*tone, printable(label).into_owned())).collect();
        let hang = indent + labels.iter().map(|(_, label)| width(label) + 2).sum::<usize>();
        let mut start = " ".repeat(indent);
        for (tone, label) in &labels {
            start.push_str(&painted(*tone, label, self.colour));
            start.push_str("  ");
        }
        for line in wrap(text, self.width.min(PROSE_MAX).saturating_sub(hang)) {
            self.push(format!("{start}{line}").trim_end());
            start = " ".repeat(hang);
        }
    }
}

/// The spans with their escape sequences, word by word, so that a line may end after any of them.
pub(super) fn spans(text: &Text, colour: bool) -> String {
    let span = |span: &Span| {
        let shown = printable(span.as_str());
        match span {
            Span::Strong(_) => {
                let words = shown.split(' ').map(|word| painted(Tone::Strong, word, colour));
                words.collect::<Vec<_>>().join(" ")
            }
            Span::Plain(_) | Span::Code(_) | Span::Hinted { .. } | Span::Link { .. } => shown.into_owned(),
        }
    };
    text.spans().iter().map(span).collect()
}

/// A text in the colour of its tone.
pub(super) fn painted(tone: Tone, text: &str, colour: bool) -> String {
    match tone.code() {
        code if colour && !code.is_empty() && !text.is_empty() => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        _ => text.to_owned(),
    }
}

/// Breaks at spaces; a word longer than a line has its own line. Thin spaces inside numbers do not break, nor does the
/// space before a unit.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let options = Options::new(width)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    let text = joined(text);
    let lines = textwrap::wrap(&text, options).into_iter();
    lines.map(|line| line.replace(unbreakable::SPACE, " ")).collect()
}

/// Lines that are laid out already; those that are longer than `columns`, or too long to read, are broken at spaces.
/// They continue below the words behind the indent, or behind the label that two spaces separate from them.
pub fn fitted(text: &str, columns: usize) -> String {
    let columns = columns.min(PROSE_MAX);
    let mut all = String::new();
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        if width(line) <= columns {
            all.extend([line, end]);
            continue;
        }
        let (before, words) = line.split_at(hang(line));
        let indent = format!("\n{}", " ".repeat(width(before)));
        let broken = wrap(words, columns.saturating_sub(width(before)));
        all.extend([before, &broken.join(&indent), end]);
    }
    all
}

/// Where the words of a line begin, in bytes: behind its indent, and behind a label.
fn hang(line: &str) -> usize {
    const LABEL_MAX: usize = 24;
    let indent = line.len() - line.trim_start_matches(' ').len();
    let words = &line[indent..];
    let label = words.find("  ").filter(|end| *end <= LABEL_MAX && indent > 0);
    let behind = label.map(|end| end + words[end..].len() - words[end..].trim_start_matches(' ').len());
    indent + behind.unwrap_or(0)
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
        assert_eq!(wrap("buffered-direct io", 8), ["buffered-direct", "io"]);
        assert_eq!(wrap("", 4), [""]);
    }

    #[test]
    fn a_line_that_is_too_long_continues_below_its_words() {
        for (line, expected) in [
            ("short\n", "short\n"),
            ("  ok   one two three\n", "  ok   one two\n       three\n"),
            ("    one two three four", "    one two\n    three four"),
            ("one two three  four\n\nfive", "one two three\nfour\n\nfive"),
        ] {
            assert_eq!(fitted(line, 14), expected);
        }
    }

    #[test]
    fn prose_is_not_as_wide_as_a_wide_terminal() {
        let mut lines = Lines::new(200, false);
        lines.line(&"word ".repeat(60));
        assert!(lines.finish().lines().all(|line| width(line) <= PROSE_MAX));
    }

    #[test]
    fn escape_sequences_are_disarmed() {
        let mut lines = Lines::new(80, false);
        lines.item(Tone::Bad, "host", "a\u{1b}[31mb\nc");
        assert_eq!(lines.finish(), "  host  a\\u{1b}[31mb\\nc\n");
    }

    #[test]
    fn colour_takes_no_columns() {
        let mut lines = Lines::new(14, true);
        lines.labelled(2, &[(Tone::Good, "ok")], &Text::from("one ").strong("two three"));
        let bold = |word| format!("\u{1b}[1m{word}\u{1b}[0m");
        let expected = format!("  \u{1b}[32mok\u{1b}[0m  one {}\n      {}\n", bold("two"), bold("three"));
        assert_eq!(lines.finish(), expected);
    }
}
