//! The syntaxes, and the reader for each.

use super::entry::{Item, Unreadable};
use super::{etcd_environment, mysql_options, postgresql_conf, rocksdb_options, sqlite_pragmas};
use serde::Serialize;

/// The syntax of a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Syntax {
    /// `postgresql.conf`.
    PostgresqlConf,
    /// MySQL's option file; settings of the server are in its group `mysqld`.
    MysqlOptions,
    /// MariaDB's option file; it also has groups that MySQL skips, such as `mariadbd`.
    MariadbOptions,
    /// RocksDB's `OPTIONS` file.
    RocksdbOptions,
    /// SQL with SQLite's pragmas.
    SqlitePragmas,
    /// Environment variables of etcd.
    EtcdEnvironment,
    /// For people: the program has no settings file.
    Text,
}

/// The syntaxes that a file with this name may have; none if its name says nothing.
pub fn syntaxes_of(name: &str) -> &'static [Syntax] {
    let name = name.to_ascii_lowercase();
    if name.starts_with("options-") {
        return &[Syntax::RocksdbOptions];
    }
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("conf") => &[Syntax::PostgresqlConf],
        Some("cnf") => &[Syntax::MysqlOptions, Syntax::MariadbOptions],
        Some("ini") => &[Syntax::RocksdbOptions],
        Some("sql") => &[Syntax::SqlitePragmas],
        Some("env") => &[Syntax::EtcdEnvironment],
        Some(_) | None => &[],
    }
}

/// The lines of a file, without empty lines and comments.
pub(super) fn items(syntax: Syntax, text: &str) -> Result<Vec<Item>, Unreadable> {
    match syntax {
        Syntax::PostgresqlConf => postgresql_conf::read(text),
        Syntax::MysqlOptions => mysql_options::of_mysql(text),
        Syntax::MariadbOptions => mysql_options::of_mariadb(text),
        Syntax::RocksdbOptions => rocksdb_options::read(text),
        Syntax::SqlitePragmas => sqlite_pragmas::read(text),
        Syntax::EtcdEnvironment => etcd_environment::read(text),
        Syntax::Text => Err(Unreadable::at(1, "this program has no settings file to compare with")),
    }
}
