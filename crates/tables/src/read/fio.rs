//! fio's JSON, `json` and `json+`: one row for each job and direction; jobs with one name and the same options are one
//! row.

use super::constants::{refuse_columns, with_constants};
use super::error::ReadError;
use super::limits::check_size;
use super::repetitions::{self, Single};
use crate::mapping::Mapping;
use crate::table::Table;
use fio::json::{FioDirection, FioJob, FioLatency};
use laws::{Arrivals, Circumstances, Claim, Direction, Latency, Percentile, Sync};
use model::IoMode;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Options by which a job does not keep its slots full.
const PACED: &[&str] = &[
    "rate",
    "rate_iops",
    "rate_min",
    "rate_process",
    "thinktime",
    "latency_target",
    "flow",
    "sync_file_range",
];
/// Options that call for a sync after a number of writes, and what they call.
const SYNC_EVERY: &[(&str, Sync)] = &[("fdatasync", Sync::Fdatasync), ("fsync", Sync::Fsync)];
/// Options that sync once, when all is written.
const SYNC_AT_END: &[&str] = &["end_fsync", "fsync_on_close"];
/// Knobs that page authors turn, beside those that have a field of their own.
const KNOBS: &[&str] = &[
    "rwmixread",
    "random_distribution",
    "rate_iops",
    "iodepth_batch",
    "iodepth_batch_submit",
    "iodepth_batch_complete_min",
    "fixedbufs",
    "registerfiles",
    "hipri",
    "sqthread_poll",
    "norandommap",
    "fadvise_hint",
    "fallocate",
    "buffer_compress_percentage",
    "zero_buffers",
];

/// What only fio's report holds.
const MARK: &[u8] = b"\"fio version\"";

/// Whether fio's report is in it.
pub(super) fn is_report(bytes: &[u8]) -> bool {
    bytes.windows(MARK.len()).any(|window| window == MARK)
}

/// Reads fio's report. Jobs with one name and the same options are n runs of one row, any other is one run (n = 1).
/// What is not in the report, such as memory of the machine, `mapping` may say with `ROLE:VALUE`.
///
/// # Errors
/// [`ReadError`]: no JSON, JSON that is cut off or of another shape, no job that did anything, a mapping of columns
/// or one whose values do not fit.
pub fn fio_json(source: &str, bytes: &[u8], mapping: &Mapping) -> Result<Table, ReadError> {
    check_size(source, bytes)?;
    refuse_columns(source, "this is fio's JSON, which has", mapping)?;
    let output = fio::json::read(bytes).map_err(|error| ReadError::whole(source, error.to_string()))?;
    let mut table = Table { source: source.to_owned(), ..Table::default() };
    if output.reports > 1 {
        let what = format!("The file holds {} reports of fio; the last one is read.", output.reports);
        table.remarks.push(what);
    }
    let mut singles = Vec::new();
    for (index, job) in output.jobs.iter().enumerate() {
        let place = format!("job {}", index + 1);
        table.remarks.extend(remarks(&place, job));
        for (direction, figures) in directions(job) {
            singles.push(single(index + 1, job, direction, figures));
        }
    }
    let (rows, remarks) = repetitions::rows(singles);
    table.rows = rows;
    table.remarks.extend(remarks);
    if table.rows.is_empty() {
        return Err(ReadError::whole(source, "no job in it has read or written anything"));
    }
    with_constants(table, mapping)
}

/// The rows of one job, each alone: what other forms of fio's output have too.
pub(super) fn rows_of_job(job: &FioJob) -> Vec<(Direction, Claim)> {
    let rows =
        directions(job).map(|(direction, figures)| (direction, single(1, job, direction, figures).row));
    rows.collect()
}

fn single(number: usize, job: &FioJob, direction: Direction, figures: &FioDirection) -> Single {
    let is_mixed = job.read.is_some() && job.write.is_some();
    let ending = match (is_mixed, direction) {
        (false, _) => "",
        (true, Direction::Write) => ", writes",
        (true, Direction::Read | Direction::Mixed) => ", reads",
    };
    let label = format!("{}{}", job.name, ending.trim_start_matches(','));
    Single {
        key: repetition_key(job, direction),
        number,
        ending,
        row: Claim { label, ..row(job, direction, figures, is_mixed) },
    }
}

