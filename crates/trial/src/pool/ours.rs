//! Syncline's own buffer pool.

use super::page_cache::settle;
use super::results::PhaseResults;
use crate::block_team::{buffers_refused, check_alignment, refuse};
use crate::cache;
use crate::line::TurnChannel;
use crate::refusal::Refusal;
use crate::site::Site;
use crate::team::waited;
use crate::turns::PhaseTurns;
use buffer::policy::{ClockSweep, Lru, Sieve};
use buffer::{Geometry, Pages, Policy, PolicyKind, Pool};
use disk::arena::Arena;
use disk::backend::{AnyBackend, BackendKind, Setup};
use disk::counters::{Collected, Snapshot, run_queue};
use disk::file_table::FileTable;
use driver::{Backend, Driven, Driver, MonotonicClock, Turns, Workload};
use model::mechanism::{Measured, PageCache};
use model::page::HIT;
use model::trial::TrialSpec;
use model::turns::Slice;
use model::{BlockKind, Completion, DurabilityClass, Nanos, PageOp};
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use workload::IoEngine;
use workload::pool::{Counts, Parameters, Phase, PoolPhase, Run};

/// After this number of rounds of displacement, each with as many pages as there are frames, no page of the table may
/// be left.
const DISPLACEMENTS_MAX: u32 = 2 * Parameters::DISPLACER_ROUNDS;

/// Runs every phase on a pool with the configured policy.
pub(super) fn run(
    site: &Site,
    spec: &TrialSpec,
    parameters: &Parameters,
    line: Option<&TurnChannel>,
) -> Result<PhaseResults, Refusal> {
    let policy = PolicyKind::from_name(parameters.policy)
        .ok_or_else(|| Refusal::Failed(format!("no policy is called {}", parameters.policy)))?;
    match policy {
        PolicyKind::ClockSweep => run_with::<ClockSweep>(site, spec, parameters, line),
        PolicyKind::Lru => run_with::<Lru>(site, spec, parameters, line),
        PolicyKind::Sieve => run_with::<Sieve>(site, spec, parameters, line),
    }
}

fn run_with<P: Policy>(
    site: &Site,
    spec: &TrialSpec,
    parameters: &Parameters,
    line: Option<&TurnChannel>,
) -> Result<PhaseResults, Refusal> {
    let below = Below::open(site, parameters)?;
    let ours = Ours {
        site,
        seed: spec.seed,
        parameters,
        pool: below.pool::<P>(parameters)?,
        below: &below,
        payload: parameters.payload(spec.seed),
    };
    let mut runs = vec![ours.phase(Phase::Fill)?, ours.phase(Phase::WriteBack)?, ours.displace()?];
    let cached_share = ours.settle_page_cache()?;
    let mut slices = BTreeMap::new();
    for phase in [Phase::FirstRead, Phase::SecondRead] {
        let (run, of_phase) = ours.pass(phase, line)?;
        runs.push(run);
        slices.extend(of_phase.map(|of_phase| (phase.name().to_owned(), of_phase)));
    }
    Ok(PhaseResults {
        runs,
        change_s: Measured::unsupported("Syncline's pool writes pages back as the fill made them"),
        wal_bytes: Measured::unsupported("Syncline's pool has no write-ahead log"),
        full_page_images: Measured::unsupported("Syncline's pool has no write-ahead log"),
        map_pages: Measured::Value(parameters.map_pages() as f64),
        instrument_overhead_ns: ours.overhead(),
        // A changed page is in the pool, and is lost with the process.
        durability: DurabilityClass::None,
        notes: below.notes.clone(),
        slices,
        buffers: Some(below.arena.memory()),
        cached_shares: Some(vec![cached_share.clone()]),
        cached_share,
    })
}

/// The file and the backend below the pool.
struct Below {
    path: PathBuf,
    arena: Arc<Arena>,
    clock: MonotonicClock,
    in_flight_max: usize,
    files: Arc<FileTable>,
    registered: bool,
    kind: BackendKind,
    notes: Vec<String>,
}

