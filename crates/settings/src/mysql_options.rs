//! MySQL's option file: groups in brackets, `name=value` or `name` alone, `#` and `;` start comments, `-` means `_` in
//! names, and `skip-` before a flag disables it.
//!
//! <https://dev.mysql.com/doc/refman/8.4/en/option-files.html>

use super::entry::{Include, Item, Unreadable};

/// Reads the groups that the server reads.
pub(super) fn read(text: &str) -> Result<Vec<Item>, Unreadable> {
    let mut entries = Vec::new();
    let mut group: Option<String> = None;
    for (index, line) in text.lines().enumerate() {
        let (line, number) = (line.trim(), index + 1);
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(directive) = line.strip_prefix('!') {
            entries.push(Item::Include(include(directive, number)?));
            continue;
        }
        if let Some(name) = line.strip_prefix('[') {
            let end = name
                .find(']')
                .ok_or_else(|| Unreadable::at(number, "the group's name has no closing bracket"))?;
            group = Some(name[..end].trim().to_ascii_lowercase());
            continue;
        }
        let Some(group) = &group else {
            return Err(Unreadable::at(number, "this option comes before any [group]"));
        };
        if group == "server" || group == "mysqld" || group.starts_with("mysqld-") {
            entries.push(option(line, number)?);
        }
    }
    Ok(entries)
}

fn include(text: &str, line: usize) -> Result<Include, Unreadable> {
    let (what, path) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let path = path.trim().to_owned();
    match (what, path.is_empty()) {
        ("include", false) => Ok(Include::File { path, is_optional: false, line }),
        ("includedir", false) => Ok(Include::Directory { path, ending: ".cnf", line }),
        _ => Err(Unreadable::at(line, "write an include as !include FILE or !includedir DIRECTORY")),
    }
}

fn option(text: &str, line: usize) -> Result<Item, Unreadable> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, unquoted(value.trim(), line)?),
        // A flag without a value is on.
        None => (text.split('#').next().unwrap_or_default(), "ON".to_owned()),
    };
    let name = name.trim().to_ascii_lowercase().replace('-', "_");
    let name = name.strip_prefix("loose_").unwrap_or(&name);
    // `skip_` disables a flag; some other names start with skip_ themselves.
    if let Some(flag) = name.strip_prefix("skip_").filter(|flag| flag.starts_with("innodb_")) {
        return Ok(Item::setting(flag.to_owned(), "OFF".to_owned(), line));
    }
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(Unreadable::at(line, "the option's name is missing"));
    }
    Ok(Item::setting(name.to_owned(), value, line))
}

fn unquoted(text: &str, line: usize) -> Result<String, Unreadable> {
    if let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let inner = &text[1..];
        let end = inner.find(quote).ok_or_else(|| Unreadable::at(line, "the quote does not end"))?;
        return Ok(inner[..end].to_owned());
    }
    Ok(text.split('#').next().unwrap_or_default().trim().to_owned())
}
