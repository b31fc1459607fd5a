//! A fio job file as written: sections and their options, each with its line.
//!
//! The grammar is fio's (`init.c`, `parse_jobs_ini`): `[section]`, `key=value`, a bare key for a switch, and from the
//! first `;` or `#` to the end of a line a comment, wherever it stands. `[global]` sets options for the sections
//! that follow it; there may be several. Unlike fio, blanks around `=` are allowed.
//!
//! What would make the meaning depend on the machine is refused: `${VARIABLES}`, `$ncpus` and its like, `include`.

use std::fmt;

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

/// A job file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobFile {
    /// Its name, for messages.
    pub file: String,
    /// The options of all `[global]` sections, in file order.
    pub globals: Vec<Setting>,
    /// The job sections, in file order.
    pub sections: Vec<Section>,
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
    pub settings: Vec<Setting>,
}

/// One option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name, as written.
    pub name: String,
    /// What stands after `=`; `None` for a bare key.
    pub value: Option<String>,
    /// Its line.
    pub line: usize,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "{}={value}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// Reads a job file; `file` is its name for messages.
pub fn parse(file: &str, bytes: &[u8]) -> Result<JobFile, JobError> {
    let error = |line: usize, what: String| JobError { file: file.to_owned(), line, what };
    if bytes.len() > FILE_BYTES_MAX {
        return Err(error(
            1,
            format!("{} bytes are too many for a job file; the limit is 1 MiB", bytes.len()),
        ));
    }
    let mut job_file = JobFile { file: file.to_owned(), ..JobFile::default() };
    let mut target = Target::Nothing;
    for (index, raw) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let number = index + 1;
        if raw.len() > LINE_BYTES_MAX {
            return Err(error(number, format!("a line of {} bytes; the limit is 64 KiB", raw.len())));
        }
        let text = std::str::from_utf8(raw)
            .map_err(|_| error(number, "not UTF-8 text: not a job file".to_owned()))?;
        let text = without_comment(text);
        if !text.is_empty() {
            job_file.read_line(&mut target, number, text).map_err(|what| error(number, what))?;
        }
    }
    if job_file.sections.is_empty() {
        return Err(error(1, "names no job: add a section such as [randread]".to_owned()));
    }
    Ok(job_file)
}

/// Where the options of the current section go.
#[derive(Clone, Copy)]
enum Target {
    Nothing,
    Global,
    Last,
}

impl JobFile {
    fn read_line(&mut self, target: &mut Target, line: usize, text: &str) -> Result<(), String> {
        if let Some(rest) = text.strip_prefix('[') {
            *target = self.open_section(line, rest)?;
            return Ok(());
        }
        let setting = read_setting(line, text)?;
        match (*target, self.sections.last_mut()) {
            (Target::Global, _) => self.globals.push(setting),
            (Target::Last, Some(section)) => section.settings.push(setting),
            (Target::Nothing | Target::Last, _) => {
                return Err(format!("option \"{}\" is before the first [section]", shortened(&setting.name)));
            }
        }
        Ok(())
    }

    fn open_section(&mut self, line: usize, rest: &str) -> Result<Target, String> {
        let name = rest.strip_suffix(']').ok_or("a section is a name in brackets, such as [randread]")?;
        if name.is_empty() || name.contains(['[', ']']) || name.chars().any(char::is_control) {
            return Err(format!("[{}] is not a valid job name", shortened(name)));
        }
        if name.len() > NAME_BYTES_MAX {
            return Err(format!("[{}] is too long a name for a job", shortened(name)));
        }
        if name == "global" {
            return Ok(Target::Global);
        }
        // fio compares six letters, so it would take this section for a global one.
        if name.len() >= 6 && name.is_char_boundary(6) && name[..6].eq_ignore_ascii_case("global") {
            return Err(format!("fio reads [{name}] as [global]; rename the job"));
        }
        if self.sections.len() == SECTIONS_MAX {
            return Err(format!("more than {SECTIONS_MAX} job sections"));
        }
        self.sections.push(Section {
            name: name.to_owned(),
            line,
            globals: self.globals.len(),
            settings: Vec::new(),
        });
        Ok(Target::Last)
    }
}

