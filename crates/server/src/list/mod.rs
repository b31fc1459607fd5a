//! The servers, one file each, and the list of them.

mod clickhouse;
mod embedded;
mod etcd;
mod mariadb;
mod mysql;
mod mysql_client;
mod nats;
mod postgres;
mod valkey;

use crate::Server;
use embedded::Embedded;
use engine::EngineKind;

pub use embedded::serve;

/// Every server, in the order of the table.
pub fn all() -> &'static [&'static dyn Server] {
    &[
        &postgres::Postgresql,
        &mariadb::MariaDb,
        &mysql::MySql,
        &etcd::Etcd,
        &valkey::Valkey,
        &nats::Nats,
        &clickhouse::ClickHouse,
        &Embedded(EngineKind::Sqlite),
        &Embedded(EngineKind::RocksDb),
        &Embedded(EngineKind::Store),
        &Embedded(EngineKind::Fjall),
        &Embedded(EngineKind::Redb),
        &Embedded(EngineKind::Lmdb),
    ]
}

/// The server that `--for` names.
pub fn named(name: &str) -> Option<&'static dyn Server> {
    all().iter().copied().find(|server| server.name() == name)
}
