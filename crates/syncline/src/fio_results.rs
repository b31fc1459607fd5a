//! A run of the device workload in the shape of fio's JSON: one entry for each trial.

mod table;

use crate::failure::Failure;
use fio::job::Section;
use fio::json::{DirectionResult, DiskFigures, JobResult, Latencies};
use lab::run_directory::RunFiles;
use model::Description;
use model::description::Direction;
use model::host::Placement;
use model::mechanism::{DeviceCounters, Measured};
use model::run::Run;
use model::sidecar::Sidecar;
use model::trial::{Phase, TrialOutcome, TrialRecord};
use std::process::ExitCode;
use workload::device::{Kind, Parameters, SCHEMA, family_of_kind};
use workload::older_plan::completed;

/// The one profile of the study that a job file becomes.
pub(crate) const PROFILE: &str = "job";

/// Whether a run is that of a job file, which has no question.
pub(crate) fn is_of_job_file(run: &Run) -> bool {
    run.plan.studies.iter().all(|study| study.profile == PROFILE && study.asks.is_empty())
}

/// Writes the run's trials to standard output; those that failed are reported and end the program with an error.
pub(crate) fn print(files: &RunFiles, run: &Run) -> Result<ExitCode, Failure> {
    let (results, failures) = of_run(files, run);
    let results: Vec<JobResult> = results.into_iter().map(|(_, result)| result).collect();
    let version = format!("syncline-{}", run.plan.program_version);
    let began = run.plan.created_at.parse().map_or(0, jiff::Timestamp::as_second);
    let text = fio::json::write(&version, began.unsigned_abs(), &run.plan.created_at, &results);
    crate::output::print_json(&text)?;
    match failures.first() {
        Some(first) => Err(Failure::Runtime(format!(
            "{} of {} trials failed: {first}",
            failures.len(),
            run.records.len()
        ))),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// The figures of every job as a section, for people.
pub(crate) fn figures(files: &RunFiles, run: &Run) -> Vec<page::Section> {
    let (results, _) = of_run(files, run);
    if results.is_empty() { Vec::new() } else { vec![table::section(&results)] }
}

/// Entries for each trial that succeeded, with its configuration, and why others failed.
fn of_run(files: &RunFiles, run: &Run) -> (Vec<(usize, JobResult)>, Vec<String>) {
    let mut results = Vec::new();
    let mut failures = Vec::new();
    // Warm-ups and the A/A arm's second trials are Syncline's own; fio's readers know nothing of them.
    let mut records: Vec<&TrialRecord> =
        run.records.iter().filter(|record| !record.warmup && !record.key.duplicate).collect();
    // In the order of the job file, whatever the order of the trials.
    records.sort_by_key(|record| record.key.configuration);
    for record in records {
        let name = record.values.text("arm").unwrap_or_else(|_| record.key.study.clone());
        match &record.outcome {
            TrialOutcome::Ok => {
                let sidecar = files.sidecar(&record.key).unwrap_or_default();
                let description = run.plan.description(&record.key);
                if let Some(known) = description {
                    let of_trial = self::results(&name, record, known, &sidecar);
                    results.extend(of_trial.into_iter().map(|result| (record.key.configuration, result)));
                }
            }
            TrialOutcome::Failed(why) | TrialOutcome::Unsupported(why) => {
                failures.push(format!("[{name}] {why}"));
            }
            TrialOutcome::Killed(seconds) => {
                failures.push(format!("[{name}] was killed at its deadline after {seconds:.0} s"));
            }
        }
    }
    (results, failures)
}

/// The trial as fio reports it: an entry for each section of the job file that it is exported to.
fn results(name: &str, record: &TrialRecord, description: &Description, sidecar: &Sidecar) -> Vec<JobResult> {
    let own = Parameters::read(&completed(&SCHEMA, &record.values)).ok();
    let sections = sections(name, record);
    if let Some(own) = own.as_ref().filter(|own| own.has_others()) {
        return of_kinds(name, own, record, description, sidecar, sections);
    }
    match own.as_ref().and_then(|own| Some((own, own.readers()?))) {
        None => result(name, record, description, sidecar, sections.into_iter().next()).into_iter().collect(),
        Some((writers, readers)) => {
            let teams = [(writers, true), (&readers, false)];
            let beside = |(team, writes): (&Parameters, bool), section: Option<Section>| {
                let title = section.as_ref().map_or_else(|| name.to_owned(), |section| section.name.clone());
                let whole = result(name, record, description, sidecar, section)?;
                Some(JobResult {
                    name: title,
                    iodepth: u64::from(team.iodepth),
                    numjobs: u64::from(team.numjobs),
                    read: whole.read.filter(|_| !writes),
                    write: whole.write.filter(|_| writes),
                    trim: None,
                    sync: whole.sync.filter(|_| writes),
                    // One process did both, and these are its own.
                    context_switches: None,
                    major_faults: None,
                    minor_faults: None,
                    ..whole
                })
            };
            let mut sections = sections.into_iter();
            teams.into_iter().filter_map(|team| beside(team, sections.next())).collect()
        }
    }
}

/// An entry for each kind of jobs that has latencies of its own. Those of a mix are in both directions together, so its
/// entry has them as reads, or as trims.
fn of_kinds(
    name: &str,
    own: &Parameters,
    record: &TrialRecord,
    description: &Description,
    sidecar: &Sidecar,
    sections: Vec<Section>,
) -> Vec<JobResult> {
    let of_kind = |((place, kind), section): ((usize, Kind), Option<Section>)| {
        let whole = result(name, record, description, sidecar, section)?;
        let of_jobs = kind.parameters;
        let family = family_of_kind(place)?;
        let bytes = if of_jobs.rw.reads() { of_jobs.read_bytes_mean() } else { of_jobs.written_bytes_mean() };
        let moved = direction(sidecar, family, bytes as f64);
        let syncs = of_jobs.fdatasync > 0 && of_jobs.rw.writes();
        Some(JobResult {
            name: kind.name.unwrap_or_else(|| format!("{name}-{}", place + 1)),
            iodepth: u64::from(of_jobs.iodepth),
            numjobs: u64::from(of_jobs.numjobs),
            read: of_jobs.rw.reads().then(|| moved.clone()),
            write: (of_jobs.rw.writes() && !of_jobs.rw.reads() && !of_jobs.rw.trims()).then(|| moved.clone()),
            trim: of_jobs.rw.trims().then_some(moved),
            sync: whole.sync.filter(|_| syncs),
            // One process did all, and these are its own.
            context_switches: None,
            major_faults: None,
            minor_faults: None,
            ..whole
        })
    };
    let sections = sections.into_iter().map(Some).chain(std::iter::repeat(None));
    own.kinds().into_iter().enumerate().zip(sections).filter_map(of_kind).collect()
}

fn result(
    name: &str,
    record: &TrialRecord,
    description: &Description,
    sidecar: &Sidecar,
    section: Option<Section>,
) -> Option<JobResult> {
    let measurement = record.measurement.as_ref()?;
    let phase = measurement.phases.first()?;
    let jobs = description.threads;
    // If every operation is a read, or every one a write, their latencies are all latencies.
    let direction = |way: Direction, rate: &str, own: &str| {
        record.figure(rate)?;
        description.stream(way)?;
        let family = if sidecar.histograms.contains_key(own) { own } else { "completion_latency" };
        let parameters = Parameters::read(&completed(&SCHEMA, &record.values)).ok();
        // If reads and writes have sizes of their own, each direction has its mean; otherwise both have that of all.
        let mean = || match parameters.as_ref().filter(|parameters| parameters.sizes_differ()) {
            Some(parameters) if way == Direction::Write => Some(parameters.written_bytes_mean() as f64),
            Some(parameters) => Some(parameters.read_bytes_mean() as f64),
            None => Some(record.figure("bandwidth_bytes_per_s")? / record.figure("iops")?),
        };
        let bytes = description.block_bytes(way).map(|bytes| bytes as f64).or_else(mean)?;
        Some(direction(sidecar, family, bytes))
    };
    let trims = || {
        record.figure("trim_iops")?;
        let family = if sidecar.histograms.contains_key("trim_latency") {
            "trim_latency"
        } else {
            "completion_latency"
        };
        let parameters = Parameters::read(&completed(&SCHEMA, &record.values)).ok()?;
        Some(self::direction(sidecar, family, parameters.read_bytes_mean() as f64))
    };
    let process = &phase.mechanism.process;
    let of_the_time = |seconds: f64| Some(100.0 * seconds / (phase.counted_s() * jobs as f64));
    Some(JobResult {
        options: section.map(options).unwrap_or_default(),
        name: name.to_owned(),
        error: 0,
        runtime_ms: (phase.duration_s * 1e3).round() as u64,
        elapsed_s: record.wall_s.ceil() as u64,
        iodepth: description.depth.as_ref().map_or(0, |depth| depth.operations),
        numjobs: jobs,
        read: direction(Direction::Read, "read_iops", "read_latency"),
        write: direction(Direction::Write, "write_iops", "write_latency"),
        trim: trims(),
        sync: latencies(sidecar, "sync_latency").or_else(|| latencies(sidecar, "sync_file_range_latency")),
        user_cpu_percent: of_the_time(process.user_s),
        system_cpu_percent: of_the_time(process.system_s),
        context_switches: Some(process.voluntary_context_switches + process.involuntary_context_switches),
        major_faults: Some(process.major_faults),
        minor_faults: Some(process.minor_faults),
        disk: disk(&measurement.placement, phase),
    })
}

/// The sections of the equivalent job file.
fn sections(name: &str, record: &TrialRecord) -> Vec<Section> {
    let text = fio::export::job_file(name, &record.values).unwrap_or_default();
    fio::job::parse("the exported job", text.as_bytes(), &fio::job::no_include).sections
}

fn options(section: Section) -> Vec<(String, String)> {
    let settings = section.settings.into_iter();
    settings.map(|setting| (setting.name, setting.value.unwrap_or_else(|| "1".to_owned()))).collect()
}

fn latencies(sidecar: &Sidecar, family: &str) -> Option<Latencies> {
    let histogram = sidecar.histogram(family).ok().flatten()?;
    let counts = histogram.iter_recorded().map(|step| (step.value_iterated_to(), step.count_at_value()));
    Some(Latencies::from_counts(counts))
}

fn direction(sidecar: &Sidecar, family: &str, bytes_mean: f64) -> DirectionResult {
    let latencies = latencies(sidecar, family).unwrap_or_default();
    let operations = latencies.operations();
    let series = sidecar.series.get(family).into_iter().flatten();
    DirectionResult {
        operations,
        bytes: (operations as f64 * bytes_mean).round() as u64,
        latencies,
        iops_series: series.map(|count| *count as f64 / sidecar.interval_s).collect(),
    }
}

fn disk(placement: &Placement, phase: &Phase) -> Option<DiskFigures> {
    let (Measured::Value(name), Measured::Value(device)) = (&placement.device, &phase.mechanism.device)
    else {
        return None;
    };
    let DeviceCounters { reads, writes, busy_s, queue_s, .. } = device;
    Some(DiskFigures {
        name: name.clone(),
        reads: *reads,
        writes: *writes,
        queue_ms: Some((queue_s * 1e3).round() as u64),
        utilisation_percent: Some((100.0 * busy_s / phase.counted_s()).min(100.0)),
        ..DiskFigures::default()
    })
}
