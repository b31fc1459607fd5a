//! One trial on a PostgreSQL server of its own.

use super::arms::{contents, installation, options};
use super::client::{ColdFiles, Connected};
use super::cycles::{OwnServer, WholeCycles};
use super::start::{Verified, cold_files, connect, read_plans, require_tables, settle_pages, verify};
use super::wal::prefill;
use crate::line::TurnChannel;
use crate::outcome::SubjectMeasurement;
use crate::refusal::Refusal;
use crate::server_clients::{self, Clients, settle_on_cpus};
use crate::server_files::ServerFiles;
use crate::site::Site;
use crate::team::Ran;
use crate::turns::DrivenServer;
use disk::cgroup::AccountingGroup;
use disk::kernel::block_device::BlockDevice;
use disk::quiesce::write_out;
use disk::work_directory;
use model::Nanos;
use model::mechanism::Measured;
use model::trial::TrialSpec;
use postgresql::{Activity, Loaded, Login, Server, Session};
use std::fs;
use std::path::Path;
use workload::transactions::{self, Checkpoints, Parameters, ServerCounts, WalSegments, metrics};

/// Bytes that a busy server logs in a second, about.
const LOGGED_BYTES_PER_S: f64 = 8e6;
const MAX_WAL_BYTES: &str = "SELECT setting::bigint * 1048576 FROM pg_settings WHERE name = 'max_wal_size'";
/// The name of its one phase.
const PHASE: &str = "measure";

/// Makes the run's cluster unless it is there, and the copy of it that a trial starts on. Not measured.
pub(crate) fn condition(site: &Site, spec: &TrialSpec) -> Result<(), Refusal> {
    let p = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    let loaded = Loaded::prepare(site.shared_directory(), &installation(spec, &p)?, contents(&p))?;
    let place = site.place_of_server(spec);
    fs::create_dir_all(&place).map_err(|error| {
        Refusal::Failed(format!("{}: cannot make the directory: {error}", place.display()))
    })?;
    Ok(loaded.copy_to(&place, site.blocks_of_copies())?)
}

pub(crate) fn measure(
    site: &Site,
    spec: &TrialSpec,
    line: Option<&TurnChannel>,
) -> Result<SubjectMeasurement, Refusal> {
    let p = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    let loaded = Loaded::find(site.shared_directory(), &installation(spec, &p)?, contents(&p))?;
    // Made before the server, so that the group is removed when the last of its processes has ended.
    let group = AccountingGroup::create(&group_name(spec));
    let entrances = group.entrances().map_err(Refusal::failed)?;
    let place = site.place_of_server(spec);
    let mut server = loaded.start(&place, &options(&p), entrances)?;
    let device = BlockDevice::below(&place);
    let trial = Trial {
        site,
        spec,
        p: &p,
        loaded: &loaded,
        group: &group,
        server: &server,
        place: &place,
        device: &device,
    };
    match trial.run(line) {
        // What only read can read again.
        Ok(outcome) if !p.script.writes() => server.give_back().map(|()| outcome).map_err(Refusal::from),
        Ok(outcome) => Ok(outcome),
        // The connection reports only that it is closed; the server's log has the reason.
        Err(Refusal::Failed(why)) if server.has_ended() => {
            Err(Refusal::Failed(format!("{why}; {}", server.last_words())))
        }
        Err(other) => Err(other),
    }
}

/// Servers that are alive together have groups of their own.
fn group_name(spec: &TrialSpec) -> String {
    format!("{}-server-{}", work_directory::id(&spec.work_directory), spec.seat.unwrap_or(0))
}

/// A trial in progress.
struct Trial<'a> {
    site: &'a Site,
    spec: &'a TrialSpec,
    p: &'a Parameters,
    loaded: &'a Loaded,
    group: &'a AccountingGroup,
    server: &'a Server,
    place: &'a Path,
    /// Below the server's files.
    device: &'a Measured<BlockDevice>,
}

impl Trial<'_> {
    fn run(&self, line: Option<&TurnChannel>) -> Result<SubjectMeasurement, Refusal> {
        let p = self.p;
        let mut session = Session::observe(self.server)?;
        let Verified { mut facts, durability } = verify(&mut session, p)?;
        require_tables(&mut session, p)?;
        let database = "SELECT oid::bigint FROM pg_database WHERE datname = current_database()";
        let database = session.figure("read which database it is", database)?;
        let data = self.server.data();
        let directories = vec![data.join("base").join(database.to_string()), data.join("pg_wal")];
        let files = ServerFiles::of(self.server.id(), directories);
        settle_pages(&mut session, p)?;
        read_plans(&mut session, p, &mut facts)?;
        if p.script.writes() && p.wal_segments == WalSegments::Prefilled {
            let bytes = match p.checkpoints {
                Checkpoints::None => p.runtime.seconds() * LOGGED_BYTES_PER_S,
                // As many as there are once the first checkpoint has recycled some.
                Checkpoints::Cycle => session.figure("read the size of the log", MAX_WAL_BYTES)? as f64,
            };
            prefill(self.loaded, &mut session, self.server.data(), bytes)?;
        }
        write_out(self.place).map_err(Refusal::failed)?;
        let cold = cold_files(&mut session, self.server, &files, p.script)?;
        let seeded = (p, self.spec.seed);
        let clients = connect((&Login::Own(self.server), &[]), seeded, cold.as_ref(), &mut session)?;
        let before = (session.activity()?, self.group.counters());
        let (mut ran, after_turns) = self.drive(clients, &files, &mut session, line)?;
        session.await_disconnects()?;
        let counts = counted(&session.activity()?.since(&before.0));
        ran.mechanism.server = Some(AccountingGroup::delta(&before.1, &self.group.counters()));
        ran.notes.push(format!("PostgreSQL {}, a server of Syncline's own", facts.version));
        ran.notes.extend(unserved(&ran, p, line));
        ran.notes.extend(made_small(p));
        let counts = (&counts, after_turns);
        let found = outcome(ran, (p, self.spec.seed), counts, Verified { facts, durability })?;
        Ok(SubjectMeasurement { other_files: cold.map(ColdFiles::into_facts).unwrap_or_default(), ..found })
    }

    fn drive(
        &self,
        clients: Vec<Connected<'_>>,
        files: &ServerFiles,
        session: &mut Session,
        line: Option<&TurnChannel>,
    ) -> Result<(Ran<transactions::Client>, Option<Nanos>), Refusal> {
        let cycles = match self.p.checkpoints {
            Checkpoints::None => None,
            Checkpoints::Cycle => Some(WholeCycles::begin(session, self.p)?),
        };
        let server = OwnServer { files, cycles };
        let ran = drive((self.site, self.device), (self.p, self.spec.seed), clients, Some(&server), line)?;
        server.cycles.as_ref().map_or(Ok(()), WholeCycles::require_end)?;
        let after_turns = server.cycles.as_ref().filter(|_| line.is_some()).map(WholeCycles::after_turns);
        Ok((ran, after_turns))
    }
}

