//! MySQL: a row is acknowledged as `innodb_flush_log_at_trx_commit` and `sync_binlog` say. Its binary log is on by
//! default, and recovery takes back what InnoDB has and the binary log has not.

use super::table::{Promise, PromiseTable};
use crate::DurabilityClass;

const INNODB: &str = "https://dev.mysql.com/doc/refman/en/innodb-parameters.html";
const BINARY_LOG: &str = "https://dev.mysql.com/doc/refman/en/replication-options-binary-log.html";
const AT_COMMIT: &str = "innodb_flush_log_at_trx_commit";

pub(super) static TABLE: PromiseTable = PromiseTable {
    server: "mysql",
    promises,
    keeping: &[("innodb_doublewrite", &["ON", "DETECT_AND_RECOVER"]), ("innodb_flush_method", &["O_DIRECT"])],
};

fn promises() -> Vec<Promise> {
    vec![
        Promise::new(DurabilityClass::Power, INNODB, &[(AT_COMMIT, "1"), ("sync_binlog", "1")]).by_default(),
        Promise::new(
            DurabilityClass::Power,
            INNODB,
            &[("innodb_flush_method", "fsync"), (AT_COMMIT, "1"), ("sync_binlog", "1")],
        ),
        Promise::new(
            DurabilityClass::Power,
            INNODB,
            &[("innodb_flush_method", "O_DSYNC"), (AT_COMMIT, "1"), ("sync_binlog", "1")],
        ),
        Promise::new(DurabilityClass::Process, INNODB, &[("innodb_doublewrite", "OFF"), (AT_COMMIT, "1")]),
        Promise::new(DurabilityClass::Process, BINARY_LOG, &[("sync_binlog", "0"), (AT_COMMIT, "1")])
            .recovering(),
        Promise::new(DurabilityClass::Process, INNODB, &[(AT_COMMIT, "2"), ("sync_binlog", "1")])
            .recovering(),
        Promise::new(DurabilityClass::None, INNODB, &[(AT_COMMIT, "0"), ("sync_binlog", "1")]).recovering(),
    ]
}
