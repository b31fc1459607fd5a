//! Reads what fio wrote with `--output-format=json` or `json+`, of any version from 2 on.
//!
//! fio's own habits are taken as they are: warnings before the report, a second report after it (`--status-interval`:
//! the last is read), microseconds under `clat` in 2.x and nanoseconds under `clat_ns` in 3.x, `io_bytes` in KiB in
//! 2.x, jobs under `client_stats` in a client's report.

use super::output::{FioDirection, FioDisk, FioJob, FioLatency, FioOutput};
use super::raw::{self, Report};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Why a file is not a report of fio.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// There is no `{` in it.
    #[error("not fio JSON: it contains no \"{{\"; run fio with --output-format=json")]
    NoObject,
    /// The JSON is damaged or of another shape.
    #[error("not fio JSON: at byte {byte}: {what}")]
    Json {
        /// Where reading stopped, from the file's start.
        byte: usize,
        /// What is wrong there.
        what: String,
    },
    /// The JSON is sound and lacks fio's list of jobs.
    #[error("not fio JSON: it has no \"jobs\"")]
    NoJobs,
}

/// Reads a report. Memory stays within a small multiple of `bytes`, whose size the caller limits (256 MiB is plenty:
/// the largest json+ of a thousand jobs is a tenth of that).
pub fn read(bytes: &[u8]) -> Result<FioOutput, ReadError> {
    let mut start = report_start(bytes, 0).or_else(|| bytes.iter().position(|byte| *byte == b'{'));
    let mut output: Option<FioOutput> = None;
    while let Some(from) = start {
        let mut deserializer = serde_json::Deserializer::from_slice(&bytes[from..]).into_iter::<Report>();
        let report = match deserializer.next() {
            Some(Ok(report)) => report,
            Some(Err(error)) => return Err(located(bytes, from, &error)),
            None => break,
        };
        let reports = output.map_or(1, |earlier| earlier.reports + 1);
        output = Some(FioOutput { reports, ..convert(report)? });
        start = report_start(bytes, from + deserializer.byte_offset().max(1));
    }
    output.ok_or(ReadError::NoObject)
}

