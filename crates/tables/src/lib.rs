//! Tables that others published: their readers, and which of their numbers can be believed.
//!
//! A reader turns a published result into a [`Table`] of claims; [`audit`] holds the laws of `laws` against them. A run
//! of Syncline is not a published table: its own audits judge it (`verdict`), by the same laws. All of it is pure:
//! bytes in, sentences out.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod advice;
mod audit;
mod cell;
mod guess;
mod hint;
mod language;
mod mapping;
mod number;
mod read;
mod report;
mod role;
mod shared_text;
mod table;
mod unit;
mod unstated;

pub use audit::{audit, check_help};
pub use mapping::Mapping;
pub use read::{BYTES_MAX, LINES_MAX, ROWS_MAX, ReadError, csv, fio_json, read};
pub use report::{Applied, Belief, NumberReport, Report, RowReport};
pub use role::role_help;
pub use shared_text::SharedText;
pub use table::Table;

#[cfg(test)]
mod tests;
