//! Columns and cells of tables, and the marks of footnotes.

use crate::figure::Figure;
use crate::text::{Badge, Text};

/// An interval around its mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spread {
    HalfWidth(String),
    /// Both its bounds, `(0–13.2)`, if half its width would reach below zero.
    Bounds(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// Words, from the left.
    Words(Text),
    /// Figures, aligned at the right.
    Figures(Text),
    /// Drawings of the figures beside them, on a page only.
    Drawings,
}

impl Column {
    /// Its heading; empty if it has none.
    pub(crate) fn heading(&self) -> &Text {
        const NONE: &Text = &Text::NONE;
        match self {
            Self::Words(heading) | Self::Figures(heading) => heading,
            Self::Drawings => NONE,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// Its outcome, before its text.
    pub badge: Option<Badge>,
    pub text: Text,
    /// The interval of the figure that it says, aligned by itself.
    pub spread: Option<Spread>,
    /// What the heading of the column lacks, behind figure and interval: ` KiB`, ` %`, or nothing.
    pub suffix: &'static str,
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

    /// Its text with its interval: `494 ± 39 KiB`.
    pub(crate) fn full_text(&self) -> Text {
        let spread = match &self.spread {
            Some(Spread::HalfWidth(half)) => format!(" ± {half}"),
            Some(Spread::Bounds(bounds)) => format!(" {bounds}"),
            None => String::new(),
        };
        match spread + self.suffix {
            more if more.is_empty() => self.text.clone(),
            more => self.text.clone().plain(more),
        }
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

/// The number of a footnote of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footnote(pub(crate) usize);

impl Footnote {
    /// `[2]`.
    pub(crate) fn mark(self) -> String {
        format!("[{}]", self.0)
    }
}
