//! Reads job files, what they include, and options as fio's command line has them.

use super::line::{self, JobLine};
use super::{JobFile, JobOption, PROBLEMS_MAX, Problem, Section, Source};
use model::excerpt;

/// Largest job file that is read, in bytes.
pub const FILE_BYTES_MAX: usize = 1 << 20;
/// Most job sections in one file.
pub const SECTIONS_MAX: usize = 1000;
/// Most options in all, with those of the files that are included.
pub const SETTINGS_MAX: usize = 10_000;
/// Most files inside one another; a file that includes itself ends here.
const INCLUDES_DEEP_MAX: usize = 8;
/// Most files that are included in all.
const INCLUDES_MAX: usize = 200;

/// Finds and reads an included file. It is given the name as written and the file that includes it, and returns the
/// name for messages and the bytes, or one sentence that says why there are none.
pub type Include<'a> = dyn Fn(&str, &str) -> Result<(String, Vec<u8>), String> + 'a;

/// For job files of one's own, which include nothing.
pub fn no_include(_: &str, _: &str) -> Result<(String, Vec<u8>), String> {
    Err("nothing can be included here".to_owned())
}

/// Reads a job file; `file` is its name for messages.
pub fn parse(file: &str, bytes: &[u8], include: &Include<'_>) -> JobFile {
    let mut reader = Reader::new(include);
    reader.read_file(file, bytes);
    reader.finish(file)
}

/// Where the options of the current section go.
#[derive(Clone, Copy, Debug)]
enum Target {
    Nothing,
    Global,
    Last,
}

/// A job file as it grows, line by line.
pub struct Reader<'a> {
    job_file: JobFile,
    target: Target,
    /// The line that is read next, in reading order.
    line: usize,
    include: &'a Include<'a>,
    includes: usize,
    settings: usize,
    /// The sections that are taken; all without any.
    wanted: Vec<String>,
}

impl<'a> Reader<'a> {
    /// A reader that has read nothing.
    pub fn new(include: &'a Include<'a>) -> Self {
        Self {
            job_file: JobFile::default(),
            target: Target::Nothing,
            line: 1,
            include,
            includes: 0,
            settings: 0,
            wanted: Vec::new(),
        }
    }

    /// Reads options as fio's command line has them: `--name=NAME` begins a job, and what stands before the first name
    /// is for all jobs. `--section=NAME` takes sections of this name of the job file and no others. An argument has one
    /// dash or two, and its value follows `=` or is the next argument.
    pub fn read_arguments(&mut self, arguments: &[String]) {
        const PLACE: &str = "command line";
        self.target = Target::Global;
        let mut rest = arguments.iter().enumerate().peekable();
        while let Some((index, argument)) = rest.next() {
            self.begin_source(PLACE, index + 1, false);
            let Some(option) = argument.strip_prefix("--").or_else(|| argument.strip_prefix('-')) else {
                self.problem(format!("\"{}\" is not an option: expected --name=value", excerpt(argument)));
                self.line += 1;
                continue;
            };
            let has_value =
                option.contains('=') || crate::options::known(option).is_none_or(|known| known.bare);
            let value = rest.next_if(|(_, next)| !has_value && !next.starts_with('-'));
            let text = value.map_or_else(|| option.to_owned(), |(_, value)| format!("{option}={value}"));
            self.read_argument(&text);
            self.line += 1;
        }
        self.target = Target::Nothing;
    }

    fn read_argument(&mut self, text: &str) {
        let read = match text.split_once('=') {
            Some(("name", name)) => self.open_section(name),
            Some(("section", name)) => {
                self.wanted.push(name.to_owned());
                Ok(())
            }
            Some(_) | None => line::setting(self.line, text).and_then(|setting| self.put(setting)),
        };
        if let Err(what) = read {
            self.problem(what);
        }
    }

    /// Reads a job file; `file` is its name for messages.
    pub fn read_file(&mut self, file: &str, bytes: &[u8]) {
        self.target = Target::Nothing;
        self.read_lines(file, bytes, 0);
    }

