//! The commit workload on block backends: a team of committers, each with its own log.

use super::site::Site;
use super::{Outcome, Refusal, cache};
use disk::arena::Arena;
use disk::backend::{AnyBackend, BackendKind, Setup};
use disk::counters::{Collected, Snapshot, run_queue};
use disk::file_table::{FileTable, FileTableError};
use disk::kernel::scheduling::pin_team_member;
use driver::{Driven, Driver, MonotonicClock, run_team};
use model::mechanism::Measured;
use model::trial::{Phase, TrialSpec};
use model::{BlockKind, BlockOp, IoMode, Nanos};
use std::io;
use std::path::Path;
use std::sync::Arc;
use workload::commit::{Commit, DATA_FILE, Parameters, WAL_FILE, metrics};
use workload::{Evidence, IoEngine};

/// How long the null backend is driven to learn what the instrument itself costs.
const OVERHEAD_RUNTIME: Nanos = Nanos::from_millis(10);

/// What a member of the team keeps from its start to its end.
struct Kept {
    run_queue_delay_s: Measured<f64>,
    notes: Vec<String>,
}

/// Runs one trial.
pub(crate) fn measure(site: &Site, spec: &TrialSpec) -> Result<Outcome, Refusal> {
    let parameters = Parameters::read(&spec.configuration).map_err(Refusal::Failed)?;
    let kind = match parameters.ioengine {
        IoEngine::Uring => BackendKind::Uring,
        IoEngine::Psync => BackendKind::Psync,
    };
    kind.supported().map_err(|why| Refusal::Unsupported(why.to_string()))?;
    let clock = MonotonicClock::start();
    let setups = setups(site, &parameters, clock)?;
    let instrument_overhead_ns = overhead(&parameters, &setups[0]);
    let first_cpu = spec.configuration.count("cpu").ok();

    let before = Snapshot::take(site.device());
    let (team, ended) = run_team(
        (0..parameters.committers)
            .map(|committer| Commit::new(parameters.clone(), spec.seed.wrapping_add(u64::from(committer))))
            .collect(),
        &clock,
        |member, _: &Commit| begin(kind, &setups[member], member, first_cpu),
        |kept: Kept| (waited(&kept.run_queue_delay_s, &run_queue::delay_of_this_thread_s()), kept.notes),
    )
    .map_err(|error| explain(&error, site.directory()))?;
    let after = Snapshot::take(site.device());

    let (delays, notes): (Vec<_>, Vec<_>) = ended.into_iter().unzip();
    let collected = Collected { run_queue_delay_s: sum(&delays), page_cache: cache::pages(site) };
    let mechanism = before.delta(&after, collected);
    let evidence = Evidence { mechanism: &mechanism, instrument_overhead_ns };
    let phase = Phase {
        name: "measure".to_owned(),
        duration_s: team.elapsed().seconds(),
        operations: team.operations,
        metrics: metrics(&parameters, &team, &evidence),
        mechanism,
    };
    Ok(Outcome {
        phases: vec![phase],
        durability: parameters.durability(),
        sidecar: team.recorder.sidecar().map_err(Refusal::failed)?,
        notes: all_notes(notes, &team),
    })
}

fn begin(
    kind: BackendKind,
    setup: &Setup,
    member: usize,
    first_cpu: Option<u64>,
) -> io::Result<(AnyBackend, Kept)> {
    if let (Some(first), true) = (first_cpu, member > 0) {
        pin_team_member(first as usize, member).map_err(io::Error::other)?;
    }
    let backend = kind.build(setup)?;
    let notes = backend.notes().to_vec();
    Ok((backend, Kept { run_queue_delay_s: run_queue::delay_of_this_thread_s(), notes }))
}

/// One setup for each committer: the data file, its own log, its own buffers.
fn setups(site: &Site, parameters: &Parameters, clock: MonotonicClock) -> Result<Vec<Setup>, Refusal> {
    let files = site.files();
    let data = files.iter().find(|file| file.role == "data");
    let logs = files.iter().filter(|file| file.role == "wal");
    let in_flight_max = (parameters.read_depth + parameters.group_size + 1) as usize;
    logs.enumerate()
        .map(|(committer, log)| {
            let mut table = FileTable::new();
            let log_path = site.path(log);
            // Without reads the log takes the data file's place in the table; nothing ever reads it.
            match data {
                Some(data) => table.open(&site.path(data), parameters.data_mode, false),
                None => table.open(&log_path, parameters.wal_mode, false),
            }
            .map_err(refuse)?;
            table.open(&log_path, parameters.wal_mode, true).map_err(refuse)?;
            check_alignment(&table, site, parameters)?;
            let mut arena = Arena::new(parameters.arena_bytes()).map_err(Refusal::failed)?;
            arena.fill_random(committer as u64 + 1);
            Ok(Setup { files: Arc::new(table), arena: Arc::new(arena), clock, in_flight_max })
        })
        .collect()
}

