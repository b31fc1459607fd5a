//! Layouts of databases: what a file is to the database that has it open. One file each.

mod etcd;
mod file;
mod innodb;
mod mariadb;
mod mysql;
mod postgresql;
mod rocksdb;
mod sqlite;

pub use file::{Layout, Role};

use file::Found;
use std::path::{Path, PathBuf};

/// The list. MariaDB has all files of MySQL, and more.
pub const LAYOUTS: &[Layout] =
    &[postgresql::LAYOUT, mariadb::LAYOUT, mysql::LAYOUT, etcd::LAYOUT, rocksdb::LAYOUT, sqlite::LAYOUT];

/// A file of a database that was recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recognised {
    pub database: &'static str,
    /// The directory of the database, or its one file.
    pub root: PathBuf,
    pub role: Role,
}

/// What a file is, by the first layout that has it.
pub fn recognise(path: &Path, exists: &dyn Fn(&Path) -> bool) -> Option<Recognised> {
    LAYOUTS.iter().find_map(|layout| {
        let Found { root, role } = (layout.recognise)(path, exists)?;
        Some(Recognised { database: layout.name, root, role })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of databases that exist, and what each is.
    #[test]
    fn files_of_databases_are_recognised() {
        let there = [
            "/pg/PG_VERSION",
            "/pg/global",
            "/pg/base/5/PG_VERSION",
            "/my/ibdata1",
            "/maria/ibdata1",
            "/maria/aria_log_control",
            "/etcd/member/wal",
            "/etcd/member/snap",
            "/rocks/CURRENT",
            "/rocks/IDENTITY",
            "/app/users.db-wal",
            "/app/old.sqlite-journal",
        ];
        let exists = |path: &Path| there.iter().any(|there| Path::new(there) == path);
        let check = |path: &str, expected: Option<(&'static str, &str, Role)>| {
            let found = recognise(Path::new(path), &exists);
            let expected =
                expected.map(|(database, root, role)| Recognised { database, root: root.into(), role });
            assert_eq!(found, expected, "{path}");
        };
        let postgresql = |role| Some(("PostgreSQL", "/pg", role));
        check("/pg/pg_wal/000000010000000000000001", postgresql(Role::Log));
        check("/pg/base/5/16384_vm.1", postgresql(Role::Data));
        check("/pg/base/5/t3_16391", postgresql(Role::Temporary));
        check("/pg/base/pgsql_tmp/pgsql_tmp4242.0", postgresql(Role::Temporary));
        check("/pg/base/5/pg_internal.init", postgresql(Role::Other));
        check("/pg/pg_xact/0000", postgresql(Role::Data));
        check("/pg/pg_stat_tmp/db_0.stat", postgresql(Role::Other));
        check("/pg/log/postgresql.log", postgresql(Role::Other));
        // The log on a disk of its own, and a tablespace.
        check("/fast/0000000100000000000000A3", Some(("PostgreSQL", "/fast", Role::Log)));
        check("/big/PG_18_202506291/5/16400", Some(("PostgreSQL", "/big", Role::Data)));
        check("/big/PG_18_202506291/pgsql_tmp/pgsql_tmp1.0", Some(("PostgreSQL", "/big", Role::Temporary)));
        let mysql = |role| Some(("MySQL", "/my", role));
        check("/my/ib_logfile0", mysql(Role::Log));
        check("/my/#innodb_redo/#ib_redo7", mysql(Role::Log));
        check("/my/binlog.000012", mysql(Role::Log));
        check("/my/shop/orders.ibd", mysql(Role::Data));
        check("/my/#innodb_temp/temp_1.ibt", mysql(Role::Temporary));
        check("/my/ibtmp1", mysql(Role::Temporary));
        check("/my/server.err", mysql(Role::Other));
        let mariadb = |role| Some(("MariaDB", "/maria", role));
        check("/maria/ib_logfile0", mariadb(Role::Log));
        check("/maria/shop/orders.ibd", mariadb(Role::Data));
        check("/maria/aria_log.00000001", mariadb(Role::Log));
        let etcd = |role| Some(("etcd", "/etcd", role));
        check("/etcd/member/wal/0000000000000000-0000000000000000.wal", etcd(Role::Log));
        check("/etcd/member/snap/db", etcd(Role::Data));
        check("/etcd/member/wal/0.tmp", etcd(Role::Temporary));
        let rocksdb = |role| Some(("RocksDB", "/rocks", role));
        check("/rocks/000012.log", rocksdb(Role::Log));
        check("/rocks/MANIFEST-000005", rocksdb(Role::Log));
        check("/rocks/000033.sst", rocksdb(Role::Data));
        check("/rocks/LOG", rocksdb(Role::Other));
        let sqlite = |role| Some(("SQLite", "/app/users.db", role));
        check("/app/users.db-wal", sqlite(Role::Log));
        check("/app/users.db", sqlite(Role::Data));
        check("/app/users.db-shm", sqlite(Role::Other));
        check("/app/old.sqlite", Some(("SQLite", "/app/old.sqlite", Role::Data)));
        check("/var/tmp/etilqs_0123", Some(("SQLite", "/var/tmp", Role::Temporary)));
        check("/app/notes.txt", None);
    }
}
