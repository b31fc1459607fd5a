//! RocksDB: stores under the workload `kv`. Each trial makes and loads its own, so no trial inherits another's
//! compactions.
//!
//! Defaults: `include/rocksdb/options.h` of version 10.4.

use super::description::{Database, Levels, duration, levels};
use super::known::{Known, known};
use crate::conditions::Conditions;
use crate::load::Load;
use crate::server::Server;
use crate::work::{StoreWork, Work};
use model::units::MIB;
use model::{EVERY_TRIAL, IoMode, MemoryCap, Settings};
use settings::Syntax;
use workload::kv::PARAMETERS;

pub(super) static DATABASE: Database = Database {
    id: "rocksdb",
    name: "RocksDB",
    instance: "RocksDB store",
    settings_file: "rocksdb-options.ini",
    syntax: Syntax::RocksdbOptions,
    first_in_file: &[],
    note: None,
    has_programs: false,
    server: None,
    advised_as: Some("rocksdb"),
    promised_with: &[],
    workload: "kv",
    settings: SETTINGS,
    proposed: &[],
    loads_of_servers: ALL,
    reserved: &["create_if_missing", "error_if_exists"],
    fixed,
    pool_bytes: None,
    levels: arm,
};

const FILL: Load = Load::on_store(StoreWork::Fill, 2);
const READ_WARM: Load = Load::on_store(StoreWork::ReadWarm, 2);
const READ_COLD: Load = Load::on_store(StoreWork::ReadCold, 2);
const MIX_DURABLE: Load = Load::on_store(StoreWork::MixDurable, 1);

/// For what acts in a durable put's write to the log.
const LOG: &[Load] = &[MIX_DURABLE, Load::on_store(StoreWork::MixDurable, 8)];
/// For what acts in any write to the log.
const EVERY_LOG: &[Load] = &[MIX_DURABLE, FILL];
/// For what acts in flushes, in compactions and in the log of puts that are not synced one by one.
const BACKGROUND: &[Load] = &[FILL];
/// For what acts in reads of tables.
const READS: &[Load] = &[READ_WARM, READ_COLD];
/// For what leaves the tables that flushes and compactions write out of the page cache.
const TABLES: &[Load] = &[FILL, READ_WARM, READ_COLD];
/// For what differs in what it promises.
const NONE: &[Load] = &[];
/// For what acts in reads while compactions run: the load drains before it is read.
const READS_BESIDE_COMPACTIONS: &[Load] = &[];
/// For stores that differ in no setting.
const ALL: &[Load] = &[FILL, READ_WARM, MIX_DURABLE];

/// Acknowledges writes that a killed process loses, so every arm has the default.
const MANUAL_WAL_FLUSH: &str = "manual_wal_flush";
const DIRECT_READS: &str = "use_direct_reads";
const DIRECT_WRITES: &str = "use_direct_io_for_flush_and_compaction";

const SETTINGS: &[Known] = &[
    known(DIRECT_READS, READS),
    known(DIRECT_WRITES, TABLES),
    known("recycle_log_file_num", LOG),
    known("wal_bytes_per_sync", BACKGROUND),
    known("enable_pipelined_write", EVERY_LOG).trying("false", &["true"]),
    known("bytes_per_sync", BACKGROUND),
    known("strict_bytes_per_sync", BACKGROUND).trying("false", &[]),
    known("max_background_jobs", BACKGROUND),
    known("max_subcompactions", BACKGROUND).trying("1", &["2"]),
    known("compaction_readahead_size", BACKGROUND),
    known("writable_file_max_buffer_size", BACKGROUND).trying("1048576", &["4194304"]),
    known("delayed_write_rate", BACKGROUND).trying("0", &["67108864"]),
    known("allow_fallocate", BACKGROUND).trying("true", &["false"]),
    known(MANUAL_WAL_FLUSH, NONE),
    known("rate_limiter_bytes_per_sec", READS_BESIDE_COMPACTIONS),
    known("max_open_files", READS).trying("-1", &[]),
    known("advise_random_on_open", READS).trying("true", &["false"]),
];

/// 85 MB of entries, and write buffers so small that the load flushes ten times and compacts. A store whose puts are
/// durable has fewer: a slow disk syncs a hundred times a second.
fn fixed(load: Load, conditions: Conditions) -> Option<Levels> {
    let Work::Store(work) = load.work else { return None };
    let (keys, write_buffer) = match work {
        StoreWork::Fill | StoreWork::ReadWarm | StoreWork::ReadCold => (200_000, 8 * MIB),
        // The log is renewed with the write buffer: after the load there are logs to recycle.
        StoreWork::PutDurable | StoreWork::MixDurable => (4000, MIB),
    };
    let mut fixed = levels([
        PARAMETERS.engine.at("rocksdb"),
        PARAMETERS.threads.at(load.clients),
        PARAMETERS.keys.at(keys),
        PARAMETERS.value_size.at(400),
        PARAMETERS.cache_size.at(8 * MIB),
        PARAMETERS.write_buffer_size.at(write_buffer),
        // Four phases follow the load.
        PARAMETERS.phase_runtime.at(duration(conditions.runtime_s / 4.0)),
    ]);
    match work {
        StoreWork::Fill | StoreWork::ReadWarm => {}
        StoreWork::ReadCold => {
            fixed.extend(levels([EVERY_TRIAL.memory_cap.at(Some(MemoryCap::Bytes(64 * MIB)))]));
        }
        StoreWork::PutDurable | StoreWork::MixDurable => {
            fixed.extend(levels([PARAMETERS.durability.at("sync".to_owned())]));
        }
    }
    Some(fixed)
}

/// Direct reads and direct writes are the level `io` if both are set alike; the workload's audits know that level.
fn arm(server: &Server) -> Result<Levels, String> {
    let mut settings = server.settings.clone();
    if settings.remove(MANUAL_WAL_FLUSH).is_some_and(|value| flag(&value) != Some(false)) {
        return Err(format!("{MANUAL_WAL_FLUSH}: a proof compares stores without it"));
    }
    let flag = |name: &str| settings.get(name).and_then(|value| flag(value));
    let io = match (flag(DIRECT_READS), flag(DIRECT_WRITES)) {
        (Some(reads), Some(writes)) if reads == writes => {
            settings.remove(DIRECT_READS);
            settings.remove(DIRECT_WRITES);
            if reads { IoMode::Direct } else { IoMode::Buffered }
        }
        (Some(_) | None, Some(_) | None) => IoMode::Buffered,
    };
    Ok(levels([PARAMETERS.settings.at(Settings::new(settings)?), PARAMETERS.io.at(io)]))
}

/// As `ParseBoolean` of RocksDB's `util/string_util.cc` reads it.
fn flag(value: &str) -> Option<bool> {
    match value {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}
