//! MySQL: servers that take turns under the workload `requests`.
//!
//! Names and defaults: <https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html>,
//! <https://dev.mysql.com/doc/refman/8.4/en/replication-options-binary-log.html>. Its binary log is on, and every commit
//! syncs it. What advice has a rule for has its default there.

use super::description::{Database, Levels};
use super::known::{Known, known};
use super::mariadb::{CYCLES, ELSEWHERE, NOTE, PAGE_WRITES, PAGES, ROWS, has_cycles};
use super::requests;
use crate::conditions::Conditions;
use crate::load::Load;
use crate::work::{RequestWork, Work};
use settings::Syntax;
use workload::requests::ServerKind;

pub(super) static DATABASE: Database = Database {
    id: "mysql",
    name: "MySQL",
    instance: "MySQL server",
    settings_file: "my.cnf",
    syntax: Syntax::MysqlOptions,
    first_in_file: &[],
    note: Some(NOTE),
    has_programs: true,
    server: Some("mysql"),
    advised_as: Some("mysql"),
    promised_with: &[],
    workload: "requests",
    settings: SETTINGS,
    proposed: &[
        ("innodb_log_writer_threads", "OFF"),
        ("innodb_io_capacity", "1000"),
        ("innodb_use_fdatasync", "ON"),
    ],
    loads_of_servers: COMMIT,
    reserved: &[],
    fixed,
    pool_bytes: None,
    levels: requests::arm,
};

/// For what acts in a commit's writes to the log and to the binary log.
const COMMIT: &[Load] = &[
    Load::asking(RequestWork::InsertRow, 1),
    Load::asking(RequestWork::InsertRow, 8),
    Load::asking(RequestWork::InsertRow, 32),
];
/// For what acts in syncs of every file.
const SYNCS: &[Load] = &[Load::asking(RequestWork::InsertRow, 1), Load::asking(RequestWork::UpdateRow, 8)];

const SETTINGS: &[Known] = &[
    known("innodb_flush_method", PAGES),
    known("innodb_use_fdatasync", SYNCS),
    known("innodb_io_capacity", CYCLES),
    known("innodb_io_capacity_max", CYCLES),
    known("innodb_flush_neighbors", PAGE_WRITES),
    known("innodb_doublewrite", PAGE_WRITES),
    known("innodb_doublewrite_pages", PAGE_WRITES).trying("128", &["32"]),
    known("innodb_lru_scan_depth", PAGE_WRITES).trying("1024", &["256"]),
    known("innodb_use_native_aio", PAGES).trying("ON", &["OFF"]),
    known("innodb_read_io_threads", PAGES).trying("4", &["16"]),
    known("innodb_write_io_threads", PAGE_WRITES).trying("4", &["16"]),
    known("innodb_log_write_ahead_size", COMMIT).trying("8192", &["4096", "512"]),
    known("innodb_log_writer_threads", COMMIT).trying("ON", &["OFF"]),
    known("binlog_group_commit_sync_delay", COMMIT).trying("0", &["100", "1000"]),
    known("binlog_group_commit_sync_no_delay_count", COMMIT).trying("0", &["8"]),
    known("innodb_redo_log_capacity", CYCLES).trying("104857600", &["419430400"]),
    known("innodb_flush_log_at_trx_commit", COMMIT),
    known("sync_binlog", COMMIT),
    known("innodb_buffer_pool_size", ELSEWHERE),
];

fn fixed(load: Load, conditions: Conditions) -> Option<Levels> {
    let is_on_rows = match load.work {
        Work::Requests(work) => match work {
            RequestWork::InsertRow | RequestWork::UpdateRow | RequestWork::ReadRow => true,
            // Every commit is in the binary log.
            RequestWork::InsertRowLogged | RequestWork::PutKey | RequestWork::RangeKeys => false,
        },
        Work::Transactions(_) | Work::Store(_) => false,
    };
    requests::fixed(ServerKind::MySql, ROWS, load, conditions).filter(|_| is_on_rows && has_cycles(load))
}
