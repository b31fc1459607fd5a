//! MariaDB: servers that take turns under the workload `requests`.
//!
//! Names and defaults: <https://mariadb.com/docs/server/server-usage/storage-engines/innodb/innodb-system-variables>,
//! <https://mariadb.com/docs/server/ha-and-performance/standard-replication/replication-and-binary-log-system-variables>,
//! and what `mariadbd --verbose --help` of 10.11 prints. They are not MySQL's: `innodb_io_capacity` is 200,
//! `innodb_flush_neighbors` 1, and there is no `innodb_use_fdatasync`. What advice has a rule for has its default
//! there.

use super::description::{Database, Levels};
use super::known::{Known, known};
use super::requests;
use crate::conditions::Conditions;
use crate::load::Load;
use crate::work::RequestWork;
use advice::DefaultValue;
use settings::Syntax;
use workload::requests::ServerKind;

pub(super) static DATABASE: Database = Database {
    id: "mariadb",
    name: "MariaDB",
    instance: "MariaDB server",
    settings_file: "mariadb.cnf",
    syntax: Syntax::MariadbOptions,
    first_in_file: &[],
    note: Some(NOTE),
    has_programs: true,
    server: Some("mariadb"),
    advised_as: Some("mariadb"),
    promised_with: &[("log_bin", "binlog"), ("sync_binlog", "1")],
    workload: "requests",
    settings: SETTINGS,
    proposed: &[
        ("innodb_flush_neighbors", "0"),
        ("innodb_io_capacity", "1000"),
        ("innodb_log_write_ahead_size", "4096"),
    ],
    loads_of_servers: COMMIT,
    reserved: &[],
    fixed,
    pool_bytes: None,
    levels: requests::arm,
};

/// How the arms of MariaDB and MySQL differ from a user's server.
pub(super) const NOTE: &str = "Every server has a buffer pool of 32 MiB and a table three times as large, so that reads and \
                               updates pass beyond it, and a log of 32 MiB. Over whole cycles of the log, the pool \
                               holds the table, and sizes of the log are divided by log_scale.";

/// For what acts in a commit's write to the log.
const COMMIT: &[Load] = &[Load::asking(RequestWork::InsertRow, 1), Load::asking(RequestWork::InsertRow, 32)];
/// For what acts in commits that wait for each other at the binary log.
const GROUP_COMMIT: &[Load] = &[
    Load::asking(RequestWork::InsertRowLogged, 1),
    Load::asking(RequestWork::InsertRowLogged, 8),
    Load::asking(RequestWork::InsertRowLogged, 32),
];
const UPDATES: Load = Load::asking(RequestWork::UpdateRow, 8);
const READS: Load = Load::asking(RequestWork::ReadRow, 8);
/// For what acts when pages are written.
pub(super) const PAGE_WRITES: &[Load] = &[UPDATES];
/// For what acts in reads and in writes of pages.
pub(super) const PAGES: &[Load] = &[UPDATES, READS];
/// For what acts when pages are written because the log comes round, and not for want of room in the pool.
pub(super) const CYCLES: &[Load] = &[UPDATES.with_checkpoints()];
/// For the size of the pool: every arm has the same. The others are refused if they promise less.
pub(super) const ELSEWHERE: &[Load] = &[];

const SETTINGS: &[Known] = &[
    known("innodb_flush_method", PAGES),
    known("innodb_io_capacity", CYCLES),
    known("innodb_io_capacity_max", CYCLES),
    known("innodb_flush_neighbors", PAGE_WRITES),
    known("innodb_lru_scan_depth", PAGE_WRITES)
        .trying_over(DefaultValue::Since { version: "10.5", value: "1536", before: "1024" }, &["256"]),
    known("innodb_use_native_aio", PAGES).trying("ON", &["OFF"]),
    known("innodb_read_io_threads", PAGES).trying("4", &["16"]),
    known("innodb_write_io_threads", PAGE_WRITES).trying("4", &["16"]),
    known("innodb_log_write_ahead_size", COMMIT)
        .trying_over(DefaultValue::Since { version: "10.11.8", value: "512", before: "8192" }, &["4096"]),
    known("binlog_commit_wait_count", GROUP_COMMIT).trying("0", &["8"]),
    known("binlog_commit_wait_usec", GROUP_COMMIT).trying("100000", &["1000"]),
    known("innodb_log_buffer_size", COMMIT).trying("16777216", &["67108864"]),
    known("innodb_log_file_size", CYCLES).trying("100663296", &["402653184"]),
    known("innodb_doublewrite", PAGE_WRITES),
    known("innodb_flush_log_at_trx_commit", COMMIT),
    known("sync_binlog", GROUP_COMMIT),
    known("innodb_buffer_pool_size", ELSEWHERE),
];

fn fixed(load: Load, conditions: Conditions) -> Option<Levels> {
    requests::fixed(ServerKind::MariaDb, ROWS, load, conditions)
        .filter(|_| is_on_rows(load) && has_cycles(load))
}

/// 100 MiB of rows.
pub(super) const ROWS: u32 = 100_000;

/// Whether the clients of a load over whole cycles of the log update rows, as only those do that fill it.
pub(super) fn has_cycles(load: Load) -> bool {
    !load.has_checkpoints || load.work == crate::work::Work::Requests(RequestWork::UpdateRow)
}

/// Whether a load is about rows, not about keys.
pub(super) fn is_on_rows(load: Load) -> bool {
    use crate::work::Work;
    match load.work {
        Work::Requests(work) => match work {
            RequestWork::InsertRow
            | RequestWork::InsertRowLogged
            | RequestWork::UpdateRow
            | RequestWork::ReadRow => true,
            RequestWork::PutKey | RequestWork::RangeKeys => false,
        },
        Work::Transactions(_) | Work::Store(_) => false,
    }
}
