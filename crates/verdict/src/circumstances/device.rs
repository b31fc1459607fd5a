//! The device workload: fio's job on one file, read, written or both.

use super::{
    Access, Circumstances, Content, Flushes, Partial, Stream, cache_of_all, hit_share_of, runtime_s,
};
use crate::observations::value;
use model::trial::TrialRecord;
use model::{Configuration, IoMode, Nanos};

/// Families that time writes wherever there are any.
const WRITES: &[&str] = &["completion_latency", "write_latency"];

const MEMORY_COPY: Partial = Partial {
    parameter: "mode",
    how: "a direct write ends when the device has the data, any other when it is copied into memory",
    instead: "Compare IOPS with end_fsync = true instead.",
};
const SYNC: &[Partial] = &[
    Partial {
        parameter: "mode",
        how: "under direct the data is written before the sync begins, otherwise the sync writes it",
        instead: "Compare IOPS instead: they hold the time of writes and syncs together.",
    },
    Partial {
        parameter: "ioengine",
        how: "io_uring hands a sync to a kernel worker and times the way there, psync does not",
        instead: "Compare IOPS instead: they hold the time of writes and syncs together.",
    },
];

/// Of these parameters, and the bytes of all files.
pub(super) fn circumstances(values: &Configuration) -> (Circumstances, u64) {
    let jobs = jobs(values);
    let depth = values.count("iodepth").ok();
    let block_bytes = values.bytes("bs").unwrap_or(0);
    let access = values.io_mode("mode").ok().map(|mode| Access { mode, block_bytes });
    let share = read_share(values);
    let data_bytes = values.bytes("size").ok();
    let circumstances = Circumstances {
        reads: access.filter(|_| share.is_some_and(|share| share > 0.0)),
        writes: access.filter(|_| share.is_some_and(|share| share < 1.0)),
        writes_data: true,
        content: content(values),
        syncs: sync_period(values).is_some() || end_fsync(values),
        threads: jobs,
        in_flight_max: jobs * depth.unwrap_or(1).max(1) as f64,
        depth: depth.map(|depth| ("iodepth", depth)),
        arrivals_per_s: values.count("rate_iops").ok().map(|rate| rate as f64 * jobs),
        cache: cache_of_all(values),
        ramp_s: ["ramp_time", "steady_time_max"]
            .map(|name| values.duration(name).map_or(0.0, Nanos::seconds))
            .iter()
            .sum(),
        runtime_s: runtime_s(values).filter(|_| !end_fsync(values)),
        data_bytes,
        ..Circumstances::default()
    };
    (circumstances, data_bytes.unwrap_or(0))
}

/// The metric, or where readahead leaves it none, the same from the counters: below zero.
pub(super) fn hit_share(record: &TrialRecord) -> Option<f64> {
    const METRIC: &str = "page_cache_hit_share";
    if record.metric(METRIC)?.reason().is_none() {
        return value(record, METRIC);
    }
    let phase = record.measurement.as_ref()?.phases.first()?;
    let reads = value(record, "read_iops")? * phase.duration_s;
    hit_share_of(phase, reads * record.values.bytes("bs").ok()? as f64)
}

/// Reads and writes have one latency; a sync takes the place of the write it waited for, so the depth bounds both.
pub(super) fn streams(record: &TrialRecord) -> Option<Vec<Stream>> {
    let stream = |per_second: f64, latency: &str| {
        Some(Stream { per_second, latency_s: value(record, latency)? / 1e6, overlapping_max: 1.0 })
    };
    let mut streams = vec![stream(value(record, "iops")?, "completion_latency_mean_us")?];
    let syncs = syncs_per_s(record)?;
    if syncs > 0.0 {
        streams.push(stream(syncs, "sync_latency_mean_us")?);
    }
    Some(streams)
}

/// The jobs' syncs share flushes where they coincide; one at the end of each job counts too.
pub(super) fn flushes(record: &TrialRecord) -> Option<Flushes> {
    let phase = record.measurement.as_ref()?.phases.first()?;
    let syncs = syncs_per_s(record)? * phase.duration_s;
    if !(syncs.is_finite() && syncs >= 1.0) {
        return None;
    }
    let counted = phase.mechanism.device.value().and_then(|device| device.flushes.value());
    let per_unit = counted.map(|flushes| *flushes as f64 / syncs);
    Some(Flushes { unit: "sync", units: Some(syncs), per_unit, forced: false })
}

/// A read times the same work in every mode: from the request until the data is there. A write does not, nor does a sync.
pub(super) fn partial(family: &str, arms: &[&Configuration]) -> Vec<Partial> {
    let writes = arms.iter().any(|values| read_share(values).is_some_and(|share| share < 1.0));
    let direct = |values: &&Configuration| values.io_mode("mode") == Ok(IoMode::Direct);
    let both = arms.iter().any(direct) && !arms.iter().all(direct);
    if family == "sync_latency" {
        SYNC.iter().filter(|partial| partial.parameter != "mode" || both).copied().collect()
    } else if WRITES.contains(&family) && writes && both {
        vec![MEMORY_COPY]
    } else {
        Vec::new()
    }
}

/// Share of the operations that are reads; `None` where the pattern is unknown.
fn read_share(values: &Configuration) -> Option<f64> {
    let is = |name: &str| values.is("rw", name);
    if is("read") || is("randread") {
        Some(1.0)
    } else if is("write") || is("randwrite") {
        Some(0.0)
    } else if is("rw") || is("randrw") {
        Some((values.count("rwmixread").unwrap_or(50) as f64 / 100.0).min(1.0))
    } else {
        None
    }
}

fn content(values: &Configuration) -> Content {
    if values.is("data", "zero") {
        Content::Zero
    } else if values.is("data", "compressible") {
        Content::Compressible
    } else {
        Content::Random
    }
}

fn jobs(values: &Configuration) -> f64 {
    values.count("numjobs").unwrap_or(1).max(1) as f64
}

/// Writes of a job between two of its syncs.
fn sync_period(values: &Configuration) -> Option<f64> {
    values.count("fdatasync").ok().filter(|period| *period > 0).map(|period| period as f64)
}

fn end_fsync(values: &Configuration) -> bool {
    values.flag("end_fsync").unwrap_or(false)
}

/// Syncs per second over all jobs; `None` where the rate of writes is missing.
fn syncs_per_s(record: &TrialRecord) -> Option<f64> {
    let values = &record.values;
    let written = 1.0 - read_share(values)?;
    if written <= 0.0 {
        return Some(0.0);
    }
    let mut per_s = 0.0;
    if let Some(period) = sync_period(values) {
        let writes = value(record, "write_iops").or_else(|| Some(value(record, "iops")? * written))?;
        per_s += writes / period;
    }
    if end_fsync(values) {
        per_s += jobs(values) / record.measurement.as_ref()?.phases.first()?.duration_s;
    }
    per_s.is_finite().then_some(per_s)
}
