//! One trial on a server of its own.

use super::client::Connected;
use super::loaded::{Loaded, START_LIMIT};
use super::log_cycles::WholeCycles;
use super::start::{FIRST_MEASURED, circumstances, connect, settings, verify};
use crate::line::TurnChannel;
use crate::outcome::SubjectMeasurement;
use crate::refusal::Refusal;
use crate::server_clients::{self, Clients, settle_on_cpus};
use crate::server_files::{ServerFiles, WatchedFile};
use crate::site::Site;
use crate::team::Ran;
use crate::turns::DrivenServer;
use disk::cgroup::AccountingGroup;
use disk::kernel::block_device::BlockDevice;
use disk::quiesce::write_out;
use disk::work_directory;
use model::Nanos;
use model::mechanism::Measured;
use model::server::ServerFacts;
use model::trial::TrialSpec;
use server::{Home, Running};
use std::io;
use workload::requests::{self, Parameters, RequestMeasurement, metrics};

/// How often a trial that runs alone asks whether the log has been written.
const STRETCH: Nanos = Nanos::from_millis(250);
/// The name of its one phase.
const PHASE: &str = "measure";

/// Makes the run's data directory unless it is there, and the copy of it that a trial starts on. Not measured.
pub(crate) fn condition(site: &Site, spec: &TrialSpec) -> Result<(), Refusal> {
    let p = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    let loaded = Loaded::of(site, spec, &p)?;
    loaded.prepare()?;
    loaded.copy(site.blocks_of_copies())
}

