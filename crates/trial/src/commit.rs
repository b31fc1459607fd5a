//! The commit workload on block backends: a team of committers, each with its own log.

use crate::block_team::{BlockTeam, ONLY_PHASE, buffers_refused, check_alignment, refuse};
use crate::cache;
use crate::cache::Start;
use crate::line::TurnChannel;
use crate::outcome::SubjectMeasurement;
use crate::refusal::Refusal;
use crate::site::Site;
use crate::steady::until_steady;
use crate::team::OVERHEAD_RUNTIME;
use disk::arena::Arena;
use disk::backend::{BackendKind, Setup};
use disk::file_table::FileTable;
use driver::{Driven, MonotonicClock};
use model::BlockKind;
use model::Nanos;
use model::trial::TrialSpec;
use std::sync::Arc;
use workload::commit::{Commit, DATA_FILE, Parameters, WAL_FILE, metrics};
use workload::{Evidence, IoEngine};

/// The data file's pages when a trial starts.
pub(crate) fn cache(spec: &TrialSpec) -> Result<Start, Refusal> {
    let parameters = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    Ok(Start::new(parameters.cache, 100, u64::from(parameters.page_size)))
}

pub(crate) fn measure(
    site: &Site,
    spec: &TrialSpec,
    line: Option<&TurnChannel>,
) -> Result<SubjectMeasurement, Refusal> {
    let parameters = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    let kind = match parameters.ioengine {
        IoEngine::Uring => BackendKind::Uring,
        IoEngine::Psync => BackendKind::Psync,
    };
    let setups = setups(site, &parameters)?;
    let team = BlockTeam {
        site,
        kinds: vec![kind; setups.len()],
        setups,
        first_cpu: site.every_trial().first_cpu(),
        size_parameter: "wal_size",
    };
    let instrument_overhead_ns = team.overhead(Commit::new(endless(&parameters), 0));
    // The lab decides how long turns go on.
    let runtime = if line.is_some() { Nanos::ZERO } else { parameters.runtime };
    let measured = Parameters { runtime, ..parameters.clone() };
    let committers = (0..parameters.committers)
        .map(|committer| Commit::new(measured.clone(), spec.seed.wrapping_add(u64::from(committer))));
    let mut steady_ramp = None;
    if let Some(ramp) = parameters.steady_ramp.chosen() {
        let interval = Parameters { groups: 0, runtime: ramp.steady_interval, ..parameters.clone() };
        steady_ramp = Some(until_steady(ramp, |index| {
            // Different pages each time, because the pages of the last interval may be cached.
            let seed = |committer: u32| spec.seed ^ ((index + 1) << 32) ^ u64::from(committer);
            let committers =
                (0..interval.committers).map(|committer| Commit::new(interval.clone(), seed(committer)));
            let team = team.run(committers.collect())?.team;
            Ok(team.operations as f64 / team.elapsed().seconds())
        })?);
    }
    let share = |file| cache::share(&site.path(file));
    let cached_shares_after_ramp = steady_ramp.is_some().then(|| site.files().iter().map(share).collect());
    let mut ran = team.run_in_turns(committers.collect(), line)?;
    ran.notes.extend(log_full(&ran.team));
    let evidence = Evidence { mechanism: &ran.mechanism, instrument_overhead_ns };
    let figures = metrics(&parameters, &ran.team, &evidence);
    let phase = ran.phase(ONLY_PHASE, ran.team.operations, figures);
    let sidecar = ran.sidecar(ONLY_PHASE)?;
    Ok(SubjectMeasurement {
        notes: ran.notes,
        steady_ramp,
        buffers: ran.buffers,
        cached_shares_after_ramp,
        ..SubjectMeasurement::new(vec![phase], parameters.durability(), sidecar)
    })
}

/// One setup for each committer: the data file, its own log, its own buffers.
fn setups(site: &Site, parameters: &Parameters) -> Result<Vec<Setup>, Refusal> {
    let files = site.files();
    let data = files.iter().find(|file| file.role == "data");
    let logs = files.iter().filter(|file| file.role == "wal");
    let clock = MonotonicClock::start();
    let in_flight_max = (parameters.read_depth + parameters.group_size + 1) as usize;
    logs.enumerate()
        .map(|(committer, log)| {
            let mut table = FileTable::new();
            let log_path = site.path(log);
            // Without reads the log takes the data file's place in the table, which no operation reads.
            match data {
                Some(data) => table.open(&site.path(data), parameters.data_mode(), false),
                None => table.open(&log_path, parameters.wal_mode(), false),
            }
            .map_err(refuse)?;
            table.open(&log_path, parameters.wal_mode(), true).map_err(refuse)?;
            check_alignment(&table, site, DATA_FILE, parameters.page_size, BlockKind::Read)?;
            check_alignment(&table, site, WAL_FILE, parameters.record_size as u32, BlockKind::Write)?;
            let mut arena = Arena::with_pages(parameters.arena_bytes(), parameters.buffer_pages)
                .map_err(buffers_refused)?;
            arena.fill_random(committer as u64 + 1);
            Ok(Setup {
                files: Arc::new(table),
                arena: Arc::new(arena),
                clock,
                in_flight_max,
                registered: parameters.registered,
            })
        })
        .collect()
}

/// The same commits for a short time, on a log that wraps.
fn endless(parameters: &Parameters) -> Parameters {
    Parameters {
        groups: 0,
        runtime: OVERHEAD_RUNTIME,
        wal_layout: model::Layout::Prefilled,
        ..parameters.clone()
    }
}

fn log_full(team: &Driven<Vec<Commit>>) -> Option<String> {
    team.workload.iter().any(Commit::log_full).then(|| {
        format!(
            "the log was full after {:.2} s, before the runtime was over: give a larger wal_size",
            team.elapsed().seconds()
        )
    })
}
