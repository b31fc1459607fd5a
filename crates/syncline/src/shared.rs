//! `syncline run --shared`: the ranks that mpirun started plan alike, measure together, and rank 0 keeps what all
//! measured.
//!
//! Each rank plans by itself, with the seed of rank 0: what its machine does not permit shows then, before the first
//! trial. All plans must have the same studies, or no rank measures.

use crate::failure::Failure;
use crate::output::{report_error, tell};
use crate::premises::room_needed_bytes;
use crate::progress::ProgressDisplay;
use crate::request::{Prepared, Request, seed_from_clock};
use disk::work_directory::require_marked;
use lab::conduct::{Conducted, Laboratory};
use lab::launcher;
use lab::next::in_order;
use lab::run_directory::RunDirectory;
use lab::shared_plan::check;
use lab::shared_run::{SharedRun, SharedRunError, with_hosts};
use lab::time_account::TimeAccount;
use lab::timeout::Timeout;
use model::host::HostFacts;
use model::plan::Plan;
use model::program::Program;
use model::rank::Rank;
use model::run::Run;
use peers::message::{read, written};
use peers::mpi::Mpi;
use peers::{Lost, Peers, ROOT, Wait};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

/// Planning and removing files may take long; a rank that half of the others have overtaken has less time.
const WAIT: Wait = Wait { most: Duration::from_hours(1), slack: Duration::from_mins(1) };
/// How long rank 0 may take to record that a rank is lost, until the first of the others ends the launch.
const RECORDING: Duration = Duration::from_secs(10);
/// After this time a rank sees what another one has made: a host may remember for 60 s what a directory holds (acdirmax
/// in nfs(5)).
const SEEN_MAX: Duration = Duration::from_secs(70);
const SEEN_POLL: Duration = Duration::from_millis(100);

/// A rank that can measure.
#[derive(Debug, Serialize, Deserialize)]
struct ReadyRank {
    plan: Plan,
    host: HostFacts,
    program: Program,
}

/// How a launch ends that all ranks leave together. Only rank 0 has something to report.
type Ended = Result<ExitCode, Failure>;

/// Why the launch ends at once: other ranks wait for this one.
enum Ends {
    /// This is to be printed.
    Why(SharedRunError),
    /// It was printed.
    Printed,
}

impl From<Lost> for Ends {
    fn from(lost: Lost) -> Self {
        Self::Why(lost.into())
    }
}

/// Measures on all ranks. Rank 0 publishes its run directory, and prints what went wrong on any rank.
pub(crate) fn conduct(request: &Request<'_>, publish: impl FnOnce(&RunDirectory) -> Ended) -> Ended {
    let last_words = |lost: &Lost| report_error(Failure::runtime(lost.to_string()));
    let mpi = Mpi::start(last_words, WAIT.slack).map_err(Failure::runtime)?;
    let peers = RefCell::new(Peers::new(mpi));
    let ends = match measure(request, &peers, publish) {
        Ok(ended) => return ended,
        Err(ends) => ends,
    };
    let is_root = peers.borrow().is_root();
    match ends {
        // Rank 0 knows it too: its line is enough, and its end is that of all.
        Ends::Why(SharedRunError::Lost(Lost::Missing { .. } | Lost::InRelease)) if !is_root => {
            thread::sleep(RECORDING);
        }
        Ends::Why(error) => report_error(Failure::runtime(error)),
        Ends::Printed => {}
    }
    peers.into_inner().into_transport().abort()
}

