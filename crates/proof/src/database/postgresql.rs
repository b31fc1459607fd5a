//! PostgreSQL 18: servers that take turns under the workload `transactions`.
//!
//! Defaults: <https://www.postgresql.org/docs/18/runtime-config-wal.html>,
//! <https://www.postgresql.org/docs/18/runtime-config-resource.html>,
//! <https://www.postgresql.org/docs/18/runtime-config-query.html>.

use super::known::{Known, known};
use super::{Database, Levels, duration, levels};
use crate::load::Load;
use crate::server::Server;
use crate::work::Work;
use advice::Syntax;
use model::Script;

pub(super) static DATABASE: Database = Database {
    id: "postgresql",
    name: "PostgreSQL",
    instance: "PostgreSQL server",
    settings_file: "postgresql.conf",
    syntax: Syntax::PostgresqlConf,
    note: None,
    has_programs: true,
    workload: "transactions",
    settings: SETTINGS,
    loads_of_others: TRANSACTIONS,
    reserved: RESERVED,
    fixed,
    levels: arm,
};

/// For what acts in a commit's write to the log.
const COMMIT: &[Load] =
    &[Load::of(Script::Insert, 1), Load::of(Script::SimpleUpdate, 8), Load::of(Script::Insert, 32)];
/// For what acts in the making of a segment of the log.
const SEGMENTS: &[Load] =
    &[Load::of(Script::Insert, 1).with_fresh_segments(), Load::of(Script::Insert, 32).with_fresh_segments()];
/// For what acts in commits that wait for each other.
const GROUP_COMMIT: &[Load] =
    &[Load::of(Script::Insert, 1), Load::of(Script::Insert, 8), Load::of(Script::Insert, 32)];
/// For what acts in reads from the disk.
const READS: &[Load] = &[Load::of(Script::SequentialScan, 1), Load::of(Script::IndexScan, 1)];
/// For what acts in the choice of a plan.
const PLANS: &[Load] = &[Load::of(Script::Queries, 1)];
/// For what acts in transactions of any kind, and for what nobody here knows.
const TRANSACTIONS: &[Load] = &[Load::of(Script::TpcbLike, 8)];
/// For what acts in VACUUM, in temporary tables or in whole cycles of checkpoints: no load here does that.
const ELSEWHERE: &[Load] = &[];

const SETTINGS: &[Known] = &[
    known("wal_sync_method", COMMIT, "fdatasync", &["open_datasync", "fsync", "open_sync"]),
    known("wal_compression", COMMIT, "off", &["pglz", "lz4"]),
    known("wal_buffers", COMMIT, "-1", &["64MB"]),
    known("wal_init_zero", SEGMENTS, "on", &["off"]),
    known("wal_recycle", ELSEWHERE, "on", &[]),
    known("wal_writer_delay", COMMIT, "200ms", &[]),
    known("wal_writer_flush_after", COMMIT, "1MB", &[]),
    known("wal_log_hints", COMMIT, "off", &[]),
    known("commit_delay", GROUP_COMMIT, "0", &["50", "200"]),
    known("commit_siblings", GROUP_COMMIT, "5", &[]),
    known("io_method", READS, "worker", &["io_uring", "sync"]),
    known("io_workers", READS, "3", &["8"]),
    known("effective_io_concurrency", READS, "16", &["1", "64", "200"]),
    known("io_combine_limit", READS, "128kB", &["32kB"]),
    known("io_max_combine_limit", READS, "128kB", &[]),
    known("io_max_concurrency", READS, "-1", &[]),
    known("debug_io_direct", READS, "", &[]),
    known("random_page_cost", PLANS, "4.0", &["1.1", "2.0"]),
    known("seq_page_cost", PLANS, "1.0", &[]),
    known("effective_cache_size", PLANS, "4GB", &[]),
    known("shared_buffers", TRANSACTIONS, "128MB", &[]),
    known("huge_pages", TRANSACTIONS, "try", &[]),
    known("backend_flush_after", TRANSACTIONS, "0", &[]),
    known("bgwriter_flush_after", TRANSACTIONS, "512kB", &[]),
    known("checkpoint_flush_after", ELSEWHERE, "256kB", &[]),
    known("checkpoint_timeout", ELSEWHERE, "5min", &[]),
    known("checkpoint_completion_target", ELSEWHERE, "0.9", &[]),
    known("max_wal_size", ELSEWHERE, "1GB", &[]),
    known("min_wal_size", ELSEWHERE, "80MB", &[]),
    known("full_page_writes", TRANSACTIONS, "on", &[]),
    known("fsync", TRANSACTIONS, "on", &[]),
    known("synchronous_commit", TRANSACTIONS, "on", &[]),
    known("maintenance_io_concurrency", ELSEWHERE, "16", &[]),
    known("temp_buffers", ELSEWHERE, "8MB", &[]),
];

const RESERVED: &[&str] = &[
    "archive_command",
    "archive_mode",
    "autovacuum*",
    "cluster_name",
    "config_file",
    "data_directory",
    "dynamic_shared_memory_type",
    "external_pid_file",
    "hba_file",
    "ident_file",
    "listen_addresses",
    "log_autovacuum*",
    "log_checkpoints",
    "logging_collector",
    "log_directory",
    "log_filename",
    "log_destination",
    "max_connections",
    "port",
    "primary_conninfo",
    "restore_command",
    "shared_preload_libraries",
    "ssl",
    "ssl_cert_file",
    "ssl_key_file",
    "synchronous_standby_names",
    "unix_socket_directories",
    "unix_socket_group",
    "unix_socket_permissions",
];

fn fixed(load: Load, runtime_s: f64) -> Option<Levels> {
    let Work::Transactions(script) = load.work else { return None };
    Some(levels([
        ("script", script.to_string()),
        ("clients", load.clients.to_string()),
        ("scale", scale(script).to_string()),
        ("wal_segments", if load.has_fresh_segments { "fresh" } else { "prefilled" }.to_owned()),
        ("runtime", duration(runtime_s)),
    ]))
}

/// pgbench's scale: a commit-bound insert needs no data, and the others read tables that are larger than PostgreSQL's default
/// `shared_buffers`.
const fn scale(script: Script) -> u32 {
    match script {
        Script::Insert => 1,
        Script::TpcbLike
        | Script::SimpleUpdate
        | Script::SelectOnly
        | Script::SequentialScan
        | Script::IndexScan
        | Script::Queries => 10,
    }
}

fn arm(server: &Server) -> Result<Levels, String> {
    let none = || "none".to_owned();
    Ok(levels([
        ("settings", server.settings()?.to_string()),
        ("programs", server.programs.clone().unwrap_or_else(none)),
        ("directory", server.directory.clone().unwrap_or_else(none)),
    ]))
}