/// The smallest steps that the workload takes in each file, checked once: the kernel does not check them all.
fn check_alignment(table: &FileTable, site: &Site, parameters: &Parameters) -> Result<(), Refusal> {
    let Ok(alignment) = site.direct() else { return Ok(()) };
    if alignment.writes_buffered && parameters.wal_mode == IoMode::Direct {
        return Err(Refusal::Unsupported(format!(
            "{}: this file system takes O_DIRECT writes and passes them through the page cache",
            site.directory().display()
        )));
    }
    let operation = |kind, file, step: u32| BlockOp {
        id: 0,
        kind,
        file,
        offset: u64::from(step),
        length: step,
        buffer: step,
    };
    let page = operation(BlockKind::Read, DATA_FILE, parameters.page_size);
    let record = operation(BlockKind::Write, WAL_FILE, parameters.record_size as u32);
    for operation in [page, record] {
        table
            .check_alignment(alignment.offset_bytes as u32, alignment.memory_bytes as u32, &operation)
            .map_err(refuse)?;
    }
    Ok(())
}

fn refuse(error: FileTableError) -> Refusal {
    match error {
        FileTableError::DirectUnsupported { .. } => Refusal::Unsupported(error.to_string()),
        other => Refusal::failed(other),
    }
}

/// Nanoseconds per operation of workload, driver and histograms, with a backend that does nothing.
fn overhead(parameters: &Parameters, setup: &Setup) -> Measured<f64> {
    let endless = Parameters {
        groups: 0,
        runtime: OVERHEAD_RUNTIME,
        layout: model::Layout::Prefilled,
        ..parameters.clone()
    };
    let driven = BackendKind::Null
        .build(setup)
        .map_err(driver::DriveError::from)
        .and_then(|backend| Driver::new(Commit::new(endless, 0), backend, setup.clock).run());
    driven.map(|driven| driven.elapsed().0 as f64 / driven.operations.max(1) as f64).into()
}

/// The kernel's answer, with the files' paths and what to do about it.
fn explain(error: &driver::DriveError, directory: &Path) -> Refusal {
    let advice = match error {
        driver::DriveError::Operation { source, .. } | driver::DriveError::Backend(source) => {
            match source.kind() {
                io::ErrorKind::StorageFull => "free space or take a smaller wal_size",
                io::ErrorKind::Unsupported => {
                    return Refusal::Unsupported(format!("{}: {error}", directory.display()));
                }
                _ if source.raw_os_error() == Some(5) => {
                    "the device reports an I/O error: look at dmesg and the drive's health"
                }
                _ => "look at dmesg",
            }
        }
    };
    Refusal::Failed(format!("{}: {error}; {advice}", directory.display()))
}

fn waited(before: &Measured<f64>, after: &Measured<f64>) -> Measured<f64> {
    match (before, after) {
        (Measured::Value(before), Measured::Value(after)) => Measured::Value(after - before),
        (Measured::Unsupported { unsupported }, _) | (_, Measured::Unsupported { unsupported }) => {
            Measured::unsupported(unsupported)
        }
    }
}

fn sum(delays: &[Measured<f64>]) -> Measured<f64> {
    let unsupported = delays.iter().find(|delay| delay.value().is_none()).cloned();
    unsupported.unwrap_or_else(|| Measured::Value(delays.iter().filter_map(Measured::value).sum()))
}

fn all_notes(notes: Vec<Vec<String>>, team: &Driven<Vec<Commit>>) -> Vec<String> {
    let mut all: Vec<String> = notes.into_iter().flatten().collect();
    all.sort();
    all.dedup();
    if team.workload.iter().any(Commit::log_full) {
        all.push(format!(
            "the log was full after {:.2} s, before the runtime was over: give a larger wal_size",
            team.elapsed().seconds()
        ));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_operation_names_the_place_the_operation_and_the_way_out() {
        for (errno, way_out) in
            [(28, "free space or take a smaller wal_size"), (5, "the drive's health"), (22, "look at dmesg")]
        {
            let operation = "write of 512 bytes at offset 0 of file 1".to_owned();
            let error =
                driver::DriveError::Operation { operation, source: io::Error::from_raw_os_error(errno) };
            let Refusal::Failed(why) = explain(&error, Path::new("/data/x")) else {
                panic!("{errno} is a failure")
            };
            assert!(why.starts_with("/data/x: write of 512 bytes at offset 0 of file 1: "), "{why}");
            assert!(why.contains(way_out), "{why}");
        }
        let unsupported = driver::DriveError::Backend(io::Error::from_raw_os_error(95));
        assert!(matches!(explain(&unsupported, Path::new("/data/x")), Refusal::Unsupported(_)));
    }
}