/// What repetitions have in common. Clones that `numjobs` made ran side by side, and so did jobs on several hosts: they
/// are none. fio's group does not show it, as all reports begin with group 0 and people merge the reports of several
/// runs.
fn repetition_key(job: &FioJob, direction: Direction) -> Option<String> {
    let is_clone = job.numjobs() != Some(1) && !job.is_group;
    let error = job.error.unwrap_or(0);
    (!is_clone && error == 0)
        .then(|| format!("{direction:?} {:?} {:?} {:?}", job.name, job.host, job.options))
}

fn directions(job: &FioJob) -> impl Iterator<Item = (Direction, &FioDirection)> {
    let read = job.read.as_ref().map(|figures| (Direction::Read, figures));
    read.into_iter().chain(job.write.as_ref().map(|figures| (Direction::Write, figures)))
}

/// What about a job makes its figures suspect or is left out.
fn remarks(place: &str, job: &FioJob) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(error) = job.error.filter(|error| *error != 0) {
        remarks.push(format!("{place} ended with error {error}: its figures cover what came before."));
    }
    if job.trim.is_some() {
        remarks.push(format!("{place} trims; trims are not looked at."));
    }
    let short =
        directions(job).filter_map(|(_, figures)| figures.short_operations).fold(0, u64::saturating_add);
    if short > 0 {
        remarks.push(format!(
            "{place}: fio counts {short} short operations, which moved fewer bytes than requested."
        ));
    }
    remarks
}

fn row(job: &FioJob, direction: Direction, figures: &FioDirection, is_mixed: bool) -> Claim {
    let syncs = job.sync.as_ref().filter(|_| direction == Direction::Write);
    let total = figures.total.as_ref().map(latency);
    let completion = figures.completion.as_ref().map(latency);
    let bins = [&figures.completion, &figures.total].into_iter().flatten().find(|line| !line.bins.is_empty());
    let bins = bins.map(|line| line.bins.iter().map(|(nanos, count)| (*nanos as f64, *count)).collect());
    let (latency, completion) = match (total, completion) {
        (Some(total), completion) => (total, completion),
        // Without the submission, the smallest is of an operation that ended while others were still being submitted.
        (None, Some(completion)) => (Latency { min_ns: None, ..completion.clone() }, Some(completion)),
        (None, None) => (Latency::default(), None),
    };
    Claim {
        setting: setting(job, direction, is_mixed),
        // fio counts a job's syncs once, and they follow its writes.
        sync: syncs.map(self::latency).unwrap_or_default(),
        syncs_under_way: syncs.and_then(|syncs| syncs_under_way(syncs, figures)),
        operations_per_s: figure(figures.iops),
        bandwidth_bytes_per_s: figure(figures.bytes_per_s),
        latency,
        completion,
        n: Some(1),
        operations: figures.operations,
        runtime_s: figures.runtime_ms.map(|millis| millis as f64 / 1e3),
        bins: bins.unwrap_or_default(),
        ..Claim::default()
    }
}

/// Syncs under way at a time, by Little's law of their own.
fn syncs_under_way(syncs: &FioLatency, figures: &FioDirection) -> Option<f64> {
    let runtime_s = figures.runtime_ms.filter(|millis| *millis > 0)? as f64 / 1e3;
    figure(Some(syncs.operations? as f64 * syncs.mean_ns? / 1e9 / runtime_s))
}

/// A number that a check can take.
fn figure(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite() && *value >= 0.0)
}

fn latency(line: &FioLatency) -> Latency {
    let percentiles = line
        .percentiles
        .iter()
        .filter(|(percent, value)| *percent > 0.0 && *percent < 100.0 && figure(Some(*value)).is_some());
    Latency {
        mean_ns: figure(line.mean_ns),
        sd_ns: figure(line.stddev_ns),
        min_ns: figure(line.min_ns),
        max_ns: figure(line.max_ns),
        percentiles: percentiles
            .map(|(percent, value_ns)| Percentile { quantile: percent / 100.0, value_ns: *value_ns })
            .collect(),
    }
}

