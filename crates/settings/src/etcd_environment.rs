//! etcd's settings as environment variables, a line each: `ETCD_SNAPSHOT_COUNT=10000` sets the flag `snapshot-count`.
//! Debian's service reads them from `/etc/default/etcd`. The YAML file of `--config-file` takes times in nanoseconds
//! only, and no flag beside it.
//!
//! <https://etcd.io/docs/v3.5/op-guide/configuration/>, systemd.exec(5), "EnvironmentFile"

use super::entry::{Item, Unreadable};

/// What the names of its variables begin with.
const PREFIX: &str = "ETCD_";

/// Reads the variables of etcd; others are somebody else's.
pub(super) fn read(text: &str) -> Result<Vec<Item>, Unreadable> {
    let mut entries = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let (line, number) = (line.trim(), index + 1);
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let named = line.split_once('=').filter(|(name, _)| !name.trim().is_empty());
        let Some((name, value)) = named else {
            return Err(Unreadable::at(number, "write a variable as NAME=value"));
        };
        let Some(flag) = name.trim().strip_prefix(PREFIX).filter(|flag| !flag.is_empty()) else { continue };
        let value = unquoted(value.trim(), number)?.to_owned();
        entries.push(Item::setting(flag.to_ascii_lowercase().replace('_', "-"), value, number));
    }
    Ok(entries)
}

fn unquoted(text: &str, line: usize) -> Result<&str, Unreadable> {
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) else { return Ok(text) };
    let inner = text[1..].strip_suffix(quote);
    inner.ok_or_else(|| Unreadable::at(line, "the quote does not end"))
}

/// The name of a flag's variable.
pub(super) fn variable(flag: &str) -> String {
    format!("{PREFIX}{}", flag.to_ascii_uppercase().replace('-', "_"))
}
