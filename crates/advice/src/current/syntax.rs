//! The reader for each syntax.

use super::entry::{Item, Unreadable};
use super::{mysql_options, postgresql_conf, rocksdb_options, sqlite_pragmas};
use crate::setting::Syntax;

/// The syntax of a file with this name; `None` if the name does not determine one.
pub fn syntax_of(name: &str) -> Option<Syntax> {
    let name = name.to_ascii_lowercase();
    if name.starts_with("options-") {
        return Some(Syntax::RocksdbOptions);
    }
    match name.rsplit_once('.')?.1 {
        "conf" => Some(Syntax::PostgresqlConf),
        "cnf" => Some(Syntax::MysqlOptions),
        "ini" => Some(Syntax::RocksdbOptions),
        "sql" => Some(Syntax::SqlitePragmas),
        _ => None,
    }
}

/// The lines of a file, without empty lines and comments.
pub(super) fn items(syntax: Syntax, text: &str) -> Result<Vec<Item>, Unreadable> {
    match syntax {
        Syntax::PostgresqlConf => postgresql_conf::read(text),
        Syntax::MysqlOptions => mysql_options::read(text),
        Syntax::RocksdbOptions => rocksdb_options::read(text),
        Syntax::SqlitePragmas => sqlite_pragmas::read(text),
        Syntax::Text => Err(Unreadable::at(1, "this program has no settings file to compare with")),
    }
}
