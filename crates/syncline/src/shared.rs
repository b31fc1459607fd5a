//! `syncline run --shared`: the ranks that mpirun started plan alike, measure together, and rank 0 keeps what all measured.
//!
//! Each rank plans by itself, with the seed of rank 0: what its machine does not permit shows then, before the first trial. All plans
//! must have the same studies, or no rank measures.

use crate::failure::Failure;
use crate::output::{report_error, tell};
use crate::progress::ProgressDisplay;
use crate::request::{Prepared, Request, seed_from_clock};
use lab::conduct::{Conducted, Laboratory};
use lab::grace::Grace;
use lab::next::in_order;
use lab::run_directory::RunDirectory;
use lab::shared_run::{SharedRun, SharedRunError, check};
use lab::spent::Spent;
use model::host::HostFacts;
use model::plan::Plan;
use model::program::Program;
use model::rank::Rank;
use model::run::Run;
use peers::mpi::Mpi;
use peers::{Lost, Peers, Wait};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::thread;
use std::time::Duration;

/// Preparing files may take as long as the lab lets a worker prepare them; a rank that half of the others have overtaken, less.
const WAIT: Wait = Wait { most: Duration::from_hours(1), slack: Duration::from_mins(1) };
/// How long rank 0 may take to record that a rank is lost, until the first of the others ends the launch.
const RECORDING: Duration = Duration::from_secs(10);

/// What a rank brings to the first meeting.
#[derive(Debug, Serialize, Deserialize)]
enum Brought {
    /// It can measure this.
    Ready(Box<Ready>),
    /// Its machine does not permit it; why.
    Refused(String),
}

/// A rank that can measure.
#[derive(Debug, Serialize, Deserialize)]
struct Ready {
    plan: Plan,
    host: HostFacts,
    program: Program,
}

/// How an ordinary end of all ranks went: with a run directory on rank 0.
type Measured = Result<Option<RunDirectory>, Failure>;

/// Measures on all ranks. Returns the run directory of rank 0 there, and nothing on the others.
pub(crate) fn conduct(request: &Request<'_>) -> Result<Option<RunDirectory>, Failure> {
    let mpi = Mpi::start(|lost| report_error(lost)).map_err(Failure::runtime)?;
    let peers = RefCell::new(Peers::new(mpi));
    let measured = measure(request, &peers);
    match measured {
        Ok(measured) => measured,
        Err(error) => {
            let is_root = peers.borrow().is_root();
            match error {
                // Rank 0 knows it too: its line is enough, and its end is that of all.
                SharedRunError::Lost(Lost::Missing { .. } | Lost::InRelease) if !is_root => {
                    thread::sleep(RECORDING);
                }
                error => report_error(&error),
            }
            peers.into_inner().into_transport().abort()
        }
    }
}

/// The same. The error ends the launch, because other ranks wait for this one.
fn measure(request: &Request<'_>, peers: &RefCell<Peers<Mpi>>) -> Result<Measured, SharedRunError> {
    let (rank, size) = (peers.borrow().rank(), peers.borrow().size());
    let seed = request.seed.unwrap_or_else(seed_from_clock).to_le_bytes().to_vec();
    let seed = peers.borrow_mut().broadcast(seed, WAIT)?;
    let foreign = |_| Lost::Foreign { from: peers::ROOT };
    let seed: [u8; 8] = seed.try_into().map_err(foreign)?;
    let seed = u64::from_le_bytes(seed);
    let rank = Some(Rank { is_shared: true, ..Rank::new(rank, Some(size)) });
    let request = Request { rank, sharers: size, seed: Some(seed), ..*request };
    let (prepared, brought) = match prepare(&request, size) {
        Ok((prepared, ready)) => (Some(prepared), Brought::Ready(Box::new(ready))),
        Err(failure) => (None, Brought::Refused(failure.to_string())),
    };
    let mut ready = Vec::new();
    let agree = |brought: Vec<Vec<u8>>| {
        let agreed = all_ready(&brought);
        let refused = agreed.map(|all| ready = all).err();
        written(&refused)
    };
    let decided = peers.borrow_mut().meet(written(&brought), WAIT, agree)?;
    let refused: Option<String> =
        serde_json::from_slice(&decided).map_err(|_| Lost::Foreign { from: peers::ROOT })?;
    let is_root = peers.borrow().is_root();
    let prepared = match (refused, prepared) {
        (None, Some(prepared)) => prepared,
        (Some(why), _) if is_root => return Ok(Err(Failure::Runtime(why))),
        // Rank 0 says why.
        (Some(_) | None, _) => return Ok(Ok(None)),
    };
    if is_root { lead(&request, prepared, ready, peers) } else { follow(&request, prepared, peers) }
}