impl Below {
    fn open(site: &Site, parameters: &Parameters) -> Result<Self, Refusal> {
        let file = site.files().first().ok_or_else(|| Refusal::Failed("the trial has no file".to_owned()))?;
        let path = site.path(file);
        let mut files = FileTable::new();
        let index = files.open(&path, parameters.mode, true).map_err(refuse)?;
        check_alignment(&files, site, index, parameters.page_size, BlockKind::Write)?;
        let kind = match parameters.ioengine {
            IoEngine::Uring => BackendKind::Uring,
            IoEngine::Psync => BackendKind::Psync,
        };
        kind.supported().map_err(|why| Refusal::Unsupported(why.to_string()))?;
        let frames = Arena::with_pages(parameters.pool_bytes() as usize, parameters.buffer_pages);
        let arena = frames.map_err(buffers_refused)?;
        Ok(Self {
            path,
            arena: Arc::new(arena),
            clock: MonotonicClock::start(),
            in_flight_max: parameters.read_ahead as usize + 1,
            files: Arc::new(files),
            registered: parameters.registered,
            kind,
            notes: Vec::new(),
        })
    }

    fn backend(&self, kind: BackendKind) -> io::Result<AnyBackend> {
        kind.build(&Setup {
            files: Arc::clone(&self.files),
            arena: Arc::clone(&self.arena),
            clock: self.clock,
            in_flight_max: self.in_flight_max,
            registered: self.registered,
        })
    }

    fn pool<P: Policy>(&self, parameters: &Parameters) -> Result<Pool<P, AnyBackend>, Refusal> {
        let backend = self.backend(self.kind).map_err(Refusal::failed)?;
        let geometry = Geometry {
            frames: parameters.frames() as u32,
            page_size: parameters.page_size,
            pages: parameters.pages() as u32,
            file: 0,
        };
        Pool::new(geometry, Arc::clone(&self.arena), backend, self.in_flight_max).map_err(Refusal::failed)
    }
}

/// A pool and the table in it.
struct Ours<'a, P> {
    site: &'a Site,
    seed: u64,
    parameters: &'a Parameters,
    pool: Pool<P, AnyBackend>,
    below: &'a Below,
    payload: Vec<u64>,
}

