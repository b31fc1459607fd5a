//! A result as a document, and three renderers of documents: [`terminal`], [`html`] and [`markdown`].
//!
//! The crate that owns a result also owns its words, and gives them as a [`Document`]: sections of blocks, whose text
//! has spans. What a form needs is decided here alone, so that a result has the same headings and the same facts in
//! each form.
//!
//! - **A document has no form.** It states what a part is (a table, a badge, a note), never how it looks. Colour
//!   repeats what a badge's word says, and carries nothing alone.
//! - **Text from outside is text.** Every renderer escapes each span: markup, and characters that control a terminal or
//!   reorder a line. Only a [`Figure`] has markup, made by the crate that draws it.
//! - **One drawing is made here** ([`waterfall`]), because a run's traced trials and an observation have the same.
//! - **A terminal shows less.** It prints a [`Details`] as its summary, and leaves out sections for a page
//!   ([`Section::on_a_page`]). The document states where they are.
//! - **Every form begins with the conclusion.** A terminal shows the end of a long text, so its last line repeats the
//!   conclusion in a sentence ([`Document::closing`]).
//! - **No line breaks inside a number or before its unit** (`unbreakable`).

// In a test a panic is the report.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod answer;
mod block;
mod cell;
mod document;
mod figure;
mod forms;
pub mod html;
pub mod markdown;
pub mod quantity;
pub mod terminal;
mod text;
mod unbreakable;
pub mod waterfall;
mod words;

pub use answer::{Answer, Number};
pub use block::{Block, Details, Item, List, Role, Row, Table};
pub use cell::{Cell, Column, Footnote, Spread};
pub use document::{Document, Section};
pub use figure::Figure;
pub use forms::Forms;
pub use text::{Badge, Span, Text, Tone};
pub use words::{capitalised, sentence};
