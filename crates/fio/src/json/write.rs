//! Writes results in the shape of fio's `--output-format=json`, so that fio-plot and other readers take them.
//!
//! Compared key by key with fio 3.33:
//!
//! | keys | here |
//! |---|---|
//! | `fio version`, `timestamp`, `time`, `global options`, `jobname`, `groupid`, `error`, `eta`, `elapsed`, `job options` | filled; the version is `syncline-…` |
//! | `io_bytes`, `io_kbytes`, `bw_bytes`, `bw`, `iops`, `runtime`, `total_ios`, `short_ios`, `drop_ios` | filled; a short operation fails a trial, so the last two are 0 |
//! | `clat_ns`, `lat_ns` | the same distribution: latency is taken from submission to completion. fio's `clat` begins after the submitting call; with `rate_iops` Syncline's begins at the intended start |
//! | `slat_ns` | left out: submission is not timed on its own |
//! | `percentile` | filled; `null` with fewer than 10/(1−q) operations behind the quantile |
//! | `iops_*`, `bw_*` over samples | from the 100 ms series (fio's default is 500 ms), `null` without one; `bw_*` follows from it, as a job has one block size |
//! | `sync` | filled if there were syncs |
//! | `usr_cpu`, `sys_cpu`, `ctx`, `majf`, `minf`, `disk_util` | filled if measured, else `null`; a device is in `disk_util` once, with its jobs added up |
//! | `latency_ns`, `latency_us`, `latency_ms` | filled, of reads, writes and trims together |
//! | `latency_depth`, `latency_target`, `latency_percentile`, `latency_window` | what fio writes for a job without a latency target |
//! | `iodepth_level`, `iodepth_submit`, `iodepth_complete` | left out: depths are not sampled (the run directory has the mean in flight) |
//! | `timestamp_ms` | left out, seconds suffice |
//!
//! For a direction without operations fio writes latencies of 0. Here its counts and rates are 0, which is true, and
//! its latencies `null`. fio-plot 1.1.21 reads `lat_ns` of the direction it plots, `iops_stddev`, `usr_cpu` and
//! `sys_cpu`, and takes means of them: it needs these four to be numbers, so a caller should fill them.

use super::result::{DirectionResult, DiskFigures, JobResult, Latencies};
use serde_json::{Map, Value, json};

/// fio's default `percentile_list`.
const PERCENTILES: [f64; 17] =
    [1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];
/// Upper bounds of fio's buckets below a microsecond, in nanoseconds (`io_u.c`, io_u_mark_lat_nsec): a latency is below
/// its bound.
const BUCKETS_NS: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];
/// From a millisecond on one more bucket is bounded, at two seconds.
const BUCKETS_MS: [u64; 11] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000];

/// Writes a report. `version` is this program's, as in `syncline-0.1.0`; `timestamp_s` counts seconds since 1970 and
/// `time` is the same as text; each job is a group of its own, as after `stonewall`.
pub fn write(version: &str, timestamp_s: u64, time: &str, jobs: &[JobResult]) -> String {
    let mut report = Map::new();
    report.insert("fio version".to_owned(), json!(version));
    report.insert("timestamp".to_owned(), json!(timestamp_s));
    report.insert("time".to_owned(), json!(time));
    report.insert("global options".to_owned(), json!({}));
    let entries = jobs.iter().enumerate().map(|(group, job)| job_entry(group, job)).collect();
    report.insert("jobs".to_owned(), Value::Array(entries));
    let disks: Vec<Value> = disks(jobs).iter().map(disk_entry).collect();
    if !disks.is_empty() {
        report.insert("disk_util".to_owned(), Value::Array(disks));
    }
    format!("{:#}\n", Value::Object(report))
}

