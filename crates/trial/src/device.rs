//! The device workload on block backends: a fio job with one file and a team of jobs.

use crate::block_team::{BlockTeam, ONLY_PHASE, buffers_refused, check_alignment, refuse};
use crate::cache;
use crate::cache::Start;
use crate::line::TurnChannel;
use crate::outcome::SubjectMeasurement;
use crate::readback::{Compared, read_back};
use crate::refusal::Refusal;
use crate::site::Site;
use crate::steady::until_steady;
use crate::team::{OVERHEAD_RUNTIME, Ran};
use disk::arena::Arena;
use disk::backend::{BackendKind, Setup};
use disk::file_table::{self, FileTable};
use disk::files;
use driver::MonotonicClock;
use model::mechanism::Measured;
use model::trial::TrialSpec;
use model::units::format_bytes_approximate;
use model::{BlockKind, IoMode, Nanos};
use std::fs;
use std::sync::Arc;
use std::thread;
use workload::device::{Advice, DATA_FILE, Data, Device, Kind, Parameters, metrics};
use workload::{Evidence, IoEngine};

/// Fills the holes of the last trial and overwrites the whole file before the trial, if the trial requires it.
pub(crate) fn condition(site: &Site, spec: &TrialSpec) -> Result<(), Refusal> {
    let parameters = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    if parameters.trims() {
        fill_holes(site, spec)?;
    }
    match parameters.precondition() {
        Some(precondition) => {
            drive(site, spec, &precondition, Device::team(&precondition, spec.seed)).map(drop)
        }
        None => Ok(()),
    }
}

/// Makes each file again that has holes, or of which the file system tells no layout.
fn fill_holes(site: &Site, spec: &TrialSpec) -> Result<(), Refusal> {
    for file in site.files() {
        let path = site.path(file);
        let facts = files::extent_facts(&path).map_err(Refusal::failed)?;
        if matches!(facts, Measured::Value(facts) if facts.hole_bytes == 0) {
            continue;
        }
        fs::remove_file(&path)
            .map_err(|error| Refusal::Failed(format!("{}: cannot remove: {error}", path.display())))?;
        let seed = spec.seed ^ file.size_bytes;
        files::create(&path, file.layout, file.size_bytes, seed).map_err(Refusal::failed)?;
    }
    Ok(())
}

/// The file's pages when a trial starts.
pub(crate) fn cache(spec: &TrialSpec) -> Result<Start, Refusal> {
    let parameters = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    Ok(Start::new(parameters.cache, parameters.cached_percentage, u64::from(parameters.bs)))
}

pub(crate) fn measure(
    site: &Site,
    spec: &TrialSpec,
    line: Option<&TurnChannel>,
) -> Result<SubjectMeasurement, Refusal> {
    let parameters = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    let instrument_overhead_ns =
        team(site, spec, &parameters)?.overhead(Device::new(endless(&parameters), 0, spec.seed));
    let mut jobs = Device::team(&parameters, spec.seed);
    if let Some(ramp) = parameters.ramp() {
        let warmed_up = drive(site, spec, &ramp, Device::team(&ramp, spec.seed))?.team.workload;
        jobs = warmed_up.into_iter().map(|job| job.go_on(parameters.clone())).collect();
    }
    let mut steady_ramp = None;
    if let Some(ramp) = parameters.steady_ramp.chosen() {
        let interval = parameters.for_interval(ramp.steady_interval);
        let mut working = Some(std::mem::take(&mut jobs));
        steady_ramp = Some(until_steady(ramp, |_| {
            let jobs = working.take().unwrap_or_default();
            let jobs = jobs.into_iter().map(|job| job.go_on(interval.clone())).collect();
            let team = drive(site, spec, &interval, jobs)?.team;
            let rate = team.operations as f64 / team.elapsed().seconds();
            working = Some(team.workload);
            Ok(rate)
        })?);
        jobs = working.into_iter().flatten().map(|job| job.go_on(parameters.clone())).collect();
    }
    let is_ramped = parameters.ramp_time > Nanos::ZERO || steady_ramp.is_some();
    let share = |file| cache::share(&site.path(file));
    let cached_shares_after_ramp = is_ramped.then(|| site.files().iter().map(share).collect());
    if line.is_some() {
        // The lab decides how long turns go on.
        let measured = Parameters { runtime: Nanos::ZERO, ..parameters.clone() };
        jobs = jobs.into_iter().map(|job| job.go_on(measured.clone())).collect();
    }
    let members = team(site, spec, &parameters)?;
    let mut ran = members.run_in_turns(jobs, line)?;
    ran.notes.extend(verified(site, &parameters, &ran.team.workload, &members.setups)?);
    ran.notes.extend(trimmed_again(&parameters, &ran.team.workload));
    let runtime = if line.is_some() { ran.team.worked } else { parameters.runtime };
    let unserved: u64 = ran.team.workload.iter().map(|job| job.unserved(runtime)).sum();
    if unserved > 0 {
        ran.notes.push(format!(
            "the device could not keep up with rate_iops: {unserved} arrivals were due and had not been started when \
             the runtime was over"
        ));
    }
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

/// Compares each file with what its jobs wrote, if the trial requires it; the note about that.
fn verified(
    site: &Site,
    parameters: &Parameters,
    jobs: &[Device],
    setups: &[Setup],
) -> Result<Option<String>, Refusal> {
    let kinds = parameters.kinds();
    if kinds.iter().all(|kind| !kind.parameters.verifies()) {
        return Ok(None);
    }
    let mut all = Compared::default();
    for (place, file) in site.files().iter().enumerate() {
        let verifies = |kind: &&Kind| kind.file == place && kind.parameters.verifies();
        let Some(of_file) = kinds.iter().find(verifies) else { continue };
        let is_writer = |job: &Device| kinds.get(job.kind()).is_some_and(|kind| verifies(&kind));
        let arenas = setups.iter().map(|setup| &*setup.arena);
        let writers: Vec<_> = jobs.iter().zip(arenas).filter(|(job, _)| is_writer(job)).collect();
        let compared = read_back(&site.path(file), &of_file.parameters, &writers)?;
        all.equal += compared.equal;
        all.unordered += compared.unordered;
    }
    let Compared { equal, unordered } = all;
    let left_out = match unordered {
        0 => String::new(),
        blocks => format!("; {blocks} blocks with two writes in flight at once were not compared"),
    };
    let all_equal = "blocks were read back, and all have the bytes that were written last";
    Ok(Some(format!("verify: {equal} {all_equal}{left_out}")))
}

/// The note about trims of blocks that were holes already, which the file system answers without any work.
fn trimmed_again(parameters: &Parameters, jobs: &[Device]) -> Option<String> {
    let kinds = parameters.kinds();
    let trimmers = kinds.iter().enumerate().filter(|(_, kind)| kind.parameters.rw.trims());
    // What a job trims and then writes is not a hole.
    let [(place, trimmer)] = trimmers.collect::<Vec<_>>()[..] else { return None };
    if trimmer.parameters.rw.writes() {
        return None;
    }
    let trims: u64 = jobs.iter().filter(|job| job.kind() == place).map(Device::trims).sum();
    let bytes = trims.saturating_mul(trimmer.parameters.read_bytes_mean());
    (bytes > trimmer.parameters.size).then(|| {
        format!(
            "the jobs trimmed {} of a file of {}: later trims met holes, which cost less",
            format_bytes_approximate(bytes as f64),
            format_bytes_approximate(trimmer.parameters.size as f64)
        )
    })
}

/// Drives jobs of these parameters to their end.
fn drive(
    site: &Site,
    spec: &TrialSpec,
    parameters: &Parameters,
    jobs: Vec<Device>,
) -> Result<Ran<Device>, Refusal> {
    team(site, spec, parameters)?.run(jobs)
}

fn team<'a>(site: &'a Site, spec: &TrialSpec, parameters: &Parameters) -> Result<BlockTeam<'a>, Refusal> {
    let pinned = site.every_trial().first_cpu();
    // Jobs that move between CPUs measure the scheduler. The first job is pinned to the first CPU, and so on, in turn.
    let spread = (parameters.jobs().len() > 1 && thread::available_parallelism().is_ok()).then_some(0);
    Ok(BlockTeam {
        site,
        kinds: parameters.jobs().iter().map(kind).collect(),
        setups: setups(site, spec, parameters)?,
        first_cpu: pinned.or(spread),
        size_parameter: "size",
    })
}

