//! PostgreSQL 18: servers that take turns under the workload `transactions`.

use super::description::{Database, Levels, duration, levels};
use super::known::{Known, known};
use crate::conditions::Conditions;
use crate::load::Load;
use crate::server::Server;
use crate::work::Work;
use model::{Action, EVERY_TRIAL, Script};
use settings::Syntax;
use std::path::PathBuf;
use workload::transactions::{Checkpoints, PARAMETERS, WalSegments, scale_beyond, shared_buffers_bytes};

pub(super) static DATABASE: Database = Database {
    id: "postgresql",
    name: "PostgreSQL",
    instance: "PostgreSQL server",
    settings_file: "postgresql.conf",
    syntax: Syntax::PostgresqlConf,
    first_in_file: &[],
    note: None,
    has_programs: true,
    server: None,
    advised_as: Some("postgresql"),
    promised_with: &[],
    workload: "transactions",
    settings: SETTINGS,
    proposed: &[],
    loads_of_servers: TRANSACTIONS,
    reserved: RESERVED,
    fixed,
    pool_bytes: Some(shared_buffers),
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
/// For what acts in reads from the disk: every way to the rows, and two sizes of those that read ahead, because that
/// pays only if there is much to read.
const READS: &[Load] = &of_one_client(Script::SCANS);
/// For what acts in reading ahead. A plain index scan of PostgreSQL 18 reads one page and waits for it (`ReadBuffer`
/// passes `READ_BUFFERS_SYNCHRONOUSLY`), so none of these settings can touch it.
const READS_AHEAD: &[Load] = &of_one_client([
    Script::SequentialScan,
    Script::IndexScan,
    Script::LargeIndexScan,
    Script::SmallSequentialScan,
]);
/// For what acts in the choice of a plan.
const PLANS: &[Load] = &[Load::of(Script::Queries, 1)];
/// For what acts in transactions of any kind, and for servers of other builds or on other file systems.
const TRANSACTIONS: &[Load] = &[Load::of(Script::TpcbLike, 8)];
/// For what acts in whole cycles of checkpoints: single rows are changed all over tables that are larger than
/// `shared_buffers`.
const CYCLES: &[Load] = &[Load::of(Script::SimpleUpdate, 8).with_checkpoints()];
/// For what acts in maintenance: ANALYZE reads pages as VACUUM does.
const MAINTENANCE: &[Load] = &[Load::of(Script::Analyze, 1)];
/// For what acts in temporary tables: no load here has any. Nor does `checkpoint_timeout` act: a timeout runs on while
/// other servers have their turns. No server here has a background writer, which would write in those turns.
const ELSEWHERE: &[Load] = &[];

const fn of_one_client<const N: usize>(scripts: [Script; N]) -> [Load; N] {
    let mut loads = [Load::of(Script::Insert, 1); N];
    let mut place = 0;
    while place < N {
        loads[place] = Load::of(scripts[place], 1);
        place += 1;
    }
    loads
}

const SETTINGS: &[Known] = &[
    known("wal_sync_method", COMMIT),
    known("wal_compression", CYCLES),
    known("wal_buffers", COMMIT),
    known("wal_init_zero", SEGMENTS),
    known("wal_recycle", CYCLES),
    known("wal_writer_delay", COMMIT),
    known("wal_writer_flush_after", COMMIT),
    known("wal_log_hints", ELSEWHERE),
    known("commit_delay", GROUP_COMMIT),
    known("commit_siblings", GROUP_COMMIT),
    known("io_method", READS),
    known("io_workers", READS_AHEAD),
    known("effective_io_concurrency", READS_AHEAD),
    known("io_combine_limit", READS_AHEAD),
    known("io_max_combine_limit", READS_AHEAD),
    known("io_max_concurrency", READS_AHEAD),
    known("debug_io_direct", READS),
    known("random_page_cost", PLANS),
    known("seq_page_cost", PLANS),
    known("effective_cache_size", PLANS),
    known("shared_buffers", TRANSACTIONS),
    known("huge_pages", TRANSACTIONS),
    known("backend_flush_after", CYCLES),
    known("bgwriter_flush_after", ELSEWHERE),
    known("checkpoint_flush_after", CYCLES),
    known("checkpoint_timeout", ELSEWHERE),
    known("checkpoint_completion_target", CYCLES).trying("0.9", &["0.5"]),
    known("max_wal_size", CYCLES),
    known("min_wal_size", CYCLES),
    known("full_page_writes", TRANSACTIONS),
    known("fsync", TRANSACTIONS),
    known("synchronous_commit", TRANSACTIONS),
    known("maintenance_io_concurrency", MAINTENANCE),
    known("temp_buffers", ELSEWHERE),
];

const RESERVED: &[&str] = &[
    "archive_mode",
    "autovacuum*",
    "cluster_name",
    "dynamic_shared_memory_type",
    "listen_addresses",
    "log_autovacuum*",
    "log_checkpoints",
    "logging_collector",
    "log_destination",
    "max_connections",
    "port",
    "primary_conninfo",
    "ssl",
    "synchronous_standby_names",
    "unix_socket_group",
    "unix_socket_permissions",
];

fn fixed(load: Load, conditions: Conditions) -> Option<Levels> {
    let Work::Transactions(script) = load.work else { return None };
    let segments = if load.has_fresh_segments { WalSegments::Fresh } else { WalSegments::Prefilled };
    let checkpoints = if load.has_checkpoints { Checkpoints::Cycle } else { Checkpoints::None };
    Some(levels([
        PARAMETERS.script.at(script),
        PARAMETERS.clients.at(load.clients),
        PARAMETERS.scale.at(scale(script, load.has_checkpoints, conditions.pool_bytes)),
        PARAMETERS.wal_segments.at(segments),
        PARAMETERS.checkpoints.at(checkpoints),
        PARAMETERS.runtime.at(duration(conditions.runtime_s)),
        // Equal servers differ less if nothing moves between CPUs. A setting of reads decides which process reads, and
        // then a CPU that one of them may not leave would decide the answer.
        PARAMETERS.pinned.at(!script.is_cold()),
    ]))
}

/// pgbench's scale: a commit-bound insert needs no data, and updates of single rows between two checkpoints need so
/// many that clients do not meet. Scripts that read from the device have buffers of their own in every arm, and four
/// times as much data. The others read and write tables that the largest `shared_buffers` of the arms does not hold.
/// What is large is copied before each trial, and each of its pages is touched.
fn scale(script: Script, has_checkpoints: bool, pool_bytes: u64) -> u32 {
    match script.action() {
        Action::Insert => 1,
        Action::SimpleUpdate if !has_checkpoints => 2,
        Action::TpcbLike | Action::SimpleUpdate | Action::SelectOnly | Action::Queries => {
            scale_beyond(pool_bytes)
        }
        Action::Scan(_) | Action::Analyze => 20,
    }
}

fn shared_buffers(server: &Server) -> u64 {
    shared_buffers_bytes(server.settings.iter().map(|(name, value)| (name.as_str(), value.as_str())))
}

fn arm(server: &Server) -> Result<Levels, String> {
    let of_workload = [
        PARAMETERS.settings.at(server.settings()?),
        PARAMETERS.programs.at(server.programs.as_ref().map(PathBuf::from)),
        PARAMETERS.directory.at(server.directory.as_ref().map(PathBuf::from)),
    ];
    let filesystem = server.filesystem.map(|filesystem| EVERY_TRIAL.filesystem.at(filesystem));
    Ok(levels(of_workload.into_iter().chain(filesystem)))
}
