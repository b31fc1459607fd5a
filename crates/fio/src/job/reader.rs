//! Reads job files, what they include, and options as fio's command line has them.

use super::{JobFile, PROBLEMS_MAX, Problem, Section, Setting, Source};

/// Largest job file that is read, in bytes.
pub const FILE_BYTES_MAX: usize = 1 << 20;
/// Longest line, in bytes.
pub const LINE_BYTES_MAX: usize = 64 << 10;
/// Longest name of a section, as in fio.
const NAME_BYTES_MAX: usize = 255;
/// Longest value of an option: that of a path.
const VALUE_BYTES_MAX: usize = 4096;
/// Most job sections in one file.
pub const SECTIONS_MAX: usize = 1000;
/// Most files inside one another; a file that includes itself ends here.
const INCLUDES_DEEP_MAX: usize = 8;
/// Most files that are included in all.
const INCLUDES_MAX: usize = 200;

/// Finds and reads an included file. It is given the name as written and the file that includes it, and returns the name for
/// messages and the bytes, or one sentence that says why there are none.
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
}

impl<'a> Reader<'a> {
    /// A reader that has read nothing.
    pub fn new(include: &'a Include<'a>) -> Self {
        Self { job_file: JobFile::default(), target: Target::Nothing, line: 1, include, includes: 0 }
    }

    /// Reads options as fio's command line has them: `--name=NAME` begins a job, and what stands before the first name is
    /// for all jobs. An argument has one dash or two, and its value follows `=` or is the next argument.
    pub fn read_arguments(&mut self, arguments: &[String]) {
        const PLACE: &str = "command line";
        self.target = Target::Global;
        let mut rest = arguments.iter().enumerate().peekable();
        while let Some((index, argument)) = rest.next() {
            self.begin_source(PLACE, index + 1);
            let Some(option) = argument.strip_prefix("--").or_else(|| argument.strip_prefix('-')) else {
                self.problem(format!("\"{}\" is not an option: expected --name=value", shortened(argument)));
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
        let opened = match text.split_once('=') {
            Some(("name", name)) => self.open_section(name),
            Some(_) | None => read_setting(self.line, text).map(|setting| self.put(setting)),
        };
        if let Err(what) = opened {
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
        if self.job_file.sections.is_empty() && self.job_file.problems.is_empty() {
            self.begin_source(file, 1);
            self.problem("names no job: add a section such as [randread]".to_owned());
        }
        self.job_file
    }

    fn read_lines(&mut self, file: &str, bytes: &[u8], depth: usize) {
        self.begin_source(file, 1);
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
                    self.begin_source(file, index + 2);
                    continue;
                }
                Err(what) => self.problem(what),
            }
            self.line += 1;
        }
    }

    /// Reads a line, or returns the name of a file that it includes.
    fn read_line(&mut self, raw: &[u8], depth: usize) -> Result<Option<String>, String> {
        if raw.len() > LINE_BYTES_MAX {
            return Err(format!("a line of {} bytes; the limit is 64 KiB", raw.len()));
        }
        let text = std::str::from_utf8(raw).map_err(|_| "not UTF-8 text: not a job file".to_owned())?;
        let text = without_comment(text);
        if text.is_empty() {
            return Ok(None);
        }
        if let Some(rest) = text.strip_prefix('[') {
            // `init.c`: an included file has options only.
            if depth > 0 {
                return Err(format!(
                    "{} is a section, and an included file has options only",
                    shortened(text)
                ));
            }
            let name = rest.strip_suffix(']').ok_or("a section is a name in brackets, such as [randread]")?;
            self.open_section(name)?;
            return Ok(None);
        }
        if let Some(name) = included(text) {
            return Ok(Some(name.to_owned()));
        }
        let setting = read_setting(self.line, text)?;
        if matches!(self.target, Target::Nothing) {
            return Err(format!("option \"{}\" is before the first [section]", shortened(&setting.name)));
        }
        self.put(setting);
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
                let what = format!("cannot include {}: {}", shortened(name), model::printable(&why));
                self.job_file.problems.push(Problem { line, what });
            }
        }
    }

    fn begin_source(&mut self, file: &str, line: usize) {
        self.job_file.sources.push(Source { first: self.line, file: file.to_owned(), line });
    }

    fn problem(&mut self, what: String) {
        self.job_file.problems.push(Problem { line: self.line, what });
    }

    fn put(&mut self, setting: Setting) {
        match (self.target, self.job_file.sections.last_mut()) {
            (Target::Last, Some(section)) => section.settings.push(setting),
            (Target::Nothing | Target::Global | Target::Last, _) => self.job_file.globals.push(setting),
        }
    }

    fn open_section(&mut self, name: &str) -> Result<(), String> {
        if name.is_empty() || name.contains(['[', ']']) || name.chars().any(char::is_control) {
            return Err(format!("[{}] is not a valid job name", shortened(name)));
        }
        if name.len() > NAME_BYTES_MAX {
            return Err(format!("[{}] is too long a name for a job", shortened(name)));
        }
        if name == "global" {
            self.target = Target::Global;
            return Ok(());
        }
        // fio compares six letters, so it would take this section for a global one.
        if name.len() >= 6 && name.is_char_boundary(6) && name[..6].eq_ignore_ascii_case("global") {
            return Err(format!("fio reads [{name}] as [global]; rename the job"));
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

/// The file that a line includes; fio takes a blank or `=` behind the word.
fn included(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("include")?;
    let name = rest.strip_prefix([' ', '\t', '='])?.trim();
    (!name.is_empty()).then_some(name)
}

fn read_setting(line: usize, text: &str) -> Result<Setting, String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim().to_owned())),
        None => (text, None),
    };
    let well_formed = (1..=NAME_BYTES_MAX).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if !well_formed {
        return Err(format!("\"{}\" is not an option: expected name=value", shortened(text)));
    }
    if let Some(value) = &value {
        if value.chars().any(char::is_control) {
            return Err(format!("option \"{}\" holds a control character", shortened(name)));
        }
        if value.len() > VALUE_BYTES_MAX {
            return Err(format!("option \"{}\" has a value of more than 4 KiB", shortened(name)));
        }
    }
    Ok(Setting { name: name.to_owned(), value, line })
}

