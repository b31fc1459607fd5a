//! One line of a job file.

use super::JobOption;
use model::excerpt;

/// Longest line, in bytes.
pub const LINE_BYTES_MAX: usize = 64 << 10;
/// Longest name of a section, as in fio.
const NAME_BYTES_MAX: usize = 255;
/// Longest value of an option: that of a path.
pub(crate) const VALUE_BYTES_MAX: usize = 4096;
/// The section whose options are those of the sections below it.
pub(super) const GLOBAL: &str = "global";

/// What a line says.
pub(super) enum JobLine {
    /// It is empty, or a comment.
    Nothing,
    /// The name in its brackets.
    Section(String),
    /// The file whose options stand here.
    Include(String),
    JobOption(JobOption),
}

/// Reads a line; `number` is its number in reading order.
pub(super) fn read(number: usize, raw: &[u8]) -> Result<JobLine, String> {
    if raw.len() > LINE_BYTES_MAX {
        return Err(format!("a line of {} bytes; the limit is 64 KiB", raw.len()));
    }
    let text = std::str::from_utf8(raw).map_err(|_| "not UTF-8 text: not a job file".to_owned())?;
    let text = without_comment(text);
    if text.is_empty() {
        return Ok(JobLine::Nothing);
    }
    if let Some(rest) = text.strip_prefix('[') {
        let name = rest.strip_suffix(']').ok_or("a section is a name in brackets, such as [randread]")?;
        return Ok(JobLine::Section(name.to_owned()));
    }
    match included(text) {
        Some(name) => Ok(JobLine::Include(name.to_owned())),
        None => setting(number, text).map(JobLine::JobOption),
    }
}

/// Whether a section may have this name.
pub(super) fn check_section(name: &str) -> Result<(), String> {
    if name.is_empty() || name.contains(['[', ']']) || name.chars().any(char::is_control) {
        return Err(format!("[{}] is not a valid job name", excerpt(name)));
    }
    if name.len() > NAME_BYTES_MAX {
        return Err(format!("[{}] is too long a name for a job", excerpt(name)));
    }
    // fio compares six letters, so it would take such a section for the global one.
    let begin = name.get(..GLOBAL.len()).unwrap_or_default();
    if name != GLOBAL && begin.eq_ignore_ascii_case(GLOBAL) {
        return Err(format!("fio reads [{name}] as [{GLOBAL}]; rename the job"));
    }
    Ok(())
}

/// `name=value`, or a name alone.
pub(super) fn setting(number: usize, text: &str) -> Result<JobOption, String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim().to_owned())),
        None => (text, None),
    };
    let well_formed = (1..=NAME_BYTES_MAX).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if !well_formed {
        return Err(format!("\"{}\" is not an option: expected name=value", excerpt(text)));
    }
    if let Some(value) = &value {
        if value.chars().any(char::is_control) {
            return Err(format!("option \"{}\" holds a control character", excerpt(name)));
        }
        if value.len() > VALUE_BYTES_MAX {
            return Err(format!("option \"{}\" has a value of more than 4 KiB", excerpt(name)));
        }
    }
    Ok(JobOption { name: name.to_owned(), value, line: number })
}

/// The file that a line includes; fio takes a blank or `=` behind the word.
fn included(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("include")?;
    let name = rest.strip_prefix([' ', '\t', '='])?.trim();
    (!name.is_empty()).then_some(name)
}

fn without_comment(line: &str) -> &str {
    line.find([';', '#']).map_or(line, |start| &line[..start]).trim()
}