/// The outcome of a trial whose clients have worked.
pub(super) fn outcome(
    mut ran: Ran<transactions::Client>,
    (p, seed): (&Parameters, u64),
    (counts, after_turns): (&ServerCounts, Option<Nanos>),
    Verified { facts, durability }: Verified,
) -> Result<SubjectMeasurement, Refusal> {
    ran.mechanism.process_io = Measured::unsupported("the server's processes do the I/O, not the worker");
    let figures = metrics(&transactions::TransactionMeasurement {
        team: &ran.team,
        mechanism: &ran.mechanism,
        server: counts,
        after_turns,
        instrument_overhead_ns: overhead(p, seed),
    });
    let notes = std::mem::take(&mut ran.notes);
    let phase = ran.phase(PHASE, ran.team.operations, figures);
    Ok(SubjectMeasurement {
        notes,
        server: Some(facts),
        ..SubjectMeasurement::new(vec![phase], durability, ran.sidecar(PHASE)?)
    })
}

/// Lets the clients work until their time is over; by turns, if there is a line to the lab that orders them. Without a
/// server of Syncline's own it is the user's, and what it leaves is unknown.
pub(super) fn drive(
    (site, device): (&Site, &Measured<BlockDevice>),
    (p, seed): (&Parameters, u64),
    clients: Vec<Connected<'_>>,
    server: Option<&OwnServer<'_>>,
    line: Option<&TurnChannel>,
) -> Result<Ran<transactions::Client>, Refusal> {
    // The lab decides how long turns go on, and a checkpoint how long cycles do.
    let is_timed = line.is_none() && p.checkpoints == Checkpoints::None;
    let runtime = if is_timed { p.runtime } else { Nanos::ZERO };
    let workloads = (0..p.clients).map(|client| transactions::Client::new(p, runtime, client, seed));
    let of_trial = Clients {
        site,
        device,
        pages: || {
            server.map_or_else(
                || Measured::unsupported("the server keeps its files where Syncline does not look"),
                |server| server.files.pages(),
            )
        },
        server: server.map(|server| -> &dyn DrivenServer { server }),
        turns: line.map(|line| (line, PHASE)),
    };
    of_trial.drive(workloads.collect(), clients, |client, member| match (p.pinned, server) {
        (true, Some(_)) => settle_on_cpus(Some(client.backend()), member),
        (true, None) => settle_on_cpus(None, member),
        (false, _) => Ok(()),
    })
}

/// If there are cycles of checkpoints, what they have less than those of a user.
fn made_small(p: &Parameters) -> Option<String> {
    let is_divided = p.checkpoints == Checkpoints::Cycle && p.cycle_scale > 1;
    is_divided.then(|| {
        let scale = p.cycle_scale;
        format!(
            "max_wal_size and min_wal_size are divided by {scale}, so that cycles of checkpoints are short"
        )
    })
}

/// In an open loop, the arrivals that the server did not get to.
pub(super) fn unserved(
    ran: &Ran<transactions::Client>,
    p: &Parameters,
    line: Option<&TurnChannel>,
) -> Option<String> {
    let is_timed = line.is_none() && p.checkpoints == Checkpoints::None;
    let runtime = if is_timed { p.runtime } else { ran.team.worked };
    let unserved: u64 = ran.team.workload.iter().map(|client| client.unserved(runtime)).sum();
    (unserved > 0).then(|| {
            format!(
                "the server could not keep up with rate: {unserved} arrivals were due and had not been started when \
                 the runtime was over"
            )
        })
}

pub(super) fn counted(activity: &Activity) -> ServerCounts {
    ServerCounts {
        wal_bytes: Measured::Value(activity.wal_bytes),
        wal_syncs: activity.wal_syncs.clone(),
        full_page_images: activity.full_page_images.clone(),
        wal_segments_created: activity.wal_segments_created.clone(),
        checkpoints: Measured::Value(activity.checkpoints),
        blocks_read: Measured::Value(activity.blocks_read),
    }
}

/// The overhead in nanoseconds per transaction, without a server.
fn overhead(p: &Parameters, seed: u64) -> Measured<f64> {
    let closed = Parameters { rate: None, ..p.clone() };
    server_clients::overhead(|runtime| transactions::Client::new(&closed, runtime, 0, seed))
}
