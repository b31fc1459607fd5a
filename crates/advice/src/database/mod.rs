//! The databases that get advice, one file each. To add one: its file and its line in [`DATABASES`].

pub(crate) mod data_loader;
mod etcd;
pub(crate) mod innodb;
mod linux;
mod mariadb;
mod mysql;
pub(crate) mod postgresql;
pub(crate) mod rocksdb;
pub(crate) mod sqlite;

use crate::rule::Database;
use settings::Versions;

pub(crate) const DATABASES: &[Database] = &[
    postgresql::DATABASE,
    rocksdb::DATABASE,
    mysql::DATABASE,
    mariadb::DATABASE,
    sqlite::DATABASE,
    etcd::DATABASE,
    data_loader::DATABASE,
    linux::DATABASE,
];

impl Database {
    /// The database that `syncline run --for` calls so.
    pub(crate) fn named(id: &str) -> Option<&'static Self> {
        DATABASES.iter().find(|database| database.id == id)
    }

    /// The database that users know by this name, in any case of letters.
    pub(crate) fn known_as(name: &str) -> Option<&'static Self> {
        let name = name.to_lowercase();
        let has = |database: &&Self| database.id == name || database.aliases.contains(&name.as_str());
        DATABASES.iter().find(has)
    }

    /// The versions that have a setting; `None` if neither a list of its settings nor a rule has it.
    pub(crate) fn versions(&self, setting: &str) -> Option<Versions> {
        let of_rule = || {
            let rule = self.rules().find(|rule| rule.facts.name == setting)?;
            Some(Versions { since: rule.facts.since, until: None })
        };
        self.names().and_then(|names| names.versions(setting)).or_else(of_rule)
    }
}
