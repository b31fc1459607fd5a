//! The parts of a page: tables, text whose layout is kept, and sentences.

use super::grid::Grid;
use super::program::NumberedLine;

/// A line of text with its number in the file.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) number: u64,
    pub(super) text: String,
}

/// A part of a page.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The heading above it; empty if there is none.
    pub(super) heading: String,
    pub(super) piece: Piece,
}

impl Part {
    /// A whole text without markup.
    pub(super) fn of_text(text: &str) -> Self {
        let lines = (1..).zip(text.lines()).map(|(number, text)| Line { number, text: text.to_owned() });
        Self { heading: String::new(), piece: Piece::Preformatted(lines.collect()) }
    }

    /// The lines of its text whose layout is kept.
    pub(super) fn lines(&self) -> impl Iterator<Item = NumberedLine<'_>> {
        let lines = match &self.piece {
            Piece::Table(_) | Piece::Text(_) => &[][..],
            Piece::Preformatted(lines) => lines.as_slice(),
        };
        lines.iter().map(|line| (line.number, line.text.as_str()))
    }
}

/// What a part is.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    Table(Grid),
    /// Text whose layout is kept: output of programs, tables of a terminal, CSV, or none of them.
    Preformatted(Vec<Line>),
    /// A paragraph, or a line of a list.
    Text(Line),
}
