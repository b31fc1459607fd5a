//! Readers, one per format. Whatever bytes they are given, they answer with a table or one clear line.
//!
//! CSV, Markdown, HTML and terminals' tables become a [`grid::Grid`], which one reader turns into rows; programs'
//! outputs (`program/`) and files for schedulers (`device/`) have readers of their own. A page holds several of both
//! ([`page::read`]).

mod columns;
mod constants;
mod context;
mod csv;
mod device;
mod error;
mod fio;
mod fio_command;
mod grid;
mod html;
mod jmh;
mod limits;
mod lines;
mod long;
mod markdown;
mod page;
mod part;
mod preformatted;
mod program;
mod repetitions;
mod rows;
mod upright;

pub use self::csv::csv;
pub use self::error::ReadError;
pub use self::fio::fio_json;
pub use self::limits::{BYTES_MAX, LINES_MAX, ROWS_MAX};

use crate::mapping::Mapping;
use crate::table::Table;
use limits::{PAGE_BYTES_MAX, Room};
use part::Part;
use program::NumberedLine;

/// Reads whatever was published: a page of Markdown or HTML; fio's JSON; text with the output of a known program, with
/// figures of disks for a scheduler, or with columns aligned as in a terminal; and what is none of these as CSV.
///
/// # Errors
/// [`ReadError`]: a file too large, or what its format's reader found.
pub fn read(source: &str, bytes: &[u8], mapping: &Mapping) -> Result<Table, ReadError> {
    let text = text(bytes);
    let mut room = Room::default();
    if let Some(parts) = text.and_then(|text| parts(text, &mut room)) {
        room.check(source)?;
        return page::read(source, &parts, mapping);
    }
    // fio prints its warnings before the JSON.
    let first = bytes.iter().copied().find(|byte| !byte.is_ascii_whitespace());
    if first == Some(b'{') || fio::is_report(bytes) {
        return fio_json(source, bytes, mapping);
    }
    match text.filter(|text| is_plain_page(source, text)) {
        Some(text) => page::read(source, &[Part::of_text(text)], mapping),
        None => csv(source, bytes, mapping),
    }
}

/// What can be a page: text that people read.
fn text(bytes: &[u8]) -> Option<&str> {
    let is_page = bytes.len() <= PAGE_BYTES_MAX && !bytes.contains(&0);
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).ok().filter(|_| is_page)
}

/// The parts of a page of HTML or Markdown.
fn parts(text: &str, room: &mut Room) -> Option<Vec<Part>> {
    if html::is_page(text) {
        Some(html::parts(text, 1, room))
    } else if markdown::is_page(text) {
        Some(markdown::parts(text, room))
    } else {
        None
    }
}

/// Whether text of no markup has more than one form can hold, or columns that no separator of CSV separates.
fn is_plain_page(source: &str, text: &str) -> bool {
    let lines: Vec<NumberedLine<'_>> = (1..).zip(text.lines()).collect();
    let header = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let is_aligned = header
        .is_some_and(|header| !header.contains([',', ';', '\t']) && header.trim().contains([' ', '|', '│']));
    is_aligned || device::read(source, &lines).is_some() || !program::read(&lines).is_empty()
}
