//! A sorted run: a file of sorted entries, each key once, that never changes. Page index and filter are in memory.

mod check;
mod cursor;
mod filter;
mod filters;
mod footer;
mod index;
mod level;
mod page;
mod parts;
mod sorted;
mod writer;

pub(crate) use check::check;
pub(crate) use cursor::{RunCursor, RunReads};
pub(crate) use level::LevelCursor;
pub(crate) use page::{Page, PageLookup};
pub(crate) use parts::{read_filter, read_index, read_page, repair};
pub(crate) use sorted::{Kept, Run};
pub(crate) use writer::{RunWriter, Written};