fn job_entry(group: usize, job: &JobResult) -> Value {
    let options: Map<String, Value> =
        job.options.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let latencies = || {
        let directions = [&job.read, &job.write, &job.trim].into_iter().flatten();
        directions.flat_map(|direction| direction.latencies.counts().iter().copied())
    };
    let [nanoseconds, microseconds, milliseconds] = buckets(latencies());
    json!({
        "jobname": job.name,
        "groupid": group,
        "error": job.error,
        "eta": 0,
        "elapsed": job.elapsed_s,
        "job options": options,
        "read": direction_entry(job.read.as_ref(), job.runtime_ms),
        "write": direction_entry(job.write.as_ref(), job.runtime_ms),
        "trim": direction_entry(job.trim.as_ref(), job.runtime_ms),
        "sync": {
            "total_ios": job.sync.as_ref().map_or(0, Latencies::operations),
            "lat_ns": latency_entry(job.sync.as_ref(), true),
        },
        "job_runtime": job.runtime_ms.saturating_mul(job.numjobs),
        "usr_cpu": job.user_cpu_percent,
        "sys_cpu": job.system_cpu_percent,
        "ctx": job.context_switches,
        "majf": job.major_faults,
        "minf": job.minor_faults,
        "latency_ns": nanoseconds,
        "latency_us": microseconds,
        "latency_ms": milliseconds,
        "latency_depth": job.iodepth,
        "latency_target": 0,
        "latency_percentile": 100.0,
        "latency_window": 0,
    })
}

fn direction_entry(direction: Option<&DirectionResult>, runtime_ms: u64) -> Value {
    let idle = DirectionResult::default();
    let is_idle = direction.is_none_or(|direction| direction.operations == 0);
    let direction = direction.unwrap_or(&idle);
    let seconds = runtime_ms as f64 / 1e3;
    let per_second = |amount: u64| if runtime_ms == 0 { 0.0 } else { amount as f64 / seconds };
    let bytes_per_s = per_second(direction.bytes);
    let block = if is_idle { 0.0 } else { direction.bytes as f64 / direction.operations as f64 };
    let iops = Samples::from_series(&direction.iops_series, 1.0);
    let bandwidth = Samples::from_series(&direction.iops_series, block / 1024.0);
    let latencies = Some(&direction.latencies);
    json!({
        "io_bytes": direction.bytes,
        "io_kbytes": direction.bytes >> 10,
        "bw_bytes": bytes_per_s as u64,
        "bw": (bytes_per_s / 1024.0) as u64,
        "iops": per_second(direction.operations),
        "runtime": if is_idle { 0 } else { runtime_ms },
        "total_ios": direction.operations,
        "short_ios": 0,
        "drop_ios": 0,
        "clat_ns": latency_entry(latencies, true),
        "lat_ns": latency_entry(latencies, false),
        "bw_min": bandwidth.min.map(|min| min as u64),
        "bw_max": bandwidth.max.map(|max| max as u64),
        // Jobs are added up already: all of the bandwidth is this entry's.
        "bw_agg": bandwidth.mean.map(|_| 100.0),
        "bw_mean": bandwidth.mean,
        "bw_dev": bandwidth.stddev,
        "bw_samples": bandwidth.count,
        "iops_min": iops.min.map(|min| min as u64),
        "iops_max": iops.max.map(|max| max as u64),
        "iops_mean": iops.mean,
        "iops_stddev": iops.stddev,
        "iops_samples": iops.count,
    })
}

fn latency_entry(latencies: Option<&Latencies>, with_percentiles: bool) -> Value {
    let counts = latencies.map_or(&[][..], Latencies::counts);
    let mut entry = json!({
        "min": counts.first().map(|(value, _)| value),
        "max": counts.last().map(|(value, _)| value),
        "mean": latencies.and_then(Latencies::mean_ns),
        "stddev": latencies.and_then(Latencies::stddev_ns),
        "N": latencies.map_or(0, Latencies::operations),
    });
    if let Some(latencies) = latencies.filter(|latencies| with_percentiles && latencies.operations() > 0) {
        let percentiles: Map<String, Value> = PERCENTILES
            .iter()
            .map(|percent| (format!("{percent:.6}"), json!(latencies.percentile_ns(*percent))))
            .collect();
        entry["percentile"] = Value::Object(percentiles);
    }
    entry
}

