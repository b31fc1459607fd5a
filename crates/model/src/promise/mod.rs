//! What a database server promises with each acknowledged write, by its settings.
//!
//! The tables of servers whose settings are proven are here and not beside the servers, because who judges a
//! configuration starts no server. [`PromiseTable::class`] is the judge: it knows no setting that its table does not
//! name.

mod etcd;
mod mariadb;
mod mysql;
mod postgresql;
mod table;

pub use table::{Promise, PromiseTable, Unstated};

/// Every table.
static TABLES: [&PromiseTable; 4] = [&postgresql::TABLE, &mariadb::TABLE, &mysql::TABLE, &etcd::TABLE];

impl PromiseTable {
    /// Every table.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        TABLES.iter().copied()
    }

    /// The table of a server, as `--for` names it; `None` if there is none.
    pub fn of(server: &str) -> Option<&'static Self> {
        TABLES.iter().find(|table| table.server == server).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DurabilityClass;
    use DurabilityClass::{None as Nothing, Power, Process};

    #[track_caller]
    fn has_class(server: &str, settings: &[(&str, &str)], class: DurabilityClass) {
        let table = PromiseTable::of(server).expect("listed");
        let setting = |name: &str| settings.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        assert_eq!(table.class(setting), Ok(class), "{server}: {settings:?}");
    }

    #[test]
    fn the_class_is_the_weakest_promise_that_the_settings_make() {
        const AT_COMMIT: &str = "innodb_flush_log_at_trx_commit";
        for server in ["mariadb", "mysql"] {
            has_class(server, &[], Power);
            has_class(server, &[("innodb_io_capacity", "100")], Power);
            has_class(server, &[(AT_COMMIT, "1")], Power);
            has_class(server, &[(AT_COMMIT, "2")], Process);
            has_class(server, &[(AT_COMMIT, "0")], Nothing);
            has_class(server, &[("innodb_doublewrite", "off")], Process);
            has_class(server, &[("innodb_doublewrite", "ON"), ("innodb_flush_method", "o_direct")], Power);
            has_class(server, &[("innodb_flush_method", "fsync")], Power);
            has_class(server, &[("innodb_flush_method", "O_DSYNC"), (AT_COMMIT, "2")], Process);
            has_class(server, &[("innodb_doublewrite", "OFF"), (AT_COMMIT, "0")], Nothing);
        }
        has_class("mysql", &[("sync_binlog", "0")], Process);
        has_class("mariadb", &[("sync_binlog", "0")], Power);
        has_class("mariadb", &[("sync_binlog", "0"), ("log_bin", "binlog")], Process);
        has_class("mariadb", &[("sync_binlog", "1"), ("log_bin", "binlog")], Power);
        has_class("etcd", &[], Power);
        has_class("etcd", &[("unsafe-no-fsync", "true")], Nothing);
        has_class("etcd", &[("unsafe-no-fsync", "FALSE"), ("snapshot-count", "1000")], Power);
    }

    #[test]
    fn a_value_that_no_table_has_promises_nothing() {
        for (server, name, value) in [
            ("mariadb", "innodb_flush_method", "nosync"),
            ("mariadb", "innodb_flush_log_at_trx_commit", "7"),
            ("mysql", "innodb_flush_method", "O_DIRECT_NO_FSYNC"),
            ("mysql", "sync_binlog", "100"),
            ("mysql", "innodb_doublewrite", "DETECT_ONLY"),
            ("etcd", "unsafe-no-fsync", "maybe"),
        ] {
            let table = PromiseTable::of(server).expect("listed");
            let unstated = table.class(|asked| (asked == name).then_some(value)).expect_err(value);
            assert_eq!((unstated.name.as_str(), unstated.value.as_str()), (name, value));
            assert!(table.has(name));
        }
        assert!(!PromiseTable::of("mariadb").expect("listed").has("innodb_io_capacity"));
    }

    #[test]
    fn every_table_has_a_default_that_survives_a_power_loss() {
        for table in TABLES {
            let default: Vec<Promise> =
                table.promises().into_iter().filter(|promise| promise.is_default).collect();
            assert!(matches!(&default[..], [only] if only.class == Power), "{}", table.server);
        }
        assert!(PromiseTable::of("valkey").is_none());
    }

    #[test]
    fn a_setting_decides_if_one_of_its_values_weakens_the_promise() {
        let table = PromiseTable::of("postgresql").expect("listed");
        let expected = [
            ("synchronous_commit", "on", Power),
            ("synchronous_commit", "local", Power),
            ("full_page_writes", "off", Process),
            ("synchronous_commit", "off", Nothing),
            ("fsync", "off", Process),
        ];
        assert_eq!(table.deciding().collect::<Vec<_>>(), expected);
    }
}
