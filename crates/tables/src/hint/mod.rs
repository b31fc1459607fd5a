//! Settings in words: of a row's label, of a heading, of a cell, of the text of a page.

mod durability;
mod label;
mod prose;
mod sync;
mod words;

pub(crate) use durability::of_cell as durability_of_cell;
pub(crate) use label::{of_heading, of_label};
pub(crate) use prose::{Facts, Sentence, stated_n};
pub(crate) use sync::of_cell as sync_of_cell;
