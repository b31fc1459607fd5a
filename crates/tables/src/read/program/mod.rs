//! Output of programs, found in a text that may hold more: one file each. To add one: its file and its line in
//! [`PROGRAMS`].
//!
//! A reader knows what its program counts and in which units. What the output does not say, such as fio's `direct`
//! without its command line, stays unknown.

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

use super::limits::LINE_BYTES_MAX;
use fio_options::Options;
use output::Output;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Jobs above a table that are compared for what they have in common.
const JOBS_MAX: usize = 64;

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

/// What any of them printed into these lines. Before a line may stand the mark of a comment or of a quotation, around
/// it those of bold type; a command may go on below a backslash.
pub(super) fn read(lines: &[NumberedLine<'_>]) -> Vec<(&'static str, Output)> {
    let whole = joined(lines.iter().map(|(number, line)| (*number, bare(line))));
    let whole = whole.iter().map(|(number, line)| (*number, line.as_ref()));
    let whole: Vec<NumberedLine<'_>> = whole.filter(|(_, line)| line.len() <= LINE_BYTES_MAX).collect();
    let outputs = PROGRAMS.iter().map(|(name, read)| (*name, read(&whole)));
    outputs.filter(|(_, output)| !output.rows.is_empty()).collect()
}

/// The options of each job of the fio commands in these lines, and the line of the first command.
pub(super) fn fio_jobs(lines: &[NumberedLine<'_>]) -> Option<(u64, Vec<BTreeMap<String, String>>)> {
    let whole = joined(lines.iter().map(|(number, line)| (*number, bare(line))));
    let whole = whole.iter().filter(|(_, line)| line.len() <= LINE_BYTES_MAX);
    let commands: Vec<(u64, Vec<Options>)> =
        whole.filter_map(|(number, line)| Some((*number, fio_options::jobs(line)?))).collect();
    let (first, _) = commands.first()?;
    let jobs = commands.iter().flat_map(|(_, jobs)| jobs).take(JOBS_MAX).map(Options::all);
    Some((*first, jobs.collect()))
}

fn bare(line: &str) -> &str {
    line.trim_start_matches(['#', '>', '*', ' ']).trim_end_matches(['*', ' '])
}

/// The lines, each with those below it as long as it ends with a backslash.
fn joined<'a>(lines: impl Iterator<Item = NumberedLine<'a>>) -> Vec<(u64, Cow<'a, str>)> {
    let mut whole: Vec<(u64, Cow<'a, str>)> = Vec::new();
    let mut goes_on = false;
    for (number, line) in lines {
        let begun = line.trim_end().strip_suffix('\\');
        let text = begun.unwrap_or(line);
        match whole.last_mut().filter(|_| goes_on) {
            Some((_, known)) => {
                let known = known.to_mut();
                known.push(' ');
                known.push_str(text);
            }
            None => whole.push((number, Cow::Borrowed(text))),
        }
        goes_on = begun.is_some();
    }
    whole
}