fn kind(parameters: &Parameters) -> BackendKind {
    match (parameters.mode, parameters.ioengine) {
        (IoMode::Mmap, _) => BackendKind::Mmap,
        (_, IoEngine::Uring) => BackendKind::Uring,
        (_, IoEngine::Psync) => BackendKind::Psync,
    }
}

/// One setup for each job: its own descriptor of its kind's file, and its own buffers.
fn setups(site: &Site, spec: &TrialSpec, parameters: &Parameters) -> Result<Vec<Setup>, Refusal> {
    let clock = MonotonicClock::start();
    let jobs = |kind: Kind| {
        let jobs = kind.parameters.numjobs as usize;
        std::iter::repeat_n((kind.parameters, kind.file), jobs)
    };
    (0_u64..)
        .zip(parameters.kinds().into_iter().flat_map(jobs))
        .map(|(job, (parameters, file))| {
            let file = site.files().get(file);
            let path = site.path(file.ok_or_else(|| Refusal::Failed("the trial has no file".to_owned()))?);
            let kind = if parameters.writes() { BlockKind::Write } else { BlockKind::Read };
            let mut table = FileTable::new();
            table.open(&path, parameters.mode, parameters.writes() || parameters.trims()).map_err(refuse)?;
            table.advise(DATA_FILE, advice(parameters.advice)).map_err(refuse)?;
            check_alignment(&table, site, DATA_FILE, parameters.bs, kind)?;
            let mut arena = Arena::with_pages(parameters.arena_bytes(), parameters.buffer_pages)
                .map_err(buffers_refused)?;
            // A different payload in every trial: a device that deduplicates would otherwise find the last trial's
            // blocks.
            let seed = spec.seed.wrapping_add(job);
            match parameters.data {
                Data::Random => arena.fill_random(seed),
                Data::Zero => arena.fill_zero(),
                Data::Compressible => {
                    arena.fill_compressible(seed, u64::from(parameters.buffer_compress_percentage));
                }
            }
            let in_flight_max = parameters.in_flight_max();
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

fn advice(advice: Advice) -> file_table::Advice {
    match advice {
        Advice::Normal => file_table::Advice::Normal,
        Advice::Random => file_table::Advice::Random,
        Advice::Sequential => file_table::Advice::Sequential,
    }
}

/// The same operations, for a short time and as fast as possible.
fn endless(parameters: &Parameters) -> Parameters {
    Parameters {
        number_ios: 0,
        runtime: OVERHEAD_RUNTIME,
        rate_iops: None,
        thinktime: Nanos::ZERO,
        start_delay: Nanos::ZERO,
        start_delay_step: Nanos::ZERO,
        ..parameters.clone()
    }
}
