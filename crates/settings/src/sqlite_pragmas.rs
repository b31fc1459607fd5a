//! SQL with SQLite's pragmas: `PRAGMA name = value;` or `PRAGMA name(value);`. Other statements are ignored.
//!
//! <https://www.sqlite.org/pragma.html#pragma_syntax>

use super::entry::{Item, Unreadable};

/// Reads the pragmas that set something.
pub(super) fn read(text: &str) -> Result<Vec<Item>, Unreadable> {
    let mut entries = Vec::new();
    for (line, statement) in statements(text)? {
        entries.extend(pragma(statement.trim(), line)?);
    }
    Ok(entries)
}

/// Statements, each with the line on which it begins, without comments.
fn statements(text: &str) -> Result<Vec<(usize, String)>, Unreadable> {
    let mut found = Vec::new();
    let (mut line, mut begun) = (1, 1);
    let mut statement = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("--") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
            continue;
        }
        if rest.starts_with("/*") {
            let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
            line += rest[..end].matches('\n').count();
            rest = &rest[end..];
            continue;
        }
        if matches!(c, '\'' | '"') {
            let end = rest[1..].find(c).ok_or_else(|| Unreadable::at(line, "the quote does not end"))? + 2;
            statement.push_str(&rest[..end]);
            line += rest[..end].matches('\n').count();
            rest = &rest[end..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        if c == ';' {
            found.push((begun, std::mem::take(&mut statement)));
            continue;
        }
        line += usize::from(c == '\n');
        if !statement.is_empty() || !c.is_whitespace() {
            if statement.is_empty() {
                begun = line;
            }
            statement.push(c);
        }
    }
    found.push((begun, statement));
    Ok(found)
}

fn pragma(statement: &str, line: usize) -> Result<Option<Item>, Unreadable> {
    let Some((word, rest)) = statement.split_once(char::is_whitespace) else { return Ok(None) };
    if !word.eq_ignore_ascii_case("pragma") {
        return Ok(None);
    }
    let (name, value) = match (rest.split_once('='), rest.split_once('(')) {
        (Some((name, value)), _) => (name, value),
        (None, Some((name, value))) => {
            let value = value.trim_end().strip_suffix(')');
            (name, value.ok_or_else(|| Unreadable::at(line, "the pragma's closing bracket is missing"))?)
        }
        // It reads a value and sets none.
        (None, None) => return Ok(None),
    };
    let name = name.trim().rsplit('.').next().unwrap_or_default().trim().to_ascii_lowercase();
    let value = value.trim().trim_matches(['\'', '"']);
    if name.is_empty() || name.contains(char::is_whitespace) || value.is_empty() {
        return Err(Unreadable::at(line, "write a pragma as PRAGMA name = value"));
    }
    let value = word_of(&name, value).to_owned();
    Ok(Some(Item::setting(name, value, line)))
}

/// `synchronous` also takes numbers, and a flag's words for two of them (`getSafetyLevel` in SQLite's `pragma.c`).
fn word_of<'a>(name: &str, value: &'a str) -> &'a str {
    match (name, value.to_ascii_lowercase().as_str()) {
        ("synchronous", "0" | "no" | "false") => "OFF",
        ("synchronous", "1" | "on" | "yes" | "true") => "NORMAL",
        ("synchronous", "2") => "FULL",
        ("synchronous", "3") => "EXTRA",
        _ => value,
    }
}
