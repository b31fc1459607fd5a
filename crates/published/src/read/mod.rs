//! Readers, one per format. Whatever bytes they are given, they answer with a table or one clear line.
//!
//! CSV, Markdown, HTML and terminals' tables become a [`grid::Grid`], which one reader turns into rows; programs' outputs have
//! readers of their own (`program/`). A page holds several of both ([`page::read`]).

mod columns;
mod configurations;
mod constants;
mod csv;
mod error;
mod fio;
mod grid;
mod html;
mod limits;
mod lines;
mod long;
mod markdown;
mod page;
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
use limits::PAGE_BYTES_MAX;
use program::NumberedLine;

/// What only fio's report holds.
const FIO_MARK: &[u8] = b"\"fio version\"";

/// Reads whatever was published: fio's JSON; a page of Markdown or HTML; text with the output of a known program or with
/// columns aligned as in a terminal; and what is none of these as CSV.
///
/// # Errors
/// [`ReadError`]: a file too large, or what its format's reader found.
pub fn read(source: &str, bytes: &[u8], mapping: &Mapping) -> Result<Table, ReadError> {
    let first = bytes.iter().copied().find(|byte| !byte.is_ascii_whitespace());
    // fio prints its warnings before the JSON.
    let is_json = first == Some(b'{') || bytes.windows(FIO_MARK.len()).any(|window| window == FIO_MARK);
    if is_json {
        return fio_json(source, bytes, mapping);
    }
    match text(bytes) {
        Some(text) => page_or_csv(source, text, bytes, mapping),
        None => csv(source, bytes, mapping),
    }
}

/// What can be a page: text that people read.
fn text(bytes: &[u8]) -> Option<&str> {
    let is_page = bytes.len() <= PAGE_BYTES_MAX && !bytes.contains(&0);
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).ok().filter(|_| is_page)
}

fn page_or_csv(source: &str, text: &str, bytes: &[u8], mapping: &Mapping) -> Result<Table, ReadError> {
    let lines: Vec<NumberedLine<'_>> = (1..).zip(text.lines()).collect();
    if html::is_page(text) {
        let parts = html::parts(text, 1);
        // Its preformatted text has the outputs of programs.
        let lines: Vec<NumberedLine<'_>> = parts.iter().flat_map(page::Part::lines).collect();
        return page::read(source, &lines, parts.clone(), mapping);
    }
    if markdown::is_page(text) {
        return page::read(source, &lines, markdown::parts(text), mapping);
    }
    if !program::read(&lines).is_empty() {
        return page::read(source, &lines, Vec::new(), mapping);
    }
    // A header without any separator of CSV is of columns that spaces or bars separate.
    let header = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let is_aligned = header
        .is_some_and(|header| !header.contains([',', ';', '\t']) && header.trim().contains([' ', '|', '│']));
    if is_aligned {
        let whole =
            lines.iter().map(|(number, line)| page::Line { number: *number, text: (*line).to_owned() });
        let part = page::Part { heading: String::new(), piece: page::Piece::Preformatted(whole.collect()) };
        return page::read(source, &[], vec![part], mapping);
    }
    csv(source, bytes, mapping)
}
