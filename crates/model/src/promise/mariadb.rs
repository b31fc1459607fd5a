//! MariaDB: a row is acknowledged as `innodb_flush_log_at_trx_commit` says, and as `sync_binlog` does if there is a
//! binary log, which recovery believes.

use super::table::{Promise, PromiseTable};
use crate::DurabilityClass;

const INNODB: &str =
    "https://mariadb.com/docs/server/server-usage/storage-engines/innodb/innodb-system-variables";
const BINARY_LOG: &str = "https://mariadb.com/docs/server/ha-and-performance/standard-replication/replication-and-binary-log-system-variables";
const AT_COMMIT: &str = "innodb_flush_log_at_trx_commit";

pub(super) static TABLE: PromiseTable = PromiseTable {
    server: "mariadb",
    promises,
    keeping: &[
        ("innodb_doublewrite", &["ON"]),
        // Those that no promise has leave out a sync of the data files or of the log.
        ("innodb_flush_method", &["O_DIRECT"]),
        ("log_bin", &["OFF", "binlog"]),
    ],
};

fn promises() -> Vec<Promise> {
    vec![
        Promise::new(DurabilityClass::Power, INNODB, &[(AT_COMMIT, "1")]).by_default(),
        Promise::new(
            DurabilityClass::Power,
            INNODB,
            &[("sync_binlog", "1"), ("log_bin", "binlog"), (AT_COMMIT, "1")],
        ),
        Promise::new(DurabilityClass::Power, INNODB, &[("innodb_flush_method", "fsync"), (AT_COMMIT, "1")]),
        Promise::new(DurabilityClass::Power, INNODB, &[("innodb_flush_method", "O_DSYNC"), (AT_COMMIT, "1")]),
        // "If set to 0, the operating system handles flushing the file to disk": what the binary log has not, recovery
        // takes back.
        Promise::new(
            DurabilityClass::Process,
            BINARY_LOG,
            &[("sync_binlog", "0"), ("log_bin", "binlog"), (AT_COMMIT, "1")],
        )
        .recovering(),
        // The doublewrite buffer is for a power failure in the middle of a page.
        Promise::new(DurabilityClass::Process, INNODB, &[("innodb_doublewrite", "0"), (AT_COMMIT, "1")]),
        Promise::new(DurabilityClass::Process, INNODB, &[(AT_COMMIT, "2")]).recovering(),
        Promise::new(DurabilityClass::None, INNODB, &[(AT_COMMIT, "0")]).recovering(),
    ]
}
