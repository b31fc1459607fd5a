//! SQLite 3: databases under the workload `kv`, each put a transaction that survives a power loss.
//!
//! Defaults: <https://www.sqlite.org/pragma.html>, of the library that is built in.

use super::description::{Database, Levels, duration, levels};
use super::known::{Known, known};
use crate::conditions::Conditions;
use crate::load::Load;
use crate::server::Server;
use crate::work::{StoreWork, Work};
use model::Settings;
use settings::Syntax;
use workload::kv::PARAMETERS;

pub(super) static DATABASE: Database = Database {
    id: "sqlite",
    name: "SQLite",
    instance: "SQLite database",
    settings_file: "sqlite.sql",
    syntax: Syntax::SqlitePragmas,
    // The journal that WAL makes has pages of that size.
    first_in_file: &["page_size"],
    note: Some(
        "A database with journal_mode = DELETE was measured with synchronous = EXTRA: with FULL a power loss can undo \
         its last transaction.",
    ),
    has_programs: false,
    server: None,
    advised_as: Some("sqlite"),
    promised_with: &[],
    workload: "kv",
    settings: SETTINGS,
    proposed: &[],
    loads_of_servers: ALL,
    reserved: &["locking_mode"],
    fixed,
    pool_bytes: None,
    levels: arm,
};

const PUT_DURABLE: Load = Load::on_store(StoreWork::PutDurable, 1);
const MIX_DURABLE: Load = Load::on_store(StoreWork::MixDurable, 1);
const READ_WARM: Load = Load::on_store(StoreWork::ReadWarm, 1);

/// For what acts in a transaction's commit.
const COMMIT: &[Load] = &[PUT_DURABLE, MIX_DURABLE];
/// For what acts in reads.
const READS: &[Load] = &[READ_WARM, MIX_DURABLE];
/// For what acts in both.
const ALL: &[Load] = &[PUT_DURABLE, MIX_DURABLE, READ_WARM];
/// For a setting whose values differ in what they promise.
const NONE: &[Load] = &[];

const JOURNAL_MODE: &str = "journal_mode";
const SYNCHRONOUS: &str = "synchronous";

const SETTINGS: &[Known] = &[
    known(JOURNAL_MODE, ALL),
    known(SYNCHRONOUS, NONE),
    known("wal_autocheckpoint", COMMIT).trying("1000", &["100", "10000"]),
    known("page_size", ALL).trying("4096", &["8192", "16384"]),
    known("cache_size", ALL).trying("-2000", &["-16000"]),
    known("mmap_size", READS).trying("0", &["268435456"]),
    known("temp_store", NONE).trying("0", &[]),
];

/// 4 MB of entries, twice the default `cache_size`: more puts would take minutes on a disk that syncs a hundred times a
/// second.
fn fixed(load: Load, conditions: Conditions) -> Option<Levels> {
    let Work::Store(work) = load.work else { return None };
    match work {
        StoreWork::PutDurable | StoreWork::MixDurable | StoreWork::ReadWarm => Some(levels([
            PARAMETERS.engine.at("sqlite"),
            PARAMETERS.threads.at(load.clients),
            PARAMETERS.keys.at(4000),
            PARAMETERS.value_size.at(1000),
            // Four phases follow the load.
            PARAMETERS.phase_runtime.at(duration(conditions.runtime_s / 4.0)),
        ])),
        // SQLite acknowledges no put before it is durable, and no cap that its process fits under is below its size.
        StoreWork::Fill | StoreWork::ReadCold => None,
    }
}

/// The journal and what a commit waits for are the level `durability`.
fn arm(server: &Server) -> Result<Levels, String> {
    let mut settings = server.settings.clone();
    let mut take = |name: &str, default: &str| settings.remove(name).unwrap_or_else(|| default.to_owned());
    let (journal, synchronous) = (take(JOURNAL_MODE, "DELETE"), take(SYNCHRONOUS, "FULL"));
    if !["FULL", "EXTRA"].iter().any(|safe| synchronous.eq_ignore_ascii_case(safe)) {
        return Err(format!("{SYNCHRONOUS} = {synchronous}: a proof compares databases with FULL or EXTRA"));
    }
    let durability = match journal.to_ascii_uppercase().as_str() {
        "WAL" => "full",
        "DELETE" => "delete",
        "TRUNCATE" => "truncate",
        "PERSIST" => "persist",
        _ => {
            return Err(format!(
                "{JOURNAL_MODE} = {journal}: a proof compares WAL, DELETE, TRUNCATE and PERSIST"
            ));
        }
    };
    Ok(levels([
        PARAMETERS.settings.at(Settings::new(settings)?),
        PARAMETERS.durability.at(durability.to_owned()),
    ]))
}