fn prepare(request: &Request<'_>, size: u32) -> Result<(Prepared, Ready), Failure> {
    let prepared = request.prepare()?;
    check(&prepared.plan, size).map_err(Failure::usage)?;
    let Prepared { plan, host, program, .. } = &prepared;
    let ready = Ready { plan: plan.clone(), host: host.clone(), program: program.clone() };
    Ok((prepared, ready))
}

/// What all ranks have, if all can measure the same with the same program; else why not.
fn all_ready(brought: &[Vec<u8>]) -> Result<Vec<Ready>, String> {
    let mut all: Vec<Ready> = Vec::new();
    for (rank, bytes) in brought.iter().enumerate() {
        let ready = match serde_json::from_slice(bytes) {
            Ok(Brought::Ready(ready)) => *ready,
            Ok(Brought::Refused(why)) => return Err(format!("rank {rank}: {why}")),
            Err(_) => return Err(format!("rank {rank} runs another version of Syncline")),
        };
        if let Some(first) = all.first() {
            let host = &ready.host.name;
            if ready.program != first.program {
                return Err(format!(
                    "rank {rank} on {host} runs another program than rank 0 on {}",
                    first.host.name
                ));
            }
            if ready.plan.studies != first.plan.studies {
                return Err(format!(
                    "rank {rank} on {host} would measure something else than rank 0 on {}: their machines permit \
                     different configurations, or have different room for trials that take turns; compare `syncline \
                     run --dry-run` on both",
                    first.host.name
                ));
            }
        }
        all.push(ready);
    }
    Ok(all)
}

/// Rank 0.
fn lead(
    request: &Request<'_>,
    prepared: Prepared,
    ready: Vec<Ready>,
    peers: &RefCell<Peers<Mpi>>,
) -> Result<Measured, SharedRunError> {
    let mut premises = prepared.premises;
    let make = |Ready { plan, host, program }: Ready| {
        RunDirectory::create(&request.path(&plan, &host), plan, host, Some(&program))
    };
    let mut display = ProgressDisplay::new(None);
    let mut laboratory = Laboratory {
        premises: &mut premises,
        next: &in_order,
        takes_turns: &|_, _, _| true,
        ends: None,
        observer: &mut display,
        interrupted: request.interrupted,
        grace: Grace::default(),
        spent: Spent::default(),
    };
    let directories: Result<Vec<RunDirectory>, _> = ready.into_iter().map(make).collect();
    let own = directories.as_ref().ok().and_then(|all| Some(all.first()?.path().to_owned()));
    let shared = SharedRun { peers, wait: WAIT };
    let conducted = match directories {
        Ok(mut directories) => {
            shared.conduct(&mut laboratory, &mut directories).map(|how| (how, directories))
        }
        Err(error) => Err(SharedRunError::Run(error)),
    };
    display.finish();
    let closed = premises.close();
    match conducted {
        Ok((Conducted::Complete, directories)) => Ok(closed.map(|()| directories.into_iter().next())),
        Ok((Conducted::Interrupted, _)) => {
            Ok(Err(Failure::Interrupted("a shared run is not resumed: start it again".to_owned())))
        }
        Err(error) => {
            if let Some(own) = own {
                tell(format_args!("the rounds before are recorded: syncline report {}", own.display()));
            }
            Err(error)
        }
    }
}

/// Any other rank.
fn follow(
    request: &Request<'_>,
    prepared: Prepared,
    peers: &RefCell<Peers<Mpi>>,
) -> Result<Measured, SharedRunError> {
    let Prepared { plan, host, mut premises, .. } = prepared;
    let run = Run { plan, host, records: Vec::new(), remarks: Vec::new() };
    let shared = SharedRun { peers, wait: WAIT };
    let followed = shared.follow(&run, &mut premises, Grace::default(), request.interrupted);
    let closed = premises.close();
    Ok(followed.map(|_| closed.map(|()| None))?)
}

fn written(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("plain data in memory is written")
}
