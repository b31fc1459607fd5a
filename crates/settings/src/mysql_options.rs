//! The option file of MySQL and of MariaDB: groups in brackets, `name=value` or `name` alone, `#` and `;` start
//! comments, `-` means `_` in names, and `skip-` before a flag disables it.
//!
//! <https://dev.mysql.com/doc/refman/8.4/en/option-files.html>,
//! <https://mariadb.com/docs/server/server-management/install-and-upgrade-mariadb/configuring-mariadb/configuring-mariadb-with-option-files>.
//! Each server skips the groups that only the other one reads.

use super::entry::{Include, Item, Unreadable};
use super::version::Version;

/// The groups that a server reads: for every version, and those whose names end with one.
struct Groups {
    plain: &'static [&'static str],
    versioned: &'static [&'static str],
}

const OF_MYSQL: Groups = Groups { plain: &["server", "mysqld"], versioned: &["mysqld"] };
/// What `mariadbd --help --verbose` lists.
const OF_MARIADB: Groups = Groups {
    plain: &["server", "mysqld", "mariadb", "mariadbd", "client-server", "galera"],
    versioned: &["mariadb", "mariadbd", "mysqld"],
};

/// Reads the groups that MySQL's server reads.
pub(super) fn of_mysql(text: &str) -> Result<Vec<Item>, Unreadable> {
    read(text, &OF_MYSQL)
}

/// Reads the groups that MariaDB's server reads.
pub(super) fn of_mariadb(text: &str) -> Result<Vec<Item>, Unreadable> {
    read(text, &OF_MARIADB)
}

/// The versions of MySQL that groups of their own are for.
pub(super) fn versions_of_mysql(text: &str) -> impl Iterator<Item = Version> {
    versions(text, &["mysqld"])
}

/// The same of MariaDB.
pub(super) fn versions_of_mariadb(text: &str) -> impl Iterator<Item = Version> {
    versions(text, &["mariadb", "mariadbd"])
}

fn versions(text: &str, servers: &'static [&'static str]) -> impl Iterator<Item = Version> {
    let group =
        |line: &str| Some(line.trim().strip_prefix('[')?.split_once(']')?.0.trim().to_ascii_lowercase());
    let version = |group: String| version_of_group(&group, servers);
    text.lines().filter_map(group).filter_map(version)
}

/// `10.11` of `mariadb-10.11`, but nothing of `mariadb-dump`, which a client reads.
fn version_of_group(group: &str, servers: &[&str]) -> Option<Version> {
    let (server, version) = group.split_once('-')?;
    version.parse().ok().filter(|_| servers.contains(&server))
}

impl Groups {
    fn has(&self, group: &str) -> bool {
        self.plain.contains(&group) || version_of_group(group, self.versioned).is_some()
    }
}

fn read(text: &str, groups: &Groups) -> Result<Vec<Item>, Unreadable> {
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
        if groups.has(group) {
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
