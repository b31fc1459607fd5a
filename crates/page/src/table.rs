//! Tables: columns, rows and footnotes.

use crate::block::{Block, Figure};
use crate::text::{Badge, Text};

/// A table. Its first column names the rows.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// What it contains, for readers that do not see it.
    pub name: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Heading of what belongs to a row and is longer than a cell: a column on a page, blocks below the row on a
    /// terminal.
    pub details: Option<Text>,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Whether a reader can sort it on a page.
    pub is_sortable: bool,
    footnotes: Vec<Text>,
}

impl Table {
    /// A table without rows.
    pub fn new(name: impl Into<String>, columns: Vec<Column>) -> Self {
        Self { name: name.into(), columns, ..Self::default() }
    }

    /// The mark of a footnote. Equal footnotes share one.
    pub fn footnote(&mut self, note: impl Into<Text>) -> Footnote {
        let note = note.into();
        let place = self.footnotes.iter().position(|known| *known == note).unwrap_or_else(|| {
            self.footnotes.push(note);
            self.footnotes.len() - 1
        });
        Footnote(place + 1)
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(Row { cells, details: Vec::new() });
    }

    /// Each footnote with its mark.
    pub(crate) fn footnotes(&self) -> impl Iterator<Item = (Footnote, &Text)> {
        self.footnotes.iter().enumerate().map(|(place, note)| (Footnote(place + 1), note))
    }
}

/// The number of a footnote of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footnote(usize);

impl Footnote {
    /// `[2]`.
    pub(crate) fn mark(self) -> String {
        format!("[{}]", self.0)
    }
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// Words, from the left.
    Words(Text),
    /// Figures, aligned at the right.
    Figures(Text),
    /// Drawings of the figures beside them, on a page only.
    Drawings,
}

/// A row.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// A cell for each column.
    pub cells: Vec<Cell>,
    /// What [`Table::details`] heads.
    pub details: Vec<Block>,
}

/// A cell.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// Its outcome, before its text.
    pub badge: Option<Badge>,
    /// What it says.
    pub text: Text,
    /// The footnote that explains it.
    pub footnote: Option<Footnote>,
    /// The drawing of a [`Column::Drawings`].
    pub figure: Option<Figure>,
    /// What a sorted table sorts by: `None` for its text, and `Some(None)` for what has no number.
    pub order: Option<Option<f64>>,
    /// More of it, for a reader who points at it on a page.
    pub hint: Option<String>,
}

impl Cell {
    /// A cell of text.
    pub fn of(text: impl Into<Text>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A cell of a drawing, or of none.
    pub fn drawing(figure: Option<Figure>) -> Self {
        Self { figure, ..Self::default() }
    }

    /// A cell of a badge.
    pub fn badge(badge: Badge) -> Self {
        Self { badge: Some(badge), ..Self::default() }
    }

    /// The cell with what it is sorted by.
    #[must_use]
    pub fn ordered(self, order: Option<f64>) -> Self {
        Self { order: Some(order), ..self }
    }

    /// The cell with more for a reader who points at it.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The cell with a footnote.
    #[must_use]
    pub fn with_footnote(self, footnote: Option<Footnote>) -> Self {
        Self { footnote, ..self }
    }
}
