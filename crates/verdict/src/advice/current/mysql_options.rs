//! MySQL's option file: groups in brackets, `name=value` or `name` alone, `#` and `;` begin comments, `-` is `_` in names.
//!
//! <https://dev.mysql.com/doc/refman/8.4/en/option-files.html>

use super::{Entry, Unreadable};

/// Reads what the server reads: its groups.
pub(super) fn read(text: &str) -> Result<Vec<Entry>, Unreadable> {
    let mut entries = Vec::new();
    let mut group: Option<String> = None;
    for (index, line) in text.lines().enumerate() {
        let (line, number) = (line.trim(), index + 1);
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if line.starts_with('!') {
            let why = "an include takes in another file, which is not followed: give the file that has the settings";
            return Err(Unreadable::at(number, why));
        }
        if let Some(name) = line.strip_prefix('[') {
            let end = name
                .find(']')
                .ok_or_else(|| Unreadable::at(number, "the group's name has no closing bracket"))?;
            group = Some(name[..end].trim().to_ascii_lowercase());
            continue;
        }
        let Some(group) = &group else {
            return Err(Unreadable::at(number, "an option stands before any [group]"));
        };
        if group == "server" || group == "mysqld" || group.starts_with("mysqld-") {
            entries.push(option(line, number)?);
        }
    }
    Ok(entries)
}

fn option(text: &str, line: usize) -> Result<Entry, Unreadable> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, unquoted(value.trim(), line)?),
        // A flag by its name alone is on.
        None => (text.split('#').next().unwrap_or_default(), "ON".to_owned()),
    };
    let name = name.trim().to_ascii_lowercase().replace('-', "_");
    let name = name.strip_prefix("loose_").unwrap_or(&name);
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(Unreadable::at(line, "no name of an option stands here"));
    }
    Ok(Entry { name: name.to_owned(), value, line })
}

fn unquoted(text: &str, line: usize) -> Result<String, Unreadable> {
    if let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let inner = &text[1..];
        let end = inner.find(quote).ok_or_else(|| Unreadable::at(line, "the quote does not end"))?;
        return Ok(inner[..end].to_owned());
    }
    Ok(text.split('#').next().unwrap_or_default().trim().to_owned())
}
