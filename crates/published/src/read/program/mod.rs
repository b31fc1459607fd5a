//! Output of programs, found in a text that may hold more: one file each. To add one: its file and its line in [`PROGRAMS`].
//!
//! A reader knows what its program counts and in which units. What the output does not say, such as fio's `direct` without its
//! command line, stays unknown.

mod db_bench;
mod fio_normal;
mod fio_options;
mod fio_terse;
mod kbench;
mod output;
mod pg_test_fsync;
mod pgbench;
mod sysbench;

pub(super) use output::NumberedLine;

use output::Output;

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