    /// All that was read; `file` is the name of what should have named a job.
    pub fn finish(mut self, file: &str) -> JobFile {
        let wanted = std::mem::take(&mut self.wanted);
        if let Some(unknown) =
            wanted.iter().find(|name| self.job_file.sections.iter().all(|section| section.name != **name))
        {
            self.begin_source(file, 1, false);
            self.problem(format!("has no section [{}], which --section names", excerpt(unknown)));
        }
        if !wanted.is_empty() {
            self.job_file.sections.retain(|section| wanted.contains(&section.name));
        }
        if self.job_file.sections.is_empty() && self.job_file.problems.is_empty() {
            self.begin_source(file, 1, false);
            self.problem("names no job: add a section such as [randread]".to_owned());
        }
        self.job_file
    }

    fn read_lines(&mut self, file: &str, bytes: &[u8], depth: usize) {
        self.begin_source(file, 1, depth > 0);
        if bytes.len() > FILE_BYTES_MAX {
            return self
                .problem(format!("{} bytes are too many for a job file; the limit is 1 MiB", bytes.len()));
        }
        for (index, raw) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if self.job_file.problems.len() == PROBLEMS_MAX {
                return;
            }
            match self.read_line(raw, depth) {
                Ok(None) => {}
                Ok(Some(included)) => {
                    self.line += 1;
                    self.read_included(&included, file, depth);
                    self.begin_source(file, index + 2, depth > 0);
                    continue;
                }
                Err(what) => self.problem(what),
            }
            self.line += 1;
        }
    }

    /// Reads a line, or returns the name of a file that it includes.
    fn read_line(&mut self, raw: &[u8], depth: usize) -> Result<Option<String>, String> {
        match line::read(self.line, raw)? {
            JobLine::Nothing => {}
            JobLine::Include(name) => return Ok(Some(name)),
            // `init.c`: an included file has options only.
            JobLine::Section(name) if depth > 0 => {
                return Err(format!(
                    "[{}] is a section, and an included file has options only",
                    excerpt(&name)
                ));
            }
            JobLine::Section(name) => self.open_section(&name)?,
            JobLine::JobOption(setting) if matches!(self.target, Target::Nothing) => {
                return Err(format!("option \"{}\" is before the first [section]", excerpt(&setting.name)));
            }
            JobLine::JobOption(setting) => self.put(setting)?,
        }
        Ok(None)
    }

    fn read_included(&mut self, name: &str, file: &str, depth: usize) {
        let line = self.line - 1;
        self.includes += 1;
        let found = if depth == INCLUDES_DEEP_MAX || self.includes > INCLUDES_MAX {
            Err("too many files include one another".to_owned())
        } else {
            (self.include)(name, file)
        };
        match found {
            Ok((found, bytes)) => self.read_lines(&found, &bytes, depth + 1),
            Err(why) => {
                let what = format!("cannot include {}: {}", excerpt(name), model::printable(&why));
                self.job_file.problems.push(Problem { line, what });
            }
        }
    }

    fn begin_source(&mut self, file: &str, line: usize, is_included: bool) {
        self.job_file.sources.push(Source { first: self.line, file: file.to_owned(), line, is_included });
    }

    fn problem(&mut self, what: String) {
        self.job_file.problems.push(Problem { line: self.line, what });
    }

    fn put(&mut self, setting: JobOption) -> Result<(), String> {
        self.settings += 1;
        if self.settings > SETTINGS_MAX {
            return Err(format!("more than {SETTINGS_MAX} options"));
        }
        match (self.target, self.job_file.sections.last_mut()) {
            (Target::Last, Some(section)) => section.settings.push(setting),
            (Target::Nothing | Target::Global | Target::Last, _) => self.job_file.globals.push(setting),
        }
        Ok(())
    }

    fn open_section(&mut self, name: &str) -> Result<(), String> {
        line::check_section(name)?;
        if name == line::GLOBAL {
            self.target = Target::Global;
            return Ok(());
        }
        if self.job_file.sections.len() == SECTIONS_MAX {
            return Err(format!("more than {SECTIONS_MAX} job sections"));
        }
        self.job_file.sections.push(Section {
            name: name.to_owned(),
            line: self.line,
            globals: self.job_file.globals.len(),
            settings: Vec::new(),
        });
        self.target = Target::Last;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