fn without_comment(line: &str) -> &str {
    line.find([';', '#']).map_or(line, |start| &line[..start]).trim()
}

/// At most 40 characters of hostile text in a message.
fn shortened(text: &str) -> String {
    let beginning: String = text.chars().take(40).collect();
    let short = model::printable(&beginning);
    if text.chars().nth(40).is_some() { format!("{short}…") } else { short.into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every problem of a file, a line each.
    fn problems(file: &JobFile) -> Vec<String> {
        let told = |problem: &Problem| {
            let (file, line) = file.place(problem.line);
            format!("{file}:{line}: {}", problem.what)
        };
        file.problems.iter().map(told).collect()
    }

    fn read(text: &str) -> JobFile {
        parse("JOB.fio", text.as_bytes(), &no_include)
    }

    fn settings(settings: &[Setting]) -> Vec<String> {
        settings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn sections_options_and_comments() {
        let text = "; a job\n[global]\nbs=4k # pages\n\n[a]\n rw = randread\ntime_based\n[global]\niodepth=2\n[b]\r\n";
        let file = read(text);
        assert_eq!(settings(&file.globals), ["bs=4k", "iodepth=2"]);
        let [a, b] = &file.sections[..] else { panic!("{file:?}") };
        assert_eq!((a.name.as_str(), a.line, a.globals), ("a", 5, 1));
        assert_eq!((b.name.as_str(), b.line, b.globals), ("b", 10, 2));
        assert_eq!(settings(&a.settings), ["rw=randread", "time_based"]);
        assert_eq!(a.settings[1].line, 7);
        assert!(problems(&file).is_empty());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, message) in [
            ("rw=read\n[a]", "JOB.fio:1: option \"rw\" is before the first [section]"),
            ("\n[a\n", "JOB.fio:2: a section is a name in brackets, such as [randread]"),
            ("[a]\ninclude x.fio", "JOB.fio:2: cannot include x.fio: nothing can be included here"),
            ("[globals]\n", "JOB.fio:1: fio reads [globals] as [global]; rename the job"),
            ("[a]\n=4", "JOB.fio:2: \"=4\" is not an option: expected name=value"),
            ("", "JOB.fio:1: names no job: add a section such as [randread]"),
        ] {
            assert_eq!(problems(&read(text)), [message]);
        }
    }

    /// A job file with two mistakes had to be run three times.
    #[test]
    fn every_line_that_cannot_be_read_is_named() {
        let file = read("[a]\n=4\nbs=4k\nb c=3\n[b\n");
        assert_eq!(problems(&file).len(), 3, "{:?}", problems(&file));
        assert_eq!(settings(&file.sections[0].settings), ["bs=4k"]);
    }

    #[test]
    fn an_included_file_stands_in_its_place() {
        let files = |name: &str, from: &str| match (name, from) {
            ("size.fio", "JOB.fio") => {
                Ok(("dir/size.fio".to_owned(), b"size=1g\ninclude depth.fio\nbs=8k".to_vec()))
            }
            ("depth.fio", "dir/size.fio") => Ok(("dir/depth.fio".to_owned(), b"iodepth=4\n[c]\n=".to_vec())),
            _ => Err(format!("{name} is not there")),
        };
        let file =
            parse("JOB.fio", b"[a]\nrw=read\ninclude size.fio\ndirect=1\n[b]\ninclude=other\n=", &files);
        assert_eq!(
            settings(&file.sections[0].settings),
            ["rw=read", "size=1g", "iodepth=4", "bs=8k", "direct=1"]
        );
        let places: Vec<_> =
            file.sections[0].settings.iter().map(|setting| file.place(setting.line)).collect();
        assert_eq!(
            places,
            [("JOB.fio", 2), ("dir/size.fio", 1), ("dir/depth.fio", 1), ("dir/size.fio", 3), ("JOB.fio", 4)]
        );
        assert_eq!(
            problems(&file),
            [
                "dir/depth.fio:2: [c] is a section, and an included file has options only",
                "dir/depth.fio:3: \"=\" is not an option: expected name=value",
                "JOB.fio:6: cannot include other: other is not there",
                "JOB.fio:7: \"=\" is not an option: expected name=value",
            ]
        );
    }

    #[test]
    fn a_file_that_includes_itself_ends() {
        let again =
            |_: &str, _: &str| Ok(("JOB.fio".to_owned(), b"include JOB.fio\ninclude JOB.fio".to_vec()));
        let file = parse("JOB.fio", b"[a]\ninclude JOB.fio\n", &again);
        assert!(problems(&file)[0].contains("too many files include one another"), "{:?}", problems(&file));
        assert!(file.problems.len() <= PROBLEMS_MAX);
    }

    #[test]
    fn options_as_on_fios_command_line() {
        let arguments =
            "--direct=1 -bs 8k --thread --name=a --rw randread --name=b -time_based --runtime=3 stray";
        let arguments: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
        let mut reader = Reader::new(&no_include);
        reader.read_arguments(&arguments);
        reader.read_file("JOB.fio", b"[global]\nbs=4k\n[c]\n");
        let file = reader.finish("JOB.fio");
        assert_eq!(settings(&file.globals), ["direct=1", "bs=8k", "thread", "bs=4k"]);
        let sections: Vec<_> = file
            .sections
            .iter()
            .map(|section| {
                format!("{} {} {}", section.name, section.globals, settings(&section.settings).join(" "))
            })
            .collect();
        assert_eq!(sections, ["a 3 rw=randread", "b 3 time_based runtime=3", "c 4 "]);
        assert_eq!(problems(&file), ["command line:11: \"stray\" is not an option: expected --name=value"]);
        assert_eq!(file.place(file.globals[3].line), ("JOB.fio", 2));
    }

    #[test]
    fn an_overruled_option_counts_more_than_the_files() {
        let mut file = read("[global]\nfilesize=1g\nbs=4k\n[a]\nsize=2g\n[b]\nfilesize=3g\n");
        file.overrule("size", "8m", &["filesize"]);
        assert_eq!(settings(&file.globals), ["bs=4k"]);
        assert_eq!(file.sections.iter().map(|section| section.globals).collect::<Vec<_>>(), [1, 1]);
        assert_eq!(settings(&file.sections[0].settings), ["size=8m"]);
        assert_eq!(settings(&file.sections[1].settings), ["size=8m"]);
    }

    /// A bell inside the brackets once reached the terminal through the message about the name.
    #[test]
    fn messages_hold_nothing_that_a_terminal_obeys() {
        for text in [
            "[a\u{7}]",
            "[a]\n\u{1b}[2J",
            "[a]\nbs=\u{1b}",
            "\u{7}=1",
            "[a]\nbs\u{7}=4k",
            "[a]\ninclude \u{7}",
        ] {
            let problems = problems(&read(text));
            assert!(!problems.is_empty(), "{text:?}");
            assert!(!problems.concat().chars().any(char::is_control), "{text:?}");
        }
    }

    #[test]
    fn limits_hold() {
        let refusal = |text: &str| problems(&read(text)).concat();
        assert!(!parse("x", &vec![b'\n'; FILE_BYTES_MAX + 1], &no_include).problems.is_empty());
        assert!(refusal(&"a".repeat(LINE_BYTES_MAX + 1)).contains("65537 bytes"));
        assert!(refusal(&"[a]\n".repeat(SECTIONS_MAX + 1)).contains("1000 job sections"));
        assert!(refusal(&format!("[{}]", "a".repeat(256))).contains("too long a name"));
        assert!(refusal(&format!("[a]\ndirectory={}", "a".repeat(4097))).contains("more than 4 KiB"));
        assert!(problems(&parse("x", b"[a]\n\xff\n", &no_include))[0].starts_with("x:2: not UTF-8"));
    }
}
