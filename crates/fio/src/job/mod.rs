//! A fio job file as written: sections and their options, each with its line.
//!
//! The grammar is fio's (`init.c`, `parse_jobs_ini`): `[section]`, `key=value`, a bare key for a switch, and from the
//! first `;` or `#` to the end of a line a comment, wherever it stands. `[global]` sets options for the sections
//! that follow it; there may be several. `include FILE` puts another file's options in its place. Unlike fio, blanks
//! around `=` are allowed.
//!
//! Lines are numbered in the order in which they are read, over the command line, the job file and what it includes:
//! of two options the later one counts. [`JobFile::place`] gives the file and its own line.
//!
//! A line that cannot be read is kept as a problem, and reading goes on: [`crate::translate`] reports all problems of a
//! job file together.

mod line;
mod reader;

pub use line::LINE_BYTES_MAX;
pub(crate) use line::VALUE_BYTES_MAX;
pub use reader::{FILE_BYTES_MAX, Include, Reader, SECTIONS_MAX, SETTINGS_MAX, no_include, parse};

use std::fmt;

/// More problems than this do not help.
pub(crate) const PROBLEMS_MAX: usize = 50;

/// What is printed of a line of an included file, whatever is wrong with it.
const UNUSABLE_INCLUDED: &str = "Syncline cannot use this line; it prints no text of included files: put the line into \
    the job file to see why";

/// What is wrong with a job file, and where: `JOB.fio:12: …`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}")]
pub struct JobError {
    /// The file, as the caller named it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// One sentence, with the way out.
    pub what: String,
}

/// A job file, with all that it includes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobFile {
    /// The options of all `[global]` sections, in file order.
    pub globals: Vec<JobOption>,
    /// The job sections, in file order.
    pub sections: Vec<Section>,
    /// The lines that could not be read, and why.
    pub(crate) problems: Vec<Problem>,
    /// Where lines come from, in the order of [`Source::first`].
    sources: Vec<Source>,
}

/// One sentence about a line in reading order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) line: usize,
    pub(crate) what: String,
}

/// Lines in a row of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Source {
    /// Its first line, in reading order.
    first: usize,
    file: String,
    /// The first line's number in the file, from 1.
    line: usize,
    /// Whether another file named it, so that its text may be anybody's.
    is_included: bool,
}

/// A job section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The name in brackets.
    pub name: String,
    /// The line of the name.
    pub line: usize,
    /// How many of [`JobFile::globals`] stand before the section and so apply to it.
    pub globals: usize,
    /// Its own options, in file order: of two with one name the later one counts.
    pub settings: Vec<JobOption>,
}

/// One option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobOption {
    /// Its name, as written.
    pub name: String,
    /// What stands after `=`; `None` for a bare key.
    pub value: Option<String>,
    pub line: usize,
}

impl fmt::Display for JobOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "{}={value}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl JobFile {
    /// The file and line of a line in reading order.
    pub fn place(&self, line: usize) -> (&str, usize) {
        match self.source(line) {
            Some(source) => (&source.file, source.line + (line - source.first)),
            None => ("", line),
        }
    }

    fn source(&self, line: usize) -> Option<&Source> {
        self.sources.iter().rfind(|source| source.first <= line)
    }

    /// A problem as it is printed. A job file from somebody else may hold `include /etc/shadow`: of an included file
    /// only the place is printed.
    pub(crate) fn error(&self, line: usize, what: String) -> JobError {
        let is_included = self.source(line).is_some_and(|source| source.is_included);
        let what = if is_included { UNUSABLE_INCLUDED.to_owned() } else { what };
        let (file, line) = self.place(line);
        JobError { file: file.to_owned(), line, what }
    }

    /// Puts an option in force in every section, over what the file says; `instead_of` are options that then have no
    /// part in the job.
    pub fn overrule(&mut self, name: &str, value: &str, instead_of: &[&str]) {
        let stays = |setting: &JobOption| setting.name != name && !instead_of.contains(&&*setting.name);
        // The places of the other global options are counted by the sections that follow them.
        let before: Vec<bool> = self.globals.iter().map(stays).collect();
        self.globals.retain(stays);
        for section in &mut self.sections {
            section.globals = before.iter().take(section.globals).filter(|stays| **stays).count();
            section.settings.retain(stays);
            let value = Some(value.to_owned());
            section.settings.push(JobOption { name: name.to_owned(), value, line: section.line });
        }
    }
}