/// Shares in percent of fio's buckets: below 1 µs, below 1 ms, and the rest.
fn buckets(latencies: impl Iterator<Item = (u64, u64)>) -> [Value; 3] {
    let mut shares =
        [vec![0_u64; BUCKETS_NS.len()], vec![0; BUCKETS_NS.len()], vec![0; BUCKETS_MS.len() + 1]];
    let mut total = 0_u64;
    for (nanos, count) in latencies {
        let (table, bounds, value) = match nanos {
            0..1_000 => (0, &BUCKETS_NS[..], nanos),
            1_000..1_000_000 => (1, &BUCKETS_NS[..], nanos / 1_000),
            1_000_000.. => (2, &BUCKETS_MS[..], nanos / 1_000_000),
        };
        let bucket = bounds.partition_point(|bound| *bound <= value);
        shares[table][bucket] = shares[table][bucket].saturating_add(count);
        total = total.saturating_add(count);
    }
    let named = |counts: &Vec<u64>, bounds: &[u64]| {
        let names = bounds.iter().map(u64::to_string).chain([">=2000".to_owned()]);
        let share = |count: &u64| if total == 0 { 0.0 } else { *count as f64 / total as f64 * 100.0 };
        Value::Object(names.zip(counts.iter().map(|count| json!(share(count)))).collect())
    };
    [named(&shares[0], &BUCKETS_NS), named(&shares[1], &BUCKETS_NS), named(&shares[2], &BUCKETS_MS)]
}

/// Statistics over the samples of a series; `None` without one, and so not 0.
struct Samples {
    count: usize,
    min: Option<f64>,
    max: Option<f64>,
    mean: Option<f64>,
    stddev: Option<f64>,
}

impl Samples {
    fn from_series(series: &[f64], scale: f64) -> Self {
        let count = series.len();
        let mean = (count > 0).then(|| series.iter().sum::<f64>() / count as f64);
        let stddev = mean.filter(|_| count > 1).map(|mean| {
            let squares: f64 = series.iter().map(|sample| (sample - mean).powi(2)).sum();
            (squares / (count - 1) as f64).sqrt()
        });
        let scaled = |value: Option<f64>| value.map(|value| value * scale);
        Self {
            count,
            min: scaled(series.iter().copied().reduce(f64::min)),
            max: scaled(series.iter().copied().reduce(f64::max)),
            mean: scaled(mean),
            stddev: scaled(stddev),
        }
    }
}

/// Each device once, as fio lists it: counts and times of its jobs added up, which ran one after the other. What one of
/// them did not count is not known about all.
fn disks(jobs: &[JobResult]) -> Vec<DiskFigures> {
    let mut disks: Vec<(DiskFigures, u64)> = Vec::new();
    for (figures, runtime_ms) in jobs.iter().filter_map(|job| Some((job.disk.as_ref()?, job.runtime_ms))) {
        match disks.iter_mut().find(|(known, _)| known.name == figures.name) {
            None => disks.push((figures.clone(), runtime_ms)),
            Some((known, known_ms)) => {
                add(known, *known_ms, figures, runtime_ms);
                *known_ms = known_ms.saturating_add(runtime_ms);
            }
        }
    }
    disks.into_iter().map(|(figures, _)| figures).collect()
}

fn add(known: &mut DiskFigures, known_ms: u64, more: &DiskFigures, more_ms: u64) {
    let sum = |a: Option<u64>, b: Option<u64>| a.zip(b).map(|(a, b)| a.saturating_add(b));
    let (before, after) = (known_ms as f64, more_ms as f64);
    let utilisation = known.utilisation_percent.zip(more.utilisation_percent);
    *known = DiskFigures {
        name: std::mem::take(&mut known.name),
        reads: known.reads.saturating_add(more.reads),
        writes: known.writes.saturating_add(more.writes),
        reads_merged: sum(known.reads_merged, more.reads_merged),
        writes_merged: sum(known.writes_merged, more.writes_merged),
        read_ticks_ms: sum(known.read_ticks_ms, more.read_ticks_ms),
        write_ticks_ms: sum(known.write_ticks_ms, more.write_ticks_ms),
        queue_ms: sum(known.queue_ms, more.queue_ms),
        utilisation_percent: utilisation
            .map(|(a, b)| (a * before + b * after) / (before + after))
            .filter(|percent| percent.is_finite()),
    };
}

fn disk_entry(disk: &DiskFigures) -> Value {
    json!({
        "name": disk.name,
        "read_ios": disk.reads,
        "write_ios": disk.writes,
        "read_merges": disk.reads_merged,
        "write_merges": disk.writes_merged,
        "read_ticks": disk.read_ticks_ms,
        "write_ticks": disk.write_ticks_ms,
        "in_queue": disk.queue_ms,
        "util": disk.utilisation_percent,
    })
}
