//! `postgresql.conf`: a name and a value per line, with or without `=`; `#` starts a comment; a value with characters
//! other than letters, digits and `-._:/` must be in single quotes.
//!
//! <https://www.postgresql.org/docs/18/config-setting.html#CONFIG-SETTING-CONFIGURATION-FILE>,
//! <https://www.postgresql.org/docs/18/config-setting.html#CONFIG-INCLUDES>

use super::entry::{Include, Item, Unreadable};

pub(super) fn read(text: &str) -> Result<Vec<Item>, Unreadable> {
    let mut items = Vec::new();
    for (index, line) in text.lines().enumerate() {
        items.extend(setting(line, index + 1)?);
    }
    Ok(items)
}

fn setting(text: &str, line: usize) -> Result<Option<Item>, Unreadable> {
    let text = text.trim_start();
    if text.is_empty() || text.starts_with('#') {
        return Ok(None);
    }
    let end = text.find(|c: char| !is_of_name(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Err(Unreadable::at(line, "the setting's name is missing"));
    }
    let name = name.to_ascii_lowercase();
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('=').unwrap_or(rest).trim_start();
    let quoted = rest.strip_prefix('\'');
    let (value, rest) = match quoted {
        Some(quoted) => quoted_value(quoted)
            .ok_or_else(|| Unreadable::at(line, format!("the quote of {name} does not end")))?,
        None => {
            let end = rest.find(|c: char| !is_of_value(c)).unwrap_or(rest.len());
            (rest[..end].to_owned(), &rest[end..])
        }
    };
    if value.is_empty() && !rest.is_empty() && !rest.trim_start().starts_with('#') {
        return Err(Unreadable::at(line, format!("the value of {name} must be in single quotes")));
    }
    if value.is_empty() && quoted.is_none() {
        return Err(Unreadable::at(line, format!("{name} has no value")));
    }
    let rest = rest.trim_start();
    if !rest.is_empty() && !rest.starts_with('#') {
        return Err(Unreadable::at(
            line,
            format!("there is text after the value of {name}: quote the value"),
        ));
    }
    let path = value.clone();
    Ok(Some(match name.as_str() {
        "include" => Item::Include(Include::File { path, is_optional: false, line }),
        "include_if_exists" => Item::Include(Include::File { path, is_optional: true, line }),
        "include_dir" => Item::Include(Include::Directory { path, ending: ".conf", line }),
        _ => Item::setting(name, value, line),
    }))
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.') || !c.is_ascii()
}

fn is_of_value(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.' | '_' | ':' | '/') || !c.is_ascii()
}

/// The text up to the closing quote, and the rest. Two quotes mean one; a backslash escapes as in C.
fn quoted_value(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        match c {
            '\'' if characters.peek().is_some_and(|(_, next)| *next == '\'') => {
                characters.next();
                value.push('\'');
            }
            '\'' => return Some((value, &text[at + 1..])),
            '\\' => value.push(escaped(&mut characters)?),
            _ => value.push(c),
        }
    }
    None
}

fn escaped(characters: &mut std::iter::Peekable<std::str::CharIndices<'_>>) -> Option<char> {
    let (_, first) = characters.next()?;
    let Some(mut code) = first.to_digit(8) else {
        return Some(match first {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            other => other,
        });
    };
    for _ in 0..2 {
        let Some(digit) = characters.peek().and_then(|(_, c)| c.to_digit(8)) else { break };
        code = code * 8 + digit;
        characters.next();
    }
    // The server takes this as one byte; only ASCII is certain.
    char::from_u32(code & 0xff)
}