fn measure(
    request: &Request<'_>,
    peers: &RefCell<Peers<Mpi>>,
    publish: impl FnOnce(&RunDirectory) -> Ended,
) -> Result<Ended, Ends> {
    let (number, size, is_root) = (peers.borrow().rank(), peers.borrow().size(), peers.borrow().is_root());
    let seed = request.seed.unwrap_or_else(seed_from_clock).to_le_bytes().to_vec();
    let seed = peers.borrow_mut().broadcast(seed, WAIT)?;
    let seed: [u8; 8] = seed.try_into().map_err(|_| Lost::Foreign { from: ROOT })?;
    let rank = Some(Rank { is_shared: true, ..Rank::new(number, Some(size)) });
    let prepared = launcher::check_mpi(request.rank, number, size).map_err(Failure::usage);
    let request = Request { rank, sharers: size, seed: Some(u64::from_le_bytes(seed)), ..*request };
    let (prepared, own) = match prepared.and_then(|()| prepare(&request, size)) {
        Ok((prepared, ready)) => (Some(prepared), Ok(ready)),
        Err(failure) => (None, Err(failure)),
    };
    // The random name of its work directory is what only a rank with the same storage sees.
    let name = |prepared: &Prepared| Some(prepared.premises.directory().file_name()?.to_str()?.to_owned());
    let name = prepared.as_ref().and_then(name).unwrap_or_default();
    let mut ready = Vec::new();
    let same_plans = |all: Vec<ReadyRank>| {
        require_same(&all)?;
        ready = all;
        Ok(name)
    };
    // Rank 0 says why.
    let end = |failure| Ok(if is_root { Err(failure) } else { Ok(ExitCode::SUCCESS) });
    let (name, prepared) = match (agree(peers, &own, WAIT, same_plans)?, prepared) {
        (Ok(name), Some(prepared)) => (name, prepared),
        (Ok(_), None) => return Err(Lost::Foreign { from: ROOT }.into()),
        (Err(failure), _) => return end(failure),
    };
    // A run that makes no files there measures something else, such as an object store.
    let is_measured = room_needed_bytes(&prepared.plan.studies) > 0;
    let seen = if is_measured { require_seen(request.dir, &name, &prepared.host) } else { Ok(()) };
    let patient = Wait { slack: SEEN_MAX + WAIT.slack, ..WAIT };
    if let Err(failure) = agree(peers, &seen, patient, |_| Ok(()))? {
        return end(failure);
    }
    if is_root { lead(&request, prepared, ready, peers, publish) } else { follow(&request, prepared, peers) }
}

fn prepare(request: &Request<'_>, size: u32) -> Result<(Prepared, ReadyRank), Failure> {
    let prepared = request.prepare()?;
    check(&prepared.plan, size).map_err(Failure::usage)?;
    let Prepared { plan, host, program, .. } = &prepared;
    let ready = ReadyRank { plan: plan.clone(), host: host.clone(), program: program.clone() };
    Ok((prepared, ready))
}

/// All ranks go on by what rank 0 decides, or none does: a failure of one rank is that of all.
fn agree<B, D>(
    peers: &RefCell<Peers<Mpi>>,
    own: &Result<B, Failure>,
    wait: Wait,
    decide: impl FnOnce(Vec<B>) -> Result<D, Failure>,
) -> Result<Result<D, Failure>, Lost>
where
    B: Serialize + DeserializeOwned,
    D: Serialize + DeserializeOwned,
{
    let of_rank = |(rank, message): (u32, Vec<u8>)| match read::<Result<B, Failure>>(&message, rank) {
        Ok(brought) => brought.map_err(|failure| failure.on_rank(rank as usize)),
        Err(_) => Err(Failure::Runtime(format!("rank {rank} runs another version of Syncline"))),
    };
    let decide = |brought: Vec<Vec<u8>>| {
        let all: Result<Vec<B>, Failure> = (0..).zip(brought).map(of_rank).collect();
        written(&all.and_then(decide))
    };
    let decided = peers.borrow_mut().meet(written(own), wait, decide)?;
    read(&decided, ROOT)
}

/// Whether all ranks measure the same with the same program.
fn require_same(all: &[ReadyRank]) -> Result<(), Failure> {
    let Some(first) = all.first() else { return Ok(()) };
    for (rank, ready) in all.iter().enumerate() {
        let (host, first_host) = (&ready.host.name, &first.host.name);
        if ready.program != first.program {
            return Err(Failure::Runtime(format!(
                "rank {rank} on {host} runs another program than rank 0 on {first_host}"
            )));
        }
        if ready.plan.studies != first.plan.studies {
            return Err(Failure::Runtime(format!(
                "rank {rank} on {host} would measure something else than rank 0 on {first_host}: their machines permit \
                 different configurations, or have different room for trials that take turns; compare `syncline run \
                 --dry-run` on both"
            )));
        }
    }
    Ok(())
}

