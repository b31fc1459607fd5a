//! Output of programs, found in a text that may hold more: one file each. To add one: its file and its line in [`PROGRAMS`].
//!
//! A reader knows what its program counts and in which units. What the output does not say, such as fio's `direct` without its
//! command line, stays unknown.

mod db_bench;
mod fio_normal;
mod fio_options;
mod fio_terse;
mod kbench;
mod pg_test_fsync;
mod pgbench;
mod sysbench;

use crate::cell::Cell;
use crate::number::Quantity;
use crate::table::Row;

/// The lines of a text with their numbers.
pub(super) type NumberedLine<'a> = (u64, &'a str);

/// What a program printed.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// The line that each row begins at, and the row.
    pub(super) rows: Vec<(u64, Row)>,
    /// Sentences.
    pub(super) remarks: Vec<String>,
}

impl Output {
    fn push(&mut self, line: u64, row: Row) {
        self.rows.push((line, Row { place: format!("line {line}"), ..row }));
    }
}

/// A program's name and its reader, which gives no rows for a text of another kind.
type Program = (&'static str, fn(&[NumberedLine<'_>]) -> Output);

/// The list.
const PROGRAMS: &[Program] = &[
    ("fio", fio_normal::read),
    ("fio (terse)", fio_terse::read),
    ("pg_test_fsync", pg_test_fsync::read),
    ("pgbench", pgbench::read),
    ("db_bench", db_bench::read),
    ("sysbench", sysbench::read),
    ("kbench", kbench::read),
];

/// Their names, for a message.
pub(super) fn names() -> String {
    PROGRAMS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// What any of them printed into these lines. Before a line may stand the mark of a comment or of a quotation.
pub(super) fn read(lines: &[NumberedLine<'_>]) -> Vec<(&'static str, Output)> {
    let bare = lines.iter().map(|(number, line)| (*number, line.trim_start_matches(['#', '>', '*', ' '])));
    let bare: Vec<NumberedLine<'_>> = bare.collect();
    let outputs = PROGRAMS.iter().map(|(name, read)| (*name, read(&bare)));
    outputs.filter(|(_, output)| !output.rows.is_empty()).collect()
}

/// A number as a program prints it.
fn number(text: &str) -> Option<Quantity> {
    Cell::plain(text).quantity().ok()
}

/// Its value alone.
fn value(text: &str) -> Option<f64> {
    number(text).map(|found| found.printed.value)
}

/// What stands behind a name and its colon or equals sign.
fn behind<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = line.trim().strip_prefix(name)?.trim_start();
    Some(rest.strip_prefix([':', '='])?.trim())
}
