//! A run of the device workload in the shape of fio's JSON: one entry for each trial.

use crate::failure::Failure;
use fio::json::{DirectionResult, DiskFigures, JobResult, Latencies};
use lab::run_directory::RunFiles;
use model::Description;
use model::host::Placement;
use model::mechanism::{DeviceCounters, Measured};
use model::run::Run;
use model::sidecar::Sidecar;
use model::trial::{Outcome, Phase, TrialRecord};
use std::process::ExitCode;

/// Writes the run's trials to standard output; those that failed are reported and end the program with an error.
pub(crate) fn print(files: &RunFiles, run: &Run) -> Result<ExitCode, Failure> {
    let mut results = Vec::new();
    let mut failures = Vec::new();
    // Warm-ups and the A/A arm's second trials are Syncline's own; fio's readers know nothing of them.
    for record in run.records.iter().filter(|record| !record.warmup && !record.key.duplicate) {
        let name = record.values.text("arm").unwrap_or_else(|_| record.key.study.clone());
        match &record.outcome {
            Outcome::Ok => {
                let sidecar = files.sidecar(&record.key).unwrap_or_default();
                let description = run.plan.description(&record.key);
                results.extend(description.and_then(|known| result(name, record, known, &sidecar)));
            }
            Outcome::Failed(why) | Outcome::Unsupported(why) => failures.push(format!("[{name}] {why}")),
            Outcome::Killed(seconds) => {
                failures.push(format!("[{name}] was killed at its deadline after {seconds:.0} s"));
            }
        }
    }
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

fn result(
    name: String,
    record: &TrialRecord,
    description: &Description,
    sidecar: &Sidecar,
) -> Option<JobResult> {
    let measurement = record.measurement.as_ref()?;
    let phase = measurement.phases.first()?;
    let (jobs, bs) = (description.threads, description.streams.first()?.block_bytes?);
    // If every operation is a read, or every one a write, their latencies are all latencies.
    let direction = |rate: &str, own: &str| {
        record.figure(rate)?;
        let family = if sidecar.histograms.contains_key(own) { own } else { "completion_latency" };
        Some(direction(sidecar, family, bs))
    };
    let process = &phase.mechanism.process;
    let of_the_time = |seconds: f64| Some(100.0 * seconds / (phase.counted_s() * jobs as f64));
    Some(JobResult {
        options: options(&name, record),
        name,
        error: 0,
        runtime_ms: (phase.duration_s * 1e3).round() as u64,
        elapsed_s: record.wall_s.ceil() as u64,
        iodepth: description.depth.as_ref()?.operations,
        numjobs: jobs,
        read: direction("read_iops", "read_latency"),
        write: direction("write_iops", "write_latency"),
        sync: latencies(sidecar, "sync_latency"),
        user_cpu_percent: of_the_time(process.user_s),
        system_cpu_percent: of_the_time(process.system_s),
        context_switches: Some(process.voluntary_context_switches + process.involuntary_context_switches),
        major_faults: Some(process.major_faults),
        minor_faults: Some(process.minor_faults),
        disk: disk(&measurement.placement, phase),
    })
}

/// The options of the equivalent job.
fn options(name: &str, record: &TrialRecord) -> Vec<(String, String)> {
    let text = fio::export::job_file(name, &record.values).unwrap_or_default();
    let file = fio::job::parse("the exported job", text.as_bytes()).unwrap_or_default();
    let settings = file.sections.into_iter().flat_map(|section| section.settings);
    settings.map(|setting| (setting.name, setting.value.unwrap_or_else(|| "1".to_owned()))).collect()
}

fn latencies(sidecar: &Sidecar, family: &str) -> Option<Latencies> {
    let histogram = sidecar.histogram(family).ok().flatten()?;
    let counts = histogram.iter_recorded().map(|step| (step.value_iterated_to(), step.count_at_value()));
    Some(Latencies::from_counts(counts))
}

fn direction(sidecar: &Sidecar, family: &str, bs: u64) -> DirectionResult {
    let latencies = latencies(sidecar, family).unwrap_or_default();
    let operations = latencies.operations();
    let series = sidecar.series.get(family).into_iter().flatten();
    DirectionResult {
        operations,
        bytes: operations * bs,
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