/// The first line from `from` on that begins with `{`: fio's warnings before it may hold braces.
fn report_start(bytes: &[u8], from: usize) -> Option<usize> {
    let begins_line = |at: usize| {
        let before = bytes[..at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
        matches!(before, None | Some(b'\n' | b'\r' | b'}'))
    };
    let mut at = from;
    while let Some(found) = bytes.get(at..)?.iter().position(|byte| *byte == b'{') {
        if begins_line(at + found) {
            return Some(at + found);
        }
        at += found + 1;
    }
    None
}

fn located(bytes: &[u8], from: usize, error: &serde_json::Error) -> ReadError {
    let lines = bytes[from..].split_inclusive(|byte| *byte == b'\n');
    let before: usize = lines.take(error.line().saturating_sub(1)).map(<[u8]>::len).sum();
    let byte = (from + before + error.column()).min(bytes.len());
    // serde_json ends its sentence with its own " at line L column C".
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    let short: String = model::printable(what).chars().take(200).collect();
    let what = if error.is_eof() { format!("{short}: the file is cut off") } else { short };
    ReadError::Json { byte, what }
}

fn convert(report: Report) -> Result<FioOutput, ReadError> {
    let global_options = Arc::new(report.global_options.0);
    let jobs: Vec<FioJob> = report
        .jobs
        .ok_or(ReadError::NoJobs)?
        .into_iter()
        .map(|job| convert_job(job, &global_options))
        .collect();
    let mut entries: BTreeMap<(Option<u64>, String), u64> = BTreeMap::new();
    for job in &jobs {
        *entries.entry((job.group, job.name.clone())).or_default() += 1;
    }
    let grouped = |job: &FioJob| {
        let entries = entries.get(&(job.group, job.name.clone()));
        let is_told = job.option("group_reporting").is_some_and(|value| value != "0");
        let is_one_of = |jobs: u64| entries.is_some_and(|count| count.is_multiple_of(jobs));
        job.numjobs().is_some_and(|jobs| jobs > 1 && (is_told || !is_one_of(jobs)))
    };
    Ok(FioOutput {
        version: report.version.unwrap_or_default(),
        timestamp: report.timestamp,
        jobs: jobs.into_iter().map(|job| FioJob { is_group: grouped(&job), ..job }).collect(),
        disks: report.disk_util.unwrap_or_default().into_iter().map(convert_disk).collect(),
        global_options,
        reports: 1,
    })
}

fn convert_disk(disk: raw::Disk) -> FioDisk {
    FioDisk {
        name: disk.name.unwrap_or_default(),
        reads: disk.read_ios,
        writes: disk.write_ios,
        utilisation_percent: disk.util,
    }
}

fn convert_job(job: raw::Job, global_options: &Arc<BTreeMap<String, String>>) -> FioJob {
    FioJob {
        name: job.jobname.unwrap_or_default(),
        host: job.hostname,
        group: job.groupid,
        error: job.error,
        options: job.options.0,
        global_options: Arc::clone(global_options),
        read: job.read.and_then(|direction| convert_direction(*direction)),
        write: job.write.and_then(|direction| convert_direction(*direction)),
        trim: job.trim.and_then(|direction| convert_direction(*direction)),
        sync: job.sync.and_then(|sync| latency(sync.lat_ns, sync.lat)),
        user_cpu_percent: job.usr_cpu,
        system_cpu_percent: job.sys_cpu,
        major_faults: job.majf,
        minor_faults: job.minf,
        context_switches: job.ctx,
        is_group: false,
    }
}

/// `None` if nothing was done: fio writes zeros then.
fn convert_direction(raw: raw::Direction) -> Option<FioDirection> {
    let idle = |count: Option<u64>| count.unwrap_or(0) == 0;
    if idle(raw.total_ios) && idle(raw.io_bytes) && raw.iops.unwrap_or(0.0) == 0.0 {
        return None;
    }
    // fio 2.x has io_bytes in KiB and no io_kbytes.
    let kib = if raw.io_kbytes.is_some() { 1 } else { 1024 };
    Some(FioDirection {
        iops: raw.iops,
        bytes_per_s: raw.bw_bytes.or_else(|| raw.bw.map(|bw| bw * 1024.0)),
        bytes: raw.io_bytes.map(|bytes| bytes.saturating_mul(kib)),
        operations: raw.total_ios,
        runtime_ms: raw.runtime,
        short_operations: raw.short_ios,
        dropped_operations: raw.drop_ios,
        submission: latency(raw.slat_ns, raw.slat),
        completion: latency(raw.clat_ns, raw.clat),
        total: latency(raw.lat_ns, raw.lat),
        iops_mean: raw.iops_mean,
        iops_stddev: raw.iops_stddev,
        iops_samples: raw.iops_samples,
    })
}

/// A latency in nanoseconds, or in the microseconds of fio 2.x; `None` if no operation is behind it.
fn latency(nanoseconds: Option<raw::Latency>, microseconds: Option<raw::Latency>) -> Option<FioLatency> {
    let (raw, unit) = match (nanoseconds, microseconds) {
        (Some(raw), _) => (raw, 1_u32),
        (None, Some(raw)) => (raw, 1000),
        (None, None) => return None,
    };
    if raw.operations == Some(0) || (raw.operations.is_none() && raw.max.unwrap_or(0.0) == 0.0) {
        return None;
    }
    let scale = f64::from(unit);
    let scaled = |value: Option<f64>| value.map(|value| value * scale);
    let mut percentiles: Vec<(f64, f64)> =
        raw.percentile.0.into_iter().map(|(percent, value)| (percent, value * scale)).collect();
    percentiles.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut bins: Vec<(u64, u64)> =
        raw.bins.0.into_iter().map(|(value, count)| (value.saturating_mul(u64::from(unit)), count)).collect();
    bins.sort_unstable();
    Some(FioLatency {
        min_ns: scaled(raw.min),
        max_ns: scaled(raw.max),
        mean_ns: scaled(raw.mean),
        stddev_ns: scaled(raw.stddev),
        operations: raw.operations,
        percentiles,
        bins,
    })
}
