//! The version of the database, as far as its settings file says it.

use super::entry::Entry;
use super::mysql_options;
use super::syntax::Syntax;
use super::version::Version;

const DATA_DIRECTORY: &str = "data_directory";
/// Settings of PostgreSQL whose values are paths in which packages have the version.
const PATHS: &[&str] =
    &[DATA_DIRECTORY, "hba_file", "ident_file", "external_pid_file", "stats_temp_directory"];
/// What the name of a directory of PostgreSQL begins with; a longer one comes before its own beginning.
const DIRECTORIES: &[&str] = &["postgresql", "postgres", "pgsql", "pg"];
/// Version numbers of PostgreSQL: a year or a user's number is none.
const MAJORS: std::ops::RangeInclusive<u32> = 9..=40;
/// What pgtune and pgconfig write above their settings.
const COMMENT: &str = "db version:";

/// The version that a file says it is of: RocksDB's `rocksdb_version`, a comment of a tuning tool, or the paths of
/// PostgreSQL's files or the groups of MySQL's and MariaDB's for one version, if these agree.
pub fn version_said(syntax: Syntax, text: &str, entries: &[Entry]) -> Option<Version> {
    match syntax {
        Syntax::PostgresqlConf => in_comment(text).or_else(|| in_paths(entries)),
        Syntax::RocksdbOptions => rocksdb_version(text),
        Syntax::MysqlOptions => agreed(mysql_options::versions_of_mysql(text)),
        Syntax::MariadbOptions => agreed(mysql_options::versions_of_mariadb(text)),
        Syntax::SqlitePragmas | Syntax::EtcdEnvironment | Syntax::Text => None,
    }
}

/// The data directory of PostgreSQL, if the file names it.
pub fn data_directory(entries: &[Entry]) -> Option<&str> {
    let entry = entries.iter().rfind(|entry| entry.name == DATA_DIRECTORY);
    entry.map(|entry| entry.value.as_str()).filter(|value| !value.is_empty())
}

/// The version in a path of PostgreSQL: `/etc/postgresql/15/main`, `/var/lib/pgsql/15/data`, `/opt/pgsql-15/data`.
pub fn version_in_path(path: &str) -> Option<Version> {
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        let rest = DIRECTORIES.iter().find_map(|name| part.strip_prefix(name));
        let version = match rest {
            Some("") => parts.peek().and_then(|next| leading(next)),
            Some(rest) => leading(rest.trim_start_matches(['-', '@', '_'])),
            None => None,
        };
        if version.is_some() {
            return version;
        }
    }
    None
}

/// The version at the beginning of a text: `15-main.pid`, `15`, `9.6`.
fn leading(text: &str) -> Option<Version> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let version: Version = number.trim_end_matches('.').parse().ok()?;
    let is_whole = rest.is_empty() || rest.starts_with('-');
    Some(version).filter(|version| is_whole && MAJORS.contains(&version.major()))
}

fn in_paths(entries: &[Entry]) -> Option<Version> {
    let paths = entries.iter().filter(|entry| PATHS.contains(&entry.name.as_str()));
    agreed(paths.filter_map(|entry| version_in_path(&entry.value)))
}

/// The version, if all are the same.
fn agreed(mut versions: impl Iterator<Item = Version>) -> Option<Version> {
    let first = versions.next()?;
    versions.all(|other| other == first).then_some(first)
}

fn in_comment(text: &str) -> Option<Version> {
    text.lines().find_map(|line| {
        let comment = line.trim().strip_prefix('#')?.trim().to_ascii_lowercase();
        comment.strip_prefix(COMMENT)?.trim().parse().ok()
    })
}

fn rocksdb_version(text: &str) -> Option<Version> {
    text.lines().find_map(|line| line.trim().strip_prefix("rocksdb_version=")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;

    fn said(syntax: Syntax, text: &str) -> Option<String> {
        let entries = read(syntax, text).unwrap();
        version_said(syntax, text, &entries).map(|version| version.to_string())
    }

    #[test]
    fn paths_of_packages_have_the_version() {
        for (path, version) in [
            ("/var/lib/postgresql/15/main", Some("15")),
            ("/etc/postgresql/16/main/pg_hba.conf", Some("16")),
            ("/var/run/postgresql/17-main.pid", Some("17")),
            ("/var/lib/pgsql/18/data", Some("18")),
            ("/var/lib/pgsql/9.6/data", Some("9.6")),
            ("/usr/local/var/postgresql@15", Some("15")),
            ("/opt/pgsql-15/data", Some("15")),
            ("/srv/pg16/data", Some("16")),
            ("/var/lib/pgsql/data", None),
            ("/backup/postgres/2024/data", None),
            ("/srv/pg_data/15", None),
            ("/15/main", None),
            ("", None),
        ] {
            let found = version_in_path(path).map(|version| version.to_string());
            assert_eq!(found.as_deref(), version, "{path}");
        }
    }

    #[test]
    fn a_file_says_its_version_in_paths_or_in_a_comment() {
        let postgresql = |text: &str| said(Syntax::PostgresqlConf, text);
        let debian = "data_directory = '/var/lib/postgresql/15/main'\nhba_file = '/etc/postgresql/15/main/pg_hba.conf'";
        assert_eq!(postgresql(debian).as_deref(), Some("15"));
        assert_eq!(postgresql("# DB Version: 16\nwork_mem = 4MB").as_deref(), Some("16"));
        let odd = "data_directory = '/var/lib/postgresql/15/main'\nhba_file = '/etc/postgresql/16/main/pg_hba.conf'";
        assert_eq!((postgresql(odd), postgresql("fsync = on")), (None, None));
        assert_eq!(postgresql("#data_directory = '/var/lib/postgresql/15/main'"), None);
    }

    #[test]
    fn an_options_file_of_rocksdb_has_its_version() {
        let text = "[Version]\n  rocksdb_version=9.0.1\n  options_file_version=1.1\n[DBOptions]\n";
        assert_eq!(said(Syntax::RocksdbOptions, text).as_deref(), Some("9.0.1"));
        assert_eq!(said(Syntax::RocksdbOptions, "[DBOptions]\n"), None);
    }

    /// Debian's file for MariaDB ends with an empty group for its version.
    #[test]
    fn a_group_of_options_may_be_for_one_version() {
        for (syntax, text, version) in [
            (Syntax::MariadbOptions, "[mysqld]\nport=1\n[mariadb]\n[mariadb-10.11]\n", Some("10.11")),
            (Syntax::MysqlOptions, "[mysqld-8.4]\n", Some("8.4")),
            (Syntax::MysqlOptions, "[mariadb-10.11]\n", None),
            (Syntax::MariadbOptions, "[mysqld-8.4]\n", None),
            (Syntax::MariadbOptions, "[mariadb-10.6]\n[mariadbd-10.11]\n", None),
            (Syntax::MariadbOptions, "[mariadb-x]\n[mariadb-]\n", None),
        ] {
            assert_eq!(said(syntax, text).as_deref(), version, "{text}");
        }
    }

    #[test]
    fn the_last_data_directory_counts() {
        let entries = read(Syntax::PostgresqlConf, "data_directory = '/a'\ndata_directory = '/b'").unwrap();
        assert_eq!(data_directory(&entries), Some("/b"));
        assert_eq!(data_directory(&[]), None);
    }
}
