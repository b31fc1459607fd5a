//! The databases whose settings can be proven, one file each. To add one: its file and its line in [`DATABASES`].

mod description;
mod etcd;
mod known;
mod mariadb;
mod mysql;
mod postgresql;
mod requests;
mod rocksdb;
mod sqlite;
#[cfg(test)]
mod tests;

pub use description::Database;

use serde::{Deserialize, Deserializer, de};

/// The databases; the first is the one that a proof is about if nobody names another.
static DATABASES: [&Database; 6] = [
    &postgresql::DATABASE,
    &mariadb::DATABASE,
    &mysql::DATABASE,
    &etcd::DATABASE,
    &rocksdb::DATABASE,
    &sqlite::DATABASE,
];

impl Database {
    /// The database of this name on the command line.
    ///
    /// # Errors
    /// A clause that names the others.
    pub fn named(id: &str) -> Result<&'static Self, String> {
        DATABASES.iter().find(|database| database.id == id).copied().ok_or_else(|| {
            let known: Vec<&str> = DATABASES.iter().map(|database| database.id).collect();
            format!("only the settings of {} can be proven, not those of {id}", known.join(", "))
        })
    }
}

impl<'de> Deserialize<'de> for &'static Database {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = String::deserialize(deserializer)?;
        Database::named(&id).map_err(de::Error::custom)
    }
}
