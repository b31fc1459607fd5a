//! The state in which all arms begin: settings that were read back, pages that the log holds whole, segments that are
//! there, clients that have worked for a moment.

use super::client::{ColdFiles, Connected};
use super::cycles::await_checkpoint;
use crate::refusal::Refusal;
use crate::server_clients;
use crate::server_files::ServerFiles;
use disk::kernel::scheduling::cpus_allowed;
use driver::Workload;
use model::server::{Circumstances, Pinned, PlanFact, ServerFacts};
use model::table_scan::TABLE;
use model::{DurabilityClass, Nanos, Script, TableScan, Transaction};
use postgresql::{Client, Login, Server, Session, planned};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ScopedJoinHandle};
use workload::transactions::{self, Checkpoints, Parameters, durability, pages_of_accounts};

/// Length of the clients' work before the measurement.
const WARM_UP: Nanos = Nanos::from_millis(250);
/// A stream of transactions beside those that are measured.
const WARM_UP_SEED: u64 = 0x5741_524d;
/// Settings that decide what an acknowledged transaction survives.
const OF_DURABILITY: [&str; 3] = ["fsync", "full_page_writes", "synchronous_commit"];
/// How settings of the background writer begin, and why they change nothing on a server of Syncline's own.
const BACKGROUND_WRITER: &str = "bgwriter_";
const NO_BACKGROUND_WRITER: &str =
    "the background writer is off in every arm, because it would write in the turns of others";
/// Every account with such a number: one on each page of 61.
const TOUCH: &str = "UPDATE pgbench_accounts SET abalance = abalance WHERE aid % 61 = 0";

/// What the server says about itself, and what its settings promise.
pub(super) struct Verified {
    pub(super) facts: ServerFacts,
    pub(super) durability: DurabilityClass,
}

/// Reads every setting back. PostgreSQL refuses some values when it starts, and changes others without a word.
pub(super) fn verify(session: &mut Session, p: &Parameters) -> Result<Verified, Refusal> {
    let mut facts = ServerFacts { version: session.version().to_string(), ..ServerFacts::default() };
    let not_applied = p.settings_without_effect().map(|(name, why)| (name.to_owned(), why.to_owned()));
    facts.not_applied = not_applied.collect();
    if session.is_ours() {
        let idle = p.settings_with_effect().filter(|(name, _)| name.starts_with(BACKGROUND_WRITER));
        facts.not_applied.extend(idle.map(|(name, _)| (name.to_owned(), NO_BACKGROUND_WRITER.to_owned())));
    }
    for (name, requested) in p.settings_with_effect() {
        let found = session.in_force(name)?;
        let found = found
            .ok_or_else(|| Refusal::Failed(format!("settings: this PostgreSQL has no setting {name}")))?;
        let requested = p.server_value(name, requested);
        if !found.agrees_with(&requested) {
            return Err(Refusal::Failed(format!(
                "settings: {name} = {requested} was requested, and the server has {}",
                found.shown
            )));
        }
        facts.settings.insert(name.to_owned(), found.shown);
    }
    let mut of_durability = Vec::new();
    for name in OF_DURABILITY {
        of_durability.extend(session.in_force(name)?.map(|found| (name, found.setting)));
    }
    let buffers = session.in_force("shared_buffers")?.map(|found| found.shown);
    facts.circumstances = Some(Circumstances {
        shared_buffers: buffers.unwrap_or_default(),
        buffers: BTreeMap::new(),
        dropped: dropped(p.script).map(str::to_owned).collect(),
        drops_after_turns: false,
        pinned: match (p.pinned, session.is_ours()) {
            (false, _) => Pinned::Nothing,
            (true, false) => Pinned::Clients,
            (true, true) => Pinned::ClientsAndBackends,
        },
        cpus: if session.is_ours() { Some(cpus_allowed().map_err(Refusal::failed)?) } else { None },
    });
    let durability = durability(p.script, |name| {
        of_durability.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    });
    Ok(Verified { facts, durability })
}

/// The table and the index that a cold script reads: their pages are dropped from the page cache after each
/// transaction.
fn dropped(script: Script) -> impl Iterator<Item = &'static str> {
    let of_scan = script.scan().into_iter().flat_map(TableScan::relations);
    of_scan.chain((script == Script::Analyze).then_some(TABLE))
}

/// Checks that the tables are as large as the clients think.
pub(super) fn require_tables(session: &mut Session, p: &Parameters) -> Result<(), Refusal> {
    let pages = "SELECT pg_relation_size('pgbench_accounts') / current_setting('block_size')::bigint";
    let found = session.figure("read the size of pgbench_accounts", pages)?;
    let expected = pages_of_accounts(p.scale);
    if found == i64::from(expected) {
        return Ok(());
    }
    Err(Refusal::Failed(format!(
        "pgbench_accounts has {found} pages instead of {expected}: this server's pages have another size"
    )))
}

/// Brings the pages into the state that all arms begin in.
pub(super) fn settle_pages(session: &mut Session, p: &Parameters) -> Result<(), Refusal> {
    if !p.script.writes() {
        return Ok(());
    }
    session.execute("write a checkpoint", "CHECKPOINT")?;
    let changes_accounts = matches!(p.script, Script::TpcbLike | Script::SimpleUpdate);
    if p.checkpoints == Checkpoints::None && changes_accounts {
        session.execute("touch every page", TOUCH)?;
    }
    Ok(())
}