pub(crate) fn measure(
    site: &Site,
    spec: &TrialSpec,
    line: Option<&TurnChannel>,
) -> Result<SubjectMeasurement, Refusal> {
    let p = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    p.require_settings().map_err(Refusal::Failed)?;
    let loaded = Loaded::of(site, spec, &p)?;
    let home = loaded.take()?;
    // Made before the server, so that the group is removed when the last of its processes has ended.
    let group = AccountingGroup::create(&group_name(spec));
    let entrances = group.entrances().map_err(Refusal::failed)?;
    let settings = settings(loaded.server, &p);
    let named: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let started = Running::start_in(entrances, loaded.server, &loaded.programs, &home, &named, START_LIMIT);
    let mut running = started.map_err(Refusal::failed)?;
    let files = ServerFiles::of(running.id(), loaded.server.directories_of_requests(home.data()));
    let trial = Trial {
        site,
        seed: spec.seed,
        p: &p,
        loaded: &loaded,
        home: &home,
        running: &running,
        files: &files,
    };
    match trial.run(&group, line) {
        // What only read can read again.
        Ok(outcome) if !p.request.writes() => {
            running.shut_down().map_err(Refusal::failed)?;
            loaded.give_back().map(|()| outcome)
        }
        Ok(outcome) => Ok(outcome),
        // The connection reports only that it is closed; the server's log has the reason.
        Err(Refusal::Failed(why)) if running.has_ended() => {
            Err(Refusal::Failed(format!("{why}; {}", running.last_words())))
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
    seed: u64,
    p: &'a Parameters,
    loaded: &'a Loaded,
    home: &'a Home,
    running: &'a Running<'a>,
    files: &'a ServerFiles,
}

impl Trial<'_> {
    fn run(
        &self,
        group: &AccountingGroup,
        line: Option<&TurnChannel>,
    ) -> Result<SubjectMeasurement, Refusal> {
        let mut observer = self.running.connect().map_err(Refusal::failed)?;
        let mut facts = verify(self.loaded, observer.as_mut(), self.p)?;
        drop(observer);
        if self.p.drops_pages() {
            self.files.evict()?;
        }
        let cycles = WholeCycles::of(self.running, self.p)?;
        let clients = connect(self.running, self.p, self.seed, cycles.as_ref())?;
        facts.circumstances = Some(circumstances(self.loaded.server, self.p, &clients)?);
        write_out(self.loaded.place()).map_err(Refusal::failed)?;
        if self.p.drops_pages() {
            self.files.evict()?;
        }
        let rows = self.rows()?;
        let before = group.counters();
        let mut ran = self.drive(clients, cycles, line)?;
        ran.mechanism.server = Some(AccountingGroup::delta(&before, &group.counters()));
        ran.notes.push(format!("{}, a server of Syncline's own", facts.version));
        let found = self.outcome(ran, facts)?;
        Ok(SubjectMeasurement {
            other_files: rows.into_iter().map(WatchedFile::into_facts).collect(),
            ..found
        })
    }

    /// The file of the rows that requests are about, if they read it from the device.
    fn rows(&self) -> Result<Option<WatchedFile>, Refusal> {
        let file = self.loaded.server.file_of_loaded_rows(self.home.data()).filter(|_| self.p.drops_pages());
        file.map(|file| WatchedFile::begin(&file, "data")).transpose()
    }

    fn drive(
        &self,
        clients: Vec<Connected>,
        cycles: Option<WholeCycles>,
        line: Option<&TurnChannel>,
    ) -> Result<Ran<requests::Client>, Refusal> {
        let p = self.p;
        let device = BlockDevice::below(self.loaded.place());
        // The lab decides how long turns go on, and the log how long its cycles do.
        let runtime = if line.is_some() || cycles.is_some() { Nanos::ZERO } else { p.runtime };
        let server =
            OwnServer { running: self.running, files: self.files, drops_pages: p.drops_pages(), cycles };
        let workloads =
            (0..p.clients).map(|client| requests::Client::new(p, runtime, client, self.seed, FIRST_MEASURED));
        let of_trial = Clients {
            site: self.site,
            device: &device,
            pages: || self.files.pages(),
            server: Some(&server),
            turns: line.map(|line| (line, PHASE)),
        };
        of_trial.drive(workloads.collect(), clients, |client, member| {
            if p.pinned { settle_on_cpus(client.thread(), member) } else { Ok(()) }
        })
    }

    fn outcome(
        &self,
        mut ran: Ran<requests::Client>,
        facts: ServerFacts,
    ) -> Result<SubjectMeasurement, Refusal> {
        ran.mechanism.process_io = Measured::unsupported("the server's processes do the I/O, not the worker");
        let figures = metrics(&RequestMeasurement {
            team: &ran.team,
            mechanism: &ran.mechanism,
            instrument_overhead_ns: server_clients::overhead(|runtime| {
                requests::Client::new(self.p, runtime, 0, self.seed, FIRST_MEASURED)
            }),
        });
        let notes = std::mem::take(&mut ran.notes);
        let phase = ran.phase(PHASE, ran.team.operations, figures);
        Ok(SubjectMeasurement {
            notes,
            server: Some(facts),
            ..SubjectMeasurement::new(vec![phase], self.p.durability(), ran.sidecar(PHASE)?)
        })
    }
}

/// A server of Syncline's own while clients drive it. It stands still while others have their turns.
struct OwnServer<'a> {
    running: &'a Running<'a>,
    files: &'a ServerFiles,
    drops_pages: bool,
    /// `None` if time ends the trial.
    cycles: Option<WholeCycles>,
}

impl DrivenServer for OwnServer<'_> {
    fn pause(&self) -> io::Result<()> {
        self.cycles.as_ref().map_or(Ok(()), WholeCycles::stopping)?;
        self.running.pause().map_err(io::Error::other)
    }

    fn resume(&self) -> io::Result<()> {
        self.running.resume().map_err(io::Error::other)?;
        self.cycles.iter().for_each(WholeCycles::resumed);
        Ok(())
    }

    fn write_out(&self) -> io::Result<()> {
        self.files.write_out()?;
        if self.drops_pages { self.files.evict() } else { Ok(()) }
    }

    fn moved_bytes(&self) -> Measured<u64> {
        self.files.moved_bytes()
    }

    fn is_at_end(&self, measured: Nanos) -> io::Result<bool> {
        self.cycles.as_ref().map_or(Ok(false), |cycles| cycles.is_at_end(measured))
    }

    fn stretch(&self) -> Option<Nanos> {
        self.cycles.as_ref().map(|_| STRETCH)
    }
}