/// Whether this rank sees the work directory that rank 0 has made: a host on which the volume is not mounted measures
/// its own disk.
fn require_seen(dir: &Path, name: &str, host: &HostFacts) -> Result<(), Failure> {
    let (path, began) = (dir.join(name), Instant::now());
    while require_marked(&path).is_err() {
        if began.elapsed() >= SEEN_MAX {
            return Err(Failure::Runtime(format!(
                "{} on {} is not the storage of rank 0: the directory that rank 0 made there does not appear within {} \
                 s; mount the same volume on all hosts",
                dir.display(),
                host.name,
                SEEN_MAX.as_secs()
            )));
        }
        thread::sleep(SEEN_POLL);
    }
    Ok(())
}

/// Rank 0.
fn lead(
    request: &Request<'_>,
    prepared: Prepared,
    ready: Vec<ReadyRank>,
    peers: &RefCell<Peers<Mpi>>,
    publish: impl FnOnce(&RunDirectory) -> Ended,
) -> Result<Ended, Ends> {
    let mut premises = prepared.premises;
    let make = |ReadyRank { plan, host, program }: ReadyRank| {
        RunDirectory::create(&request.path(&plan, &host), plan, host, Some(&program))
    };
    let directories: Result<Vec<RunDirectory>, _> = ready.into_iter().map(make).collect();
    let mut directories = directories.map_err(|error| Ends::Why(error.into()))?;
    let mut display = ProgressDisplay::new(None);
    let mut laboratory = Laboratory {
        premises: &mut premises,
        next: &in_order,
        takes_turns: &|_, _, _| true,
        ends: None,
        observer: &mut display,
        interrupted: request.interrupted,
        timeout: Timeout::default(),
        time: TimeAccount::default(),
    };
    let shared = SharedRun { peers, wait: WAIT };
    let conducted = shared.conduct(&mut laboratory, &mut directories);
    display.finish();
    if let Err(error) = &conducted {
        // At once, because the others wait only a moment for rank 0.
        report_error(Failure::runtime(with_hosts(error, &directories)));
    }
    let closed = premises.close();
    let own = &directories[0];
    let is_complete = in_order(&own.run().plan, &own.run().records, None).is_none();
    match conducted {
        Ok(Conducted::Complete) => {
            let published = publish(own);
            Ok(farewell(peers, &closed)?.and(published))
        }
        Ok(Conducted::Interrupted) => {
            let again = "a shared run is not resumed: start it again".to_owned();
            Ok(farewell(peers, &closed)?.and(Err(Failure::Interrupted(again))))
        }
        Err(_) => {
            let published = if is_complete { publish(own).map(drop) } else { Ok(()) };
            for failure in [closed, published].into_iter().filter_map(Result::err) {
                report_error(failure);
            }
            if !is_complete {
                let own = own.path().display();
                tell(format_args!("the rounds before are recorded: syncline report {own}"));
            }
            Err(Ends::Printed)
        }
    }
}

fn follow(request: &Request<'_>, prepared: Prepared, peers: &RefCell<Peers<Mpi>>) -> Result<Ended, Ends> {
    let Prepared { plan, host, mut premises, .. } = prepared;
    let run = Run { plan, host, records: Vec::new(), remarks: Vec::new() };
    let shared = SharedRun { peers, wait: WAIT };
    let followed = shared.follow(&run, &mut premises, Timeout::default(), request.interrupted);
    let closed = premises.close();
    followed?;
    // Rank 0 reports it: a rank that ends with an error makes mpirun end all others, also rank 0 while it publishes.
    let _reported_by_rank_0 = farewell(peers, &closed)?;
    Ok(Ok(ExitCode::SUCCESS))
}

/// All have removed their files, or could not: after this, no rank makes another one wait at the end of MPI.
fn farewell(peers: &RefCell<Peers<Mpi>>, closed: &Result<(), Failure>) -> Result<Result<(), Failure>, Lost> {
    agree(peers, closed, WAIT, |_| Ok(()))
}
