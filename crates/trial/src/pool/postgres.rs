//! PostgreSQL's buffers, measured by SQL.
//!
//! Syncline starts its own server for the trial on an empty cluster, and it ends with the worker: `temp_buffers` and
//! `shared_buffers` are the trial's, and nothing is left of the previous trial. The user's server keeps its settings,
//! so only temporary tables can be measured there.

use super::page_cache::settle;
use super::results::PhaseResults;
use super::user_server::{NOT_COLD, beyond_a_session};
use crate::cache;
use crate::refusal::Refusal;
use crate::site::Site;
use disk::cgroup::AccountingGroup;
use disk::counters::{Collected, Snapshot};
use disk::page_cache;
use disk::work_directory;
use model::Cache;
use model::mechanism::{Measured, PageCache};
use model::trial::{ServerSource, TrialSpec};
use model::{DurabilityClass, IoMode};
use postgresql::{
    Cluster, Installation, Order, Pass, PostgresqlError, RelationKind, Server, Session, Settings, Shape,
    Table, Target, Version,
};
use std::collections::BTreeMap;
use std::path::PathBuf;
use workload::pool::{self, Access, Counts, Parameters, Phase, Run};

const NO_SOURCE: &str =
    "no PostgreSQL is configured: the run names neither the directory of its programs nor a server";
const ELSEWHERE: &str =
    "the device of the files is unknown, because the user's server may keep them anywhere";
/// `debug_io_direct` exists since PostgreSQL 16.
const DIRECT_SINCE: u32 = 16;

impl From<PostgresqlError> for Refusal {
    fn from(error: PostgresqlError) -> Self {
        match error {
            PostgresqlError::Unsupported(why) => Self::Unsupported(why),
            other => Self::failed(other),
        }
    }
}

/// Creates the run's cluster unless it exists, and makes sure that it is empty; not measured.
pub(super) fn condition(site: &Site, spec: &TrialSpec) -> Result<(), Refusal> {
    match &spec.server {
        Some(ServerSource::Programs(programs)) => {
            Ok(Cluster::prepare(site.directory(), &Installation::at(programs)?).map(drop)?)
        }
        Some(ServerSource::Dsn(_) | ServerSource::Scratch { .. }) => Ok(()),
        Some(ServerSource::Absent(why)) => Err(Refusal::Unsupported(why.clone())),
        Some(ServerSource::Servers(_)) | None => Err(Refusal::Unsupported(NO_SOURCE.to_owned())),
    }
}

/// Runs every phase as SQL statements.
pub(super) fn run(site: &Site, spec: &TrialSpec, parameters: &Parameters) -> Result<PhaseResults, Refusal> {
    match &spec.server {
        Some(ServerSource::Programs(programs)) => {
            run_on_ours(site, spec, parameters, &Installation::at(programs)?)
        }
        Some(ServerSource::Dsn(dsn) | ServerSource::Scratch { dsn, .. }) => {
            if let Some(why) = beyond_a_session(parameters) {
                return Err(Refusal::Unsupported(why.to_owned()));
            }
            let mut session = Session::open(&Target::Dsn(dsn))?;
            Measuring { site, spec, parameters, server: None, group: None }.run(&mut session)
        }
        Some(ServerSource::Absent(why)) => Err(Refusal::Unsupported(why.clone())),
        Some(ServerSource::Servers(_)) | None => Err(Refusal::Unsupported(NO_SOURCE.to_owned())),
    }
}