/// Plans of the script's queries, if it only reads. The server does not choose how it writes.
pub(super) fn read_plans(
    session: &mut Session,
    p: &Parameters,
    facts: &mut ServerFacts,
) -> Result<(), Refusal> {
    if p.script.writes() {
        return Ok(());
    }
    let example = Transaction {
        id: 0,
        script: p.script,
        number: 0,
        account: 1,
        teller: 1,
        branch: 1,
        delta: 0,
        ..first_transaction(p)
    };
    for query in planned(p.script, &example) {
        facts.plans.push(session.plan(&query)?);
    }
    require_access(p.script, &facts.plans)
}

/// Checks that the server finds the rows as the script says: a figure of one way says nothing of another one.
fn require_access(script: Script, plans: &[PlanFact]) -> Result<(), Refusal> {
    let Some(scan) = script.scan() else { return Ok(()) };
    let wanted = scan.access.definition().node;
    match plans.iter().find(|plan| !plan.nodes.iter().any(|node| node == wanted)) {
        None => Ok(()),
        Some(other) => Err(Refusal::Failed(format!(
            "script = {script} is about a {wanted}, and under these settings the server plans {}",
            other.nodes.join(", ")
        ))),
    }
}

/// The first transaction of the first client, whatever the trial's seed: arms plan the same query.
fn first_transaction(p: &Parameters) -> Transaction {
    let mut client = transactions::Client::new(p, Nanos::ZERO, 0, 0);
    let mut first = Vec::new();
    // Without arrivals it emits one at once.
    client.poll(Nanos(u64::MAX - 1), &mut first);
    first[0]
}

/// The files that a cold script reads, dropped from the page cache.
pub(super) fn cold_files(
    session: &mut Session,
    server: &Server,
    files: &ServerFiles,
    script: Script,
) -> Result<Option<ColdFiles>, Refusal> {
    if !script.is_cold() {
        return Ok(None);
    }
    let path = |relation: &str| -> Result<PathBuf, Refusal> {
        let query = format!("SELECT pg_relation_filepath('{relation}')");
        Ok(server.data().join(session.text("read where a table is", &query)?))
    };
    let relations = dropped(script).map(path).collect::<Result<Vec<_>, _>>()?;
    files.evict()?;
    ColdFiles::open(&relations).map(Some)
}

/// Connects the clients, and lets them work together for a moment: what a connection reads once is read then. If there
/// are cycles of checkpoints, they work until the first has begun.
pub(super) fn connect<'f>(
    (login, setting_up): (&Login<'_>, &[String]),
    (p, seed): (&Parameters, u64),
    cold: Option<&'f ColdFiles>,
    session: &mut Session,
) -> Result<Vec<Connected<'f>>, Refusal> {
    let version = session.version();
    let is_warm = AtomicBool::new(false);
    let one = |client: u32| {
        let mut connected = Connected::new(Client::connect(login, setting_up, p.script, p.prepared)?, cold);
        warm_up(&mut connected, (p, seed), client, &is_warm)?;
        if version.is_flushed_on_request() {
            connected.flush_statistics()?;
        }
        Ok(connected)
    };
    thread::scope(|scope| {
        let one = &one;
        let clients: Vec<_> = (0..p.clients).map(|client| scope.spawn(move || one(client))).collect();
        let warmed = match p.checkpoints {
            Checkpoints::None => Ok(()),
            Checkpoints::Cycle => {
                await_checkpoint(session, p, || clients.iter().any(ScopedJoinHandle::is_finished))
            }
        };
        is_warm.store(true, Ordering::Relaxed);
        warmed?;
        let joined = clients
            .into_iter()
            .map(|client| client.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.collect()
    })
}

/// A closed loop, whatever the rate: arrivals come with the measurement.
fn warm_up(
    connected: &mut Connected<'_>,
    (p, seed): (&Parameters, u64),
    client: u32,
    is_warm: &AtomicBool,
) -> Result<(), Refusal> {
    let closed = Parameters { rate: None, ..p.clone() };
    let workload = transactions::Client::new(&closed, Nanos::ZERO, client, seed ^ WARM_UP_SEED);
    server_clients::warm_up(connected, workload, WARM_UP, is_warm)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(nodes: &[&str]) -> PlanFact {
        let nodes = nodes.iter().map(|node| (*node).to_owned()).collect();
        PlanFact { query: "SELECT 1".to_owned(), nodes, hash: String::new() }
    }

    /// A proof's bitmap scans would have been index scans on a server that plans otherwise.
    #[test]
    fn a_scan_of_another_kind_fails_its_trial() {
        let bitmap = [plan(&["Aggregate", "Bitmap Heap Scan", "Bitmap Index Scan"])];
        let by_row = [plan(&["Aggregate", "Index Scan"])];
        assert!(require_access(Script::IndexScan, &bitmap).is_ok());
        assert!(require_access(Script::UncorrelatedIndexScan, &by_row).is_ok());
        assert!(matches!(require_access(Script::IndexScan, &by_row), Err(Refusal::Failed(_))));
        assert!(require_access(Script::CorrelatedIndexScan, &bitmap).is_err());
        assert!(require_access(Script::Queries, &by_row).is_ok(), "the server chooses");
    }

    #[test]
    fn a_scan_drops_the_table_and_the_index_that_it_reads() {
        assert_eq!(dropped(Script::Insert).count(), 0);
        assert_eq!(dropped(Script::Analyze).collect::<Vec<_>>(), [TABLE]);
        for script in Script::SCANS {
            let expected: Vec<&str> = script.scan().into_iter().flat_map(TableScan::relations).collect();
            assert_eq!(dropped(script).collect::<Vec<_>>(), expected, "{script}");
        }
    }
}