impl<P: Policy> Ours<'_, P> {
    fn phase(&self, phase: Phase) -> Result<Run, Refusal> {
        self.drive(PoolPhase::new(self.parameters, phase, self.seed))
    }

    /// Reads other pages until no page of the table is left, whatever the policy is; one round nearly always suffices.
    /// Its counters are those of the first round.
    fn displace(&self) -> Result<Run, Refusal> {
        let table = 0..self.parameters.file_pages() as u32;
        let mut displaced = self.drive(PoolPhase::displacing(self.parameters, 0))?;
        for round in 1..DISPLACEMENTS_MAX {
            if self.pool.resident(table.clone()) == 0 {
                return Ok(displaced);
            }
            let more = self.drive(PoolPhase::displacing(self.parameters, round))?;
            displaced.duration_s += more.duration_s;
            displaced.operations += more.operations;
        }
        match self.pool.resident(table) {
            0 => Ok(displaced),
            left => Err(Refusal::Failed(format!(
                "{left} pages of the table are still in the pool after {DISPLACEMENTS_MAX} times as many others as \
                 there are frames: policy = {}",
                self.parameters.policy
            ))),
        }
    }

    /// Writes the file out and leaves the configured share of it in the kernel's cache. Returns the share that is
    /// there.
    fn settle_page_cache(&self) -> Result<Measured<f64>, Refusal> {
        self.site.write_out()?;
        settle(&self.below.path, self.parameters)
    }

    /// A pass of reads; by turns, if there is a line to the lab that orders them.
    fn pass(&self, phase: Phase, line: Option<&TurnChannel>) -> Result<(Run, Option<Vec<Slice>>), Refusal> {
        let pages = || cache::pages(self.site);
        let turns = line.map(|line| PhaseTurns::new(line, phase.name(), self.site, pages));
        self.drive_in_turns(PoolPhase::new(self.parameters, phase, self.seed), turns)
    }

    fn drive(&self, phase: PoolPhase) -> Result<Run, Refusal> {
        type NoPages = fn() -> Measured<PageCache>;
        let alone: Option<PhaseTurns<'_, NoPages>> = None;
        self.drive_in_turns(phase, alone).map(|(run, _)| run)
    }

    fn drive_in_turns<C: Fn() -> Measured<PageCache> + Sync>(
        &self,
        phase: PoolPhase,
        turns: Option<PhaseTurns<'_, C>>,
    ) -> Result<(Run, Option<Vec<Slice>>), Refusal> {
        let queued_before = run_queue::delay_of_this_thread_s();
        let before = Snapshot::take(self.site.device());
        let counted_before = self.pool.counters();
        let driven = self.driven(phase, turns.as_ref().map(|turns| -> &dyn Turns { turns }))?;
        let counted = self.pool.counters() - counted_before;
        let after = Snapshot::take(self.site.device());
        let collected = Collected {
            run_queue_delay_s: waited(&queued_before, &run_queue::delay_of_this_thread_s()),
            page_cache: cache::pages(self.site),
            longest_gap_s: Measured::Value(driven.longest_gap.seconds()),
        };
        let taken = turns.map(|turns| turns.taken(&driven));
        let mechanism = match taken.as_ref().and_then(|taken| taken.mechanism.clone()) {
            Some(counted) => collected.with(counted, self.site.device()),
            None => before.delta(&after, collected, self.site.device()),
        };
        let (turns, slices) = taken.map(|taken| (taken.turns, taken.slices)).unzip();
        let phase = &driven.workload;
        let writes = phase.phase() == Phase::WriteBack;
        let time = Measured::Value(phase.transfer_s());
        let no = |what: &str| Measured::unsupported(format!("this phase {what} no page by itself"));
        let (read_s, write_s) = if writes { (no("reads"), time) } else { (time, no("writes")) };
        let run = Run {
            phase: phase.phase(),
            duration_s: driven.elapsed().seconds(),
            operations: driven.operations,
            turns,
            counts: Counts {
                hit: Measured::Value(phase.hits()),
                read: Measured::Value(if writes { 0 } else { phase.transfers() }),
                written: Measured::Value(if writes { phase.transfers() } else { counted.written }),
                evicted: Measured::Value(counted.evicted),
            },
            read_s,
            write_s,
            recorder: Some(driven.recorder),
            mechanism,
        };
        Ok((run, slices))
    }

    fn driven(&self, phase: PoolPhase, turns: Option<&dyn Turns>) -> Result<Driven<PoolPhase>, Refusal> {
        let queued_max = phase.in_flight_max();
        let pages = Pages::new(self.pool.session(), &self.payload, self.seed, queued_max);
        let name = phase.phase().name();
        let driver = Driver::new(phase, pages, self.below.clock);
        let driven = match turns {
            Some(turns) => driver.run_in_turns(turns),
            None => driver.run(),
        };
        driven.map_err(|error| {
            let path = self.below.path.display();
            Refusal::Failed(format!("{path}: phase {name}: {error}; look at dmesg and the free space"))
        })
    }

    /// The overhead in nanoseconds of driver, workload and histograms for a page that costs nothing.
    fn overhead(&self) -> Measured<f64> {
        let phase = PoolPhase::new(self.parameters, Phase::SecondRead, self.seed);
        let free = Free { queue: Vec::with_capacity(phase.in_flight_max()) };
        let driven = Driver::new(phase, free, self.below.clock).run();
        driven.map(|driven| driven.ns_per_operation()).into()
    }
}

/// A pool that finds every page at once.
struct Free {
    queue: Vec<PageOp>,
}

impl Backend for Free {
    type Op = PageOp;

    fn submit(&mut self, operations: &[PageOp]) -> io::Result<usize> {
        self.queue.extend(operations);
        Ok(operations.len())
    }

    fn reap(&mut self, _: usize, _: Option<Nanos>, out: &mut Vec<Completion>) -> io::Result<()> {
        out.extend(self.queue.drain(..).map(|op| Completion { id: op.id, result: HIT, stamps: None }));
        Ok(())
    }

    fn system_calls(&self) -> u64 {
        0
    }
}
