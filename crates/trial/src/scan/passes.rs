//! The passes of a trial, each with its own team of readers, and the steps between them.

use crate::dataset_pages::Pages;
use crate::line::TurnChannel;
use crate::refusal::Refusal;
use crate::site::Site;
use crate::team::Team;
use crate::turns::TurnsOfPhase;
use dataset::{OperationFailed, Readers};
use disk::kernel::block_device::BlockDevice;
use driver::{DriveError, MonotonicClock, Recorder};
use model::mechanism::{Measured, Mechanism};
use model::trial::TrialSpec;
use std::sync::Arc;
use workload::scan::{FileQueue, Latencies, Parameters, Pass, PassCache, Reader, Tally};

const NO_PAGES: &str = "the cache of an object store cannot be seen from here";
const NO_SYSTEM_CALLS: &str =
    "the client of an object store makes its system calls in its own code, where they are not counted";

/// What all passes of a trial share.
pub(super) struct Passes<'a> {
    pub(super) site: &'a Site,
    pub(super) spec: &'a TrialSpec,
    pub(super) parameters: &'a Parameters,
    /// The device below the dataset.
    pub(super) device: Measured<BlockDevice>,
    /// The files' pages; `None` for an object store.
    pub(super) pages: Option<Pages>,
    /// By which the lab orders the turns of each pass; `None` if the trial takes none.
    pub(super) line: Option<&'a TurnChannel>,
}

/// The results of all passes.
pub(super) struct PassResults {
    pub(super) passes: Vec<Pass>,
    /// The latencies of all passes.
    pub(super) latencies: Latencies,
    /// The turns of each pass, if they were taken.
    pub(super) turns: Vec<Option<TurnsOfPhase>>,
    /// Notes for the record.
    pub(super) notes: Vec<String>,
}

impl Passes<'_> {
    /// Runs all of them.
    pub(super) fn run<R: Reader, S: Readers>(
        &self,
        readers: &S,
        sizes: &Arc<[u64]>,
    ) -> Result<PassResults, Refusal> {
        let mut notes: Vec<String> = Vec::new();
        let mut passes = Vec::new();
        let mut turns = Vec::new();
        let mut latencies: Option<Latencies> = None;
        for pass in 0..self.parameters.passes {
            self.condition_cache(pass)?;
            let (pass, recorder, taken) = self.pass::<R, S>(pass, readers, sizes, &mut notes)?;
            passes.push(pass);
            turns.push(taken);
            match &mut latencies {
                Some(latencies) => latencies.add(&recorder),
                None => latencies = Some(Latencies::from_first_pass(recorder)),
            }
        }
        let causes = readers.retry_causes();
        if !causes.is_empty() {
            notes.push(format!("{} requests were retried: {}", readers.retries(), causes.join(", ")));
        }
        let latencies = latencies.ok_or_else(|| Refusal::Failed("a scan needs a pass".to_owned()))?;
        Ok(PassResults { passes, latencies, turns, notes })
    }

    /// Brings the files' pages into the state from which the pass starts.
    fn condition_cache(&self, pass: u32) -> Result<(), Refusal> {
        let Some(pages) = &self.pages else { return Ok(()) };
        match self.parameters.cache {
            PassCache::ColdEachPass => pages.evict(),
            PassCache::Cold if pass == 0 => pages.evict(),
            PassCache::Warm if pass == 0 => pages.warm(),
            PassCache::Cold | PassCache::Warm => Ok(()),
        }
    }

    fn pass<R: Reader, S: Readers>(
        &self,
        pass: u32,
        readers: &S,
        sizes: &Arc<[u64]>,
        notes: &mut Vec<String>,
    ) -> Result<(Pass, Recorder, Option<TurnsOfPhase>), Refusal> {
        let p = self.parameters;
        let queue = Arc::new(FileQueue::new(p, sizes, pass, self.spec.seed));
        let workloads: Vec<R> = (0..p.concurrency).map(|_| R::new(p, sizes, &queue)).collect();
        let pinned = self.site.every_trial().first_cpu();
        let name = name(pass);
        let unknown = || Measured::unsupported(NO_PAGES);
        let clock = MonotonicClock::start();
        let team = Team {
            site: self.site,
            // The dataset may be on another device than the work directory.
            device: &self.device,
            // Readers that move between CPUs measure the scheduler.
            first_cpu: pinned.or((p.concurrency > 1).then_some(0)),
            clock,
            pages: || self.pages.as_ref().map_or_else(unknown, Pages::residency),
            server: None,
            turns: self.line.map(|line| (line, name.as_str())),
        };
        let share =
            || self.pages.as_ref().map_or_else(|| Measured::unsupported(NO_PAGES), Pages::cached_share);
        let cached_share_before = share();
        let retries_before = readers.retries();
        let ran = team
            .run(workloads, |_| Ok((readers.backend(clock)?, Vec::new())))
            .map_err(|error| explain(pass, &error))?;
        // Without pages, the bytes that this process had a disk read do not show where the objects came from.
        let process_io = match &self.pages {
            Some(_) => ran.mechanism.process_io.clone(),
            None => Measured::unsupported(NO_PAGES),
        };
        notes.extend(ran.notes.into_iter().filter(|note| !notes.contains(note)).collect::<Vec<_>>());
        let tallies = ran.team.workload.iter().map(Reader::tally);
        let measured = ran.team.workload.iter().map(Reader::measured);
        let pass = Pass {
            seconds: ran.team.elapsed().seconds(),
            operations: ran.team.operations,
            tally: tallies.fold(Tally::default(), Tally::plus),
            measured: measured.fold(Tally::default(), Tally::plus),
            mechanism: Mechanism { process_io, ..ran.mechanism },
            system_calls: match &self.pages {
                Some(_) => Measured::Value(ran.team.system_calls),
                None => Measured::unsupported(NO_SYSTEM_CALLS),
            },
            in_flight_mean: ran.team.in_flight_mean,
            cached_share_before,
            cached_share_after: share(),
            retries: match &self.pages {
                Some(_) => Measured::unsupported("local reads are not retried: a failed read ends the trial"),
                None => Measured::Value(readers.retries() - retries_before),
            },
            accelerator: queue.accelerator_time(),
        };
        Ok((pass, ran.team.recorder, ran.turns))
    }
}

/// A pass's name in records; the first is number 0 here.
pub(super) fn name(pass: u32) -> String {
    format!("pass_{}", pass + 1)
}

/// The file, the operation and the reason of a failure.
fn explain(pass: u32, error: &DriveError) -> Refusal {
    let (DriveError::Operation { source, .. } | DriveError::Backend(source)) = error;
    match OperationFailed::of(source) {
        Some(failed) if failed.is_unsupported => Refusal::Unsupported(failed.to_string()),
        Some(failed) => Refusal::Failed(format!("pass {}: {failed}", pass + 1)),
        None => Refusal::Failed(format!("pass {}: {error}", pass + 1)),
    }
}
