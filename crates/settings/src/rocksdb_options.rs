//! RocksDB's `OPTIONS` file: sections in brackets, `name=value`, `#` starts a comment unless a backslash precedes it.
//!
//! <https://github.com/facebook/rocksdb/wiki/RocksDB-Options-File>

use super::entry::{Item, Unreadable};

/// Reads the options of the database, but not those of its column families.
pub(super) fn read(text: &str) -> Result<Vec<Item>, Unreadable> {
    let mut entries = Vec::new();
    let mut section: Option<&str> = None;
    for (index, line) in text.lines().enumerate() {
        let (line, number) = (without_comment(line).trim(), index + 1);
        if line.is_empty() {
            continue;
        }
        if let Some(name) = line.strip_prefix('[') {
            let name = name.strip_suffix(']');
            section = Some(
                name.ok_or_else(|| Unreadable::at(number, "the section's name has no closing bracket"))?,
            );
            continue;
        }
        let Some(section) = section else {
            return Err(Unreadable::at(number, "this option comes before any [section]"));
        };
        let named = line.split_once('=').filter(|(name, _)| !name.trim().is_empty());
        let Some((name, value)) = named else {
            return Err(Unreadable::at(number, "write an option as name=value"));
        };
        if section == "DBOptions" {
            entries.push(Item::setting(name.trim().to_owned(), value.trim().to_owned(), number));
        }
    }
    Ok(entries)
}

fn without_comment(line: &str) -> &str {
    let begins = |(at, _): &(usize, &str)| !line[..*at].ends_with('\\');
    line.match_indices('#').find(begins).map_or(line, |(at, _)| &line[..at])
}
