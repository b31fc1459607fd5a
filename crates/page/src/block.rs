//! The blocks of a section.

use crate::table::Table;
use crate::text::{Badge, Text};
use maud::PreEscaped;
use model::printable_lines;

/// A part of a section.
#[derive(Clone, Debug)]
pub enum Block {
    /// A sentence or a few.
    Paragraph(Role, Text),
    /// Items, one below the other.
    List(List),
    /// Names and values.
    Facts(Vec<(Text, Text)>),
    /// A table.
    Table(Table),
    /// What a page folds and a terminal leaves out.
    Details(Details),
    /// A drawing.
    Figure(Figure),
    /// Answers with their numbers: what a reader looks for first.
    Answers(Vec<Answer>),
}

impl Block {
    /// A plain paragraph.
    pub fn paragraph(text: impl Into<Text>) -> Self {
        Self::Paragraph(Role::Plain, text.into())
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
    /// The items.
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
    /// Its outcome.
    pub badge: Option<Badge>,
    /// What it is about.
    pub label: Option<Text>,
    /// What it says.
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

/// What a page folds and a terminal leaves out.
#[derive(Clone, Debug)]
pub struct Details {
    /// What is folded: `13 more questions`.
    pub summary: Text,
    /// The content.
    pub blocks: Vec<Block>,
}

/// A drawing, as HTML or SVG that its maker has escaped. It names its content for readers that do not see it.
#[derive(Clone, Debug)]
pub struct Figure {
    pub(crate) markup: PreEscaped<String>,
    /// What the drawing shows, for forms without drawings; `None` if the text beside it has the same content.
    pub(crate) alternative: Option<Text>,
    /// How to read the drawing.
    pub(crate) caption: Option<Text>,
}

impl Figure {
    /// A drawing beside text of the same content.
    pub fn beside_text(markup: &PreEscaped<String>) -> Self {
        let markup = PreEscaped(printable_lines(&markup.0).into_owned());
        Self { markup, alternative: None, caption: None }
    }

    /// The drawing with words for the forms that have no drawings.
    #[must_use]
    pub fn with_alternative(self, alternative: impl Into<Text>) -> Self {
        Self { alternative: Some(alternative.into()), ..self }
    }

    /// The drawing with words on how to read it.
    #[must_use]
    pub fn with_caption(self, caption: impl Into<Text>) -> Self {
        Self { caption: Some(caption.into()), ..self }
    }
}

/// An answer: its number first, then a sentence.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Name of what is answered.
    pub name: Text,
    /// Where the page has its evidence: an anchor.
    pub anchor: String,
    /// Its outcome.
    pub badge: Option<Badge>,
    /// Its figure.
    pub number: Option<Number>,
    /// The answer in words.
    pub text: Text,
    /// A drawing of the figure.
    pub figure: Option<Figure>,
}

/// The figure of an answer.
#[derive(Clone, Debug)]
pub struct Number {
    /// The estimate.
    pub point: String,
    /// Its interval, or the reason why there is none.
    pub interval: String,
    /// What it is a figure of.
    pub what: String,
}
