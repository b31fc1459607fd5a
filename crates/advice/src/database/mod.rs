//! The databases that get advice, one file each. To add one: its file and its line in [`DATABASES`].

mod data_loader;
mod etcd;
pub(crate) mod innodb;
mod linux;
pub(crate) mod postgresql;
pub(crate) mod rocksdb;
pub(crate) mod sqlite;

use crate::rule::Database;

pub(crate) const DATABASES: &[Database] = &[
    postgresql::DATABASE,
    rocksdb::DATABASE,
    innodb::DATABASE,
    sqlite::DATABASE,
    etcd::DATABASE,
    data_loader::DATABASE,
    linux::DATABASE,
];