/// What a job was measured with; fio's defaults stand for what it leaves out.
pub(super) fn setting(job: &FioJob, direction: Direction, is_mixed: bool) -> Circumstances {
    let engine = job.option("ioengine").unwrap_or("psync");
    let has = |option: &&str| job.option(option).is_some();
    // An entry that is not a group's covers one of the jobs.
    let numjobs = job.numjobs().map(|jobs| if job.is_group { jobs } else { 1 });
    let mut knobs: BTreeMap<String, String> =
        KNOBS.iter().filter_map(|name| Some(((*name).to_owned(), job.option(name)?.to_owned()))).collect();
    let told = job.option("numjobs").filter(|_| !job.is_group && job.numjobs() != Some(1));
    knobs.extend(told.map(|jobs| ("numjobs".to_owned(), jobs.to_owned())));
    let is_closed = !is_mixed && !PACED.iter().any(has);
    Circumstances {
        pattern: Some(pattern(job).to_owned()),
        direction: Some(direction),
        mode: Some(mode(job, engine)),
        block_bytes: block_bytes(job),
        iodepth: job.iodepth(),
        numjobs,
        engine: Some(engine.to_owned()),
        sync: sync(job),
        file_bytes: file_bytes(job),
        arrivals: is_closed.then_some(Arrivals::Closed),
        knobs: Arc::new(knobs),
        ..Circumstances::default()
    }
}

/// The access pattern without the modifiers behind its colon; fio's default is `read`.
pub(super) fn pattern(job: &FioJob) -> &str {
    let rw = job.option("rw").or_else(|| job.option("readwrite")).unwrap_or("read");
    rw.split(':').next().unwrap_or(rw)
}

/// Whether an option is given and not 0, false or none.
fn is_on(job: &FioJob, option: &str) -> bool {
    job.option(option).is_some_and(|value| !matches!(value, "0" | "false" | "none"))
}

/// How the job makes its writes durable, by the strongest of its options; `None` if `sync` has a level that is not
/// fio's.
fn sync(job: &FioJob) -> Option<Sync> {
    match job.option("sync") {
        Some("1" | "sync") => return Some(Sync::OSync),
        Some("dsync") => return Some(Sync::ODsync),
        Some("0" | "none") | None => {}
        Some(_) => return None,
    }
    let every = SYNC_EVERY.iter().filter(|(option, _)| is_on(job, option));
    let each = every.clone().find(|(option, _)| job.count(option) == Some(1));
    let is_later = every.count() > 0 || SYNC_AT_END.iter().any(|option| is_on(job, option));
    Some(match each {
        Some((_, sync)) => *sync,
        None if is_later => Sync::Later,
        None => Sync::Never,
    })
}

fn mode(job: &FioJob, engine: &str) -> IoMode {
    let is_direct = is_on(job, "direct") || is_on(job, "odirect") || job.option("buffered") == Some("0");
    if engine == "mmap" {
        IoMode::Mmap
    } else if is_direct {
        IoMode::Direct
    } else if is_on(job, "dontcache") || is_on(job, "uncached") {
        IoMode::DontCache
    } else {
        IoMode::Buffered
    }
}

/// The one block size; `None` if there are several. fio's default is 4 KiB.
fn block_bytes(job: &FioJob) -> Option<u64> {
    if ["bssplit", "bsrange", "blocksize_range"].into_iter().any(|option| job.option(option).is_some()) {
        return None;
    }
    let given = ["bs", "blocksize"].into_iter().find(|option| job.option(option).is_some());
    given.map_or(Some(4096), |option| job.size(option))
}

/// Bytes of all files: each job has its own unless a name is given.
fn file_bytes(job: &FioJob) -> Option<u64> {
    let bytes = job.size("filesize").or_else(|| job.size("size"))?;
    let files = if job.option("filename").is_some() { 1 } else { job.numjobs()? };
    bytes.checked_mul(files)
}
