//! The blocks of a section. Items and rows have blocks of their own.

use crate::answer::Answer;
use crate::cell::{Cell, Column, Footnote};
use crate::figure::Figure;
use crate::forms::Forms;
use crate::text::{Badge, Text};

/// A part of a section.
#[derive(Clone, Debug)]
pub enum Block {
    /// A sentence or a few.
    Paragraph(Role, Text),
    /// Items, one below the other.
    List(List),
    /// Names and values.
    Facts(Vec<(Text, Text)>),
    Table(Table),
    /// What a page folds and a terminal leaves out.
    Details(Details),
    /// What a page folds and a terminal prints, without the summary.
    Folded(Details),
    /// Blocks of some forms.
    Only(Forms, Vec<Block>),
    /// A drawing.
    Figure(Figure),
    /// Answers with their numbers: what a reader looks for first.
    Answers(Vec<Answer>),
}

impl Block {
    pub fn paragraph(text: impl Into<Text>) -> Self {
        Self::Paragraph(Role::Plain, text.into())
    }

    /// The answer to the question that a section has as its heading.
    pub fn answer(text: impl Into<Text>) -> Self {
        Self::Paragraph(Role::Answer, text.into())
    }

    /// What explains the block before it.
    pub fn note(text: impl Into<Text>) -> Self {
        Self::Paragraph(Role::Note, text.into())
    }

    /// What a reader has to know beside the results.
    pub fn remark(text: impl Into<Text>) -> Self {
        Self::Paragraph(Role::Remark, text.into())
    }

    /// The first items of a list, and the others as details.
    pub fn first(items: Vec<Item>, shown_max: usize, others: impl Fn(usize) -> String) -> Vec<Self> {
        let mut first = items;
        let rest = first.split_off(first.len().min(shown_max));
        let mut blocks = vec![Self::List(List::of(first))];
        if !rest.is_empty() {
            let summary = others(rest.len()).into();
            blocks.push(Self::Details(Details { summary, blocks: vec![Self::List(List::of(rest))] }));
        }
        blocks
    }
}

/// What a paragraph is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Part of the text.
    Plain,
    /// It answers the question in the heading.
    Answer,
    /// It explains what stands before it.
    Note,
    /// It limits the results: what is missing, what was not used.
    Remark,
}

/// Items, one below the other.
#[derive(Clone, Debug)]
pub struct List {
    /// Whether other parts of the document name an item by its number, from 1.
    pub is_numbered: bool,
    pub items: Vec<Item>,
}

impl List {
    /// Items without numbers.
    pub const fn of(items: Vec<Item>) -> Self {
        Self { is_numbered: false, items }
    }
}

/// An item of a list.
#[derive(Clone, Debug, Default)]
pub struct Item {
    pub badge: Option<Badge>,
    /// What it is about.
    pub label: Option<Text>,
    pub text: Text,
    /// What belongs to it.
    pub below: Vec<Block>,
}

impl Item {
    /// An item of text alone.
    pub fn of(text: impl Into<Text>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// An item behind its label.
    pub fn labelled(label: impl Into<Text>, text: impl Into<Text>) -> Self {
        Self { label: Some(label.into()), ..Self::of(text) }
    }

    /// The item with a badge.
    #[must_use]
    pub fn with_badge(self, badge: Badge) -> Self {
        Self { badge: Some(badge), ..self }
    }

    /// The item with these blocks below it.
    #[must_use]
    pub fn with_below(self, below: Vec<Block>) -> Self {
        Self { below, ..self }
    }
}

/// What a page folds.
#[derive(Clone, Debug)]
pub struct Details {
    /// What is folded: `13 more questions`.
    pub summary: Text,
    pub blocks: Vec<Block>,
}

/// A table. Its first column names the rows.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// What it contains, for readers that do not see it.
    pub name: String,
    pub columns: Vec<Column>,
    /// The number of its first columns that together name a row, at least 1. A page joins them, and a terminal repeats
    /// them if it has to fold the table.
    pub keys: usize,
    /// Heading of what belongs to a row and is longer than a cell: a column on a page, blocks below the row on a
    /// terminal.
    pub details: Option<Text>,
    pub rows: Vec<Row>,
    /// Whether a reader can sort it on a page.
    pub is_sortable: bool,
    footnotes: Vec<Text>,
}

impl Table {
    /// A table without rows.
    pub fn new(name: impl Into<String>, columns: Vec<Column>) -> Self {
        Self { name: name.into(), columns, keys: 1, ..Self::default() }
    }

    /// The table with this number of columns that name a row.
    #[must_use]
    pub fn with_keys(self, keys: usize) -> Self {
        Self { keys, ..self }
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

    pub fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(Row { cells, details: Vec::new() });
    }

    /// Each footnote with its mark.
    pub(crate) fn footnotes(&self) -> impl Iterator<Item = (Footnote, &Text)> {
        self.footnotes.iter().enumerate().map(|(place, note)| (Footnote(place + 1), note))
    }
}

#[derive(Clone, Debug, Default)]
pub struct Row {
    /// A cell for each column.
    pub cells: Vec<Cell>,
    /// What [`Table::details`] heads.
    pub details: Vec<Block>,
}