fn run_on_ours(
    site: &Site,
    spec: &TrialSpec,
    parameters: &Parameters,
    installation: &Installation,
) -> Result<PhaseResults, Refusal> {
    let direct = parameters.mode == IoMode::Direct;
    if direct && installation.version().major() < DIRECT_SINCE {
        return Err(Refusal::Unsupported(format!(
            "PostgreSQL {} has no debug_io_direct: it came with {DIRECT_SINCE}",
            installation.version()
        )));
    }
    let settings = Settings {
        shared_buffers_pages: (parameters.table != pool::Table::Temporary).then(|| parameters.frames()),
        direct,
    };
    let cluster = Cluster::find(site.directory(), installation)?;
    // Created before the server, so that the group is removed when the last of its processes has ended.
    let group = AccountingGroup::create(&format!("{}-server", work_directory::id(&spec.work_directory)));
    let entrances = group.entrances().map_err(Refusal::failed)?;
    let mut server = cluster.start(&settings, entrances)?;
    let measured = {
        let mut session = Session::open(&Target::Own(&server))?;
        Measuring { site, spec, parameters, server: Some(&server), group: Some(&group) }.run(&mut session)
    };
    match measured {
        // PostgreSQL would reuse a written log from then on, which costs the next trial less, so the next trial gets a
        // fresh one.
        Ok(trial) if parameters.table == pool::Table::Permanent => Ok(trial),
        Ok(trial) => server.give_back().map(|()| trial).map_err(Refusal::from),
        // The connection reports only that it is closed; the server's log has the reason.
        Err(Refusal::Failed(why)) if server.has_ended() => {
            Err(Refusal::Failed(format!("{why}; {}", server.last_words())))
        }
        Err(other) => Err(other),
    }
}

/// A trial in progress.
struct Measuring<'a> {
    site: &'a Site,
    spec: &'a TrialSpec,
    parameters: &'a Parameters,
    server: Option<&'a Server>,
    group: Option<&'a AccountingGroup>,
}