fn read_setting(line: usize, text: &str) -> Result<Setting, String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim().to_owned())),
        None => (text, None),
    };
    if name == "include" || name.starts_with("include ") {
        return Err("\"include\" is not supported; paste the other file's options here".to_owned());
    }
    let well_formed = (1..=NAME_BYTES_MAX).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if !well_formed {
        return Err(format!("\"{}\" is not an option: expected name=value", shortened(text)));
    }
    if let Some(value) = &value {
        for variable in ["${", "$ncpus", "$mb_memory", "$pagesize"] {
            if value.contains(variable) {
                return Err(format!(
                    "option \"{name}\" uses the variable \"{}\"; write the value itself",
                    shortened(value)
                ));
            }
        }
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

    fn refusal(text: &str) -> String {
        parse("JOB.fio", text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn sections_options_and_comments() {
        let text = "; a job\n[global]\nbs=4k # pages\n\n[a]\n rw = randread\ntime_based\n[global]\niodepth=2\n[b]\r\n";
        let file = parse("JOB.fio", text.as_bytes()).unwrap();
        let globals: Vec<String> = file.globals.iter().map(ToString::to_string).collect();
        assert_eq!(globals, ["bs=4k", "iodepth=2"]);
        let [a, b] = &file.sections[..] else { panic!("{file:?}") };
        assert_eq!((a.name.as_str(), a.line, a.globals), ("a", 5, 1));
        assert_eq!((b.name.as_str(), b.line, b.globals), ("b", 10, 2));
        let settings: Vec<String> = a.settings.iter().map(ToString::to_string).collect();
        assert_eq!(settings, ["rw=randread", "time_based"]);
        assert_eq!(a.settings[1].line, 7);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, message) in [
            ("rw=read\n", "JOB.fio:1: option \"rw\" is before the first [section]"),
            ("\n[a\n", "JOB.fio:2: a section is a name in brackets, such as [randread]"),
            (
                "[a]\ninclude x.fio",
                "JOB.fio:2: \"include\" is not supported; paste the other file's options here",
            ),
            (
                "[a]\nsize=${SIZE}",
                "JOB.fio:2: option \"size\" uses the variable \"${SIZE}\"; write the value itself",
            ),
            (
                "[a]\nnumjobs=$ncpus",
                "JOB.fio:2: option \"numjobs\" uses the variable \"$ncpus\"; write the value itself",
            ),
            ("[globals]\n", "JOB.fio:1: fio reads [globals] as [global]; rename the job"),
            ("[a]\n=4", "JOB.fio:2: \"=4\" is not an option: expected name=value"),
            ("", "JOB.fio:1: names no job: add a section such as [randread]"),
        ] {
            assert_eq!(refusal(text), message);
        }
    }

    /// A bell inside the brackets once reached the terminal through the message about the name.
    #[test]
    fn messages_hold_nothing_that_a_terminal_obeys() {
        for text in ["[a\u{7}]", "[a]\n\u{1b}[2J", "[a]\nbs=\u{1b}", "\u{7}=1", "[a]\nbs\u{7}=4k"] {
            assert!(!refusal(text).chars().any(char::is_control), "{text:?}");
        }
    }

    #[test]
    fn limits_hold() {
        assert!(parse("x", &vec![b'\n'; FILE_BYTES_MAX + 1]).is_err());
        assert!(refusal(&"a".repeat(LINE_BYTES_MAX + 1)).contains("65537 bytes"));
        assert!(refusal(&"[a]\n".repeat(SECTIONS_MAX + 1)).contains("1000 job sections"));
        assert!(refusal(&format!("[{}]", "a".repeat(256))).contains("too long a name"));
        assert!(refusal(&format!("[a]\ndirectory={}", "a".repeat(4097))).contains("more than 4 KiB"));
        assert!(parse("x", b"[a]\n\xff\n").unwrap_err().to_string().starts_with("x:2: not UTF-8"));
    }
}
