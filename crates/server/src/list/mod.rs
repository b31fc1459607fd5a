//! The servers, one file each, and the list of them.

mod etcd;
mod mariadb;
mod postgres;
mod valkey;

use crate::Server;

/// Every server, in the order of the table.
pub fn all() -> &'static [&'static dyn Server] {
    &[&postgres::Postgresql, &mariadb::MariaDb, &etcd::Etcd, &valkey::Valkey]
}

/// The server that `--for` names.
pub fn named(name: &str) -> Option<&'static dyn Server> {
    all().iter().copied().find(|server| server.name() == name)
}