impl Measuring<'_> {
    fn run(&self, session: &mut Session) -> Result<PhaseResults, Refusal> {
        let version = session.version();
        let p = self.parameters;
        let kind = match p.table {
            pool::Table::Temporary => RelationKind::Temporary,
            pool::Table::Unlogged => RelationKind::Unlogged,
            pool::Table::Permanent => RelationKind::Permanent,
        };
        let shape = Shape { kind, pages: p.blocks, buffers: p.frames(), seed: self.spec.seed };
        let mut table = Table::create(session, shape)?;
        let mut runs = vec![self.phase(Phase::Fill, &mut table, Table::fill)?];
        let dirtied = table.dirty(self.order(Phase::WriteBack))?;
        runs.push(self.phase(Phase::WriteBack, &mut table, Table::write_back)?);
        runs.push(self.phase(Phase::Displace, &mut table, Table::displace)?);
        let cached_share = self.settle_page_cache(&mut table)?;
        for phase in [Phase::FirstRead, Phase::SecondRead] {
            let order = self.order(phase);
            let read = |table: &mut Table<'_>| match p.pass_pages() {
                reads if reads < p.blocks => table.read_some(order, reads),
                _ => table.read(order),
            };
            runs.push(self.phase(phase, &mut table, read)?);
        }
        let map_pages = table.map_pages()?;
        table.drop_tables()?;
        Ok(PhaseResults {
            change_s: Measured::Value(dirtied.elapsed.as_secs_f64()),
            wal_bytes: Measured::Value(dirtied.wal.bytes as f64),
            full_page_images: Measured::Value(dirtied.wal.full_page_images as f64),
            map_pages: Measured::Value(map_pages as f64),
            instrument_overhead_ns: Measured::unsupported("the server times itself"),
            durability: match p.table {
                // The session's buffers end with the session; PostgreSQL empties an unlogged table after a crash.
                pool::Table::Temporary | pool::Table::Unlogged => DurabilityClass::None,
                pool::Table::Permanent => DurabilityClass::Power,
            },
            notes: self.notes(version, &runs, &cached_share),
            cached_share,
            cached_shares: None,
            slices: BTreeMap::new(),
            // A server has its own buffers.
            buffers: None,
            runs,
        })
    }

    fn order(&self, phase: Phase) -> Order {
        match self.parameters.access {
            Access::Sequential => Order::Sequential,
            // Every phase has its own order; all arms of a round have the same orders.
            Access::Random => {
                Order::Random((self.spec.seed as u32 ^ ((phase as u32 + 1) << 24)) & 0x7fff_ffff)
            }
        }
    }

    /// One pass, and what the machine counted meanwhile.
    fn phase<'s>(
        &self,
        phase: Phase,
        table: &mut Table<'s>,
        pass: impl FnOnce(&mut Table<'s>) -> Result<Pass, PostgresqlError>,
    ) -> Result<Run, Refusal> {
        let before = Snapshot::take(self.site.device());
        let counted_before = self.group.map(AccountingGroup::counters);
        let passed = pass(table)?;
        let counted = self.group.map(AccountingGroup::counters);
        let after = Snapshot::take(self.site.device());
        let collected = Collected {
            run_queue_delay_s: Measured::unsupported("the server's processes are not the worker's threads"),
            page_cache: self.pages(table)?,
            longest_gap_s: Measured::unsupported("the server's processes do the work, not the worker's loop"),
        };
        let mut mechanism = before.delta(&after, collected, self.site.device());
        mechanism.process_io = Measured::unsupported("the server's processes do the I/O, not the worker");
        mechanism.server =
            counted_before.zip(counted).map(|(before, after)| AccountingGroup::delta(&before, &after));
        if self.server.is_none() {
            mechanism.device = Measured::unsupported(ELSEWHERE);
        }
        Ok(Run {
            phase,
            duration_s: passed.elapsed.as_secs_f64(),
            operations: self.parameters.blocks,
            turns: None,
            counts: Counts {
                hit: Measured::Value(passed.blocks.hit),
                read: Measured::Value(passed.blocks.read),
                written: Measured::Value(passed.blocks.written),
                evicted: passed.evicted,
            },
            read_s: passed.times.read_s,
            write_s: passed.times.write_s,
            recorder: None,
            mechanism,
        })
    }

    /// Leaves the configured share of the table in the kernel's cache. Returns the share that is there.
    fn settle_page_cache(&self, table: &mut Table<'_>) -> Result<Measured<f64>, Refusal> {
        let Some(files) = self.files(table)? else {
            return match self.parameters.cache {
                Cache::Cold => Err(Refusal::Unsupported(NOT_COLD.to_owned())),
                Cache::Warm | Cache::AsIs => Ok(Measured::unsupported(ELSEWHERE)),
            };
        };
        let mut shares = Vec::new();
        for file in &files {
            shares.push(settle(file, self.parameters)?);
        }
        // All segments have the same size except the last.
        let total = shares.iter().try_fold(0.0, |sum, share| Some(sum + share.value()?));
        Ok(match total {
            Some(total) => Measured::Value(total / files.len() as f64),
            None => shares.into_iter().find(|share| share.value().is_none()).unwrap_or(Measured::Value(0.0)),
        })
    }

    /// The table's files, if the cluster is Syncline's.
    fn files(&self, table: &mut Table<'_>) -> Result<Option<Vec<PathBuf>>, Refusal> {
        let Some(server) = self.server else { return Ok(None) };
        let mut files = table.files()?;
        files.retain(|file| file.starts_with(server.data()) && file.exists());
        Ok(Some(files))
    }

    fn pages(&self, table: &mut Table<'_>) -> Result<Measured<PageCache>, Refusal> {
        Ok(match self.files(table)? {
            Some(files) => cache::sum(files.iter().map(|file| page_cache::residency(file))),
            None => Measured::unsupported(ELSEWHERE),
        })
    }

    fn notes(&self, version: Version, runs: &[Run], cached_share: &Measured<f64>) -> Vec<String> {
        let mut notes = vec![match self.server {
            Some(_) => format!("PostgreSQL {version}, Syncline's own cluster"),
            None => format!("PostgreSQL {version}, the user's server"),
        }];
        let first = runs.iter().find(|run| run.phase == Phase::FirstRead);
        if let Some(hit) = first.and_then(|run| run.counts.hit.value().copied()).filter(|&hit| hit > 0) {
            notes.push(format!(
                "the first pass found {hit} pages in the buffers: they had not been displaced"
            ));
        }
        match (self.parameters.cache, cached_share) {
            (Cache::Cold, Measured::Value(share)) if *share > 0.0 => {
                notes.push(format!("{share:.4} of the table stayed in the page cache before the first pass"));
            }
            _ => {}
        }
        notes
    }
}
