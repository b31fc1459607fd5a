//! The commit workload: a log that is written and synced, beside page reads of a data file.

use super::{Access, Circumstances, Flushes, Partial, Stream, cache, in_trial, runtime_s};
use crate::observations::value;
use model::trial::TrialRecord;
use model::{Configuration, IoMode};

/// Families whose timed region depends on how the log is written. Page 000 read 3.07× off the sync alone, where write
/// and sync together differ by 1.06×.
const PARTIAL: &[&str] = &["sync_latency", "write_latency", "efficiency_share"];
const INSTEAD: &str = "Compare commit latency instead.";
const IN_THE_WRITE: &str =
    "under direct the data is written before the sync begins, under buffered the sync writes it";

/// Parameters that move work between write and sync, and how.
const MOVES_WORK: &[(&str, &str)] = &[
    ("mode", IN_THE_WRITE),
    ("wal_mode", IN_THE_WRITE),
    ("sync", "dsync makes the write itself durable, the others leave that to the sync"),
    ("ioengine", "io_uring hands a sync to a kernel worker and times the way there, psync does not"),
];

/// Of these parameters, and the bytes of all files.
pub(super) fn circumstances(values: &Configuration) -> (Circumstances, u64) {
    let committers = committers(values);
    let (depth, writes) = (read_depth(values), writes_of_group(values));
    let access = |parameter: &str, own: &str| {
        let block_bytes = values.bytes(parameter).unwrap_or(0);
        mode(values, own).map(|mode| Access { mode, block_bytes })
    };
    let data_bytes = values.bytes("data_size").ok();
    let files_bytes = data_bytes.unwrap_or(0).saturating_add(values.bytes("wal_size").unwrap_or(0));
    let circumstances = Circumstances {
        reads: access("page_size", "data_mode").filter(|_| depth > 0.0),
        writes: access("record_size", "wal_mode"),
        syncs: syncs(values) || values.is("sync", "dsync"),
        threads: committers,
        // Each committer has reads and a log of its own.
        in_flight_max: committers * (depth + writes),
        cache: cache(values),
        runtime_s: runtime_s(values),
        data_bytes,
        ..Circumstances::default()
    };
    (circumstances, files_bytes)
}

/// Reads, writes and syncs. A group of separate writes has one latency, from the first's submission to the last's
/// completion.
pub(super) fn streams(record: &TrialRecord) -> Option<Vec<Stream>> {
    let values = &record.values;
    let stream = |per_second: f64, latency: &str, overlapping_max: f64| {
        Some(Stream { per_second, latency_s: value(record, latency)? / 1e6, overlapping_max })
    };
    let commits = value(record, "commits_per_s")?;
    let mut streams = vec![stream(commits, "write_latency_mean_us", writes_of_group(values))?];
    if syncs(values) {
        streams.push(stream(commits, "sync_latency_mean_us", 1.0)?);
    }
    if read_depth(values) > 0.0 {
        streams.push(stream(value(record, "reads_per_s")?, "read_latency_mean_us", 1.0)?);
    }
    Some(streams)
}

pub(super) fn hit_share(record: &TrialRecord) -> Option<f64> {
    let page = record.values.bytes("page_size").ok().filter(|bytes| *bytes > 0)?;
    Some(1.0 - value(record, "device_read_bytes_per_read")? / page as f64)
}

pub(super) fn flushes(record: &TrialRecord) -> Option<Flushes> {
    let values = &record.values;
    let is_dsync = values.is("sync", "dsync");
    (syncs(values) || is_dsync).then(|| Flushes {
        unit: "commit",
        units: in_trial(record, "commits_per_s"),
        per_unit: value(record, "device_flushes_per_commit"),
        forced: is_dsync && mode(values, "wal_mode") == Some(IoMode::Direct),
    })
}

/// Modes other than direct leave the writing to the sync alike, and so do syncs other than dsync.
pub(super) fn partial(family: &str, arms: &[&Configuration]) -> Vec<Partial> {
    if !PARTIAL.contains(&family) {
        return Vec::new();
    }
    let partial =
        |(parameter, how): &(&'static str, &'static str)| Partial { parameter, how, instead: INSTEAD };
    let apart = |is: &dyn Fn(&Configuration) -> bool| {
        arms.iter().any(|values| is(values)) && !arms.iter().all(|values| is(values))
    };
    let moves = |(parameter, _): &&(&str, &str)| match *parameter {
        "mode" | "wal_mode" => apart(&|values| mode(values, "wal_mode") == Some(IoMode::Direct)),
        "sync" => apart(&|values| values.is("sync", "dsync")),
        _ => true,
    };
    MOVES_WORK.iter().filter(moves).map(partial).collect()
}

/// A mode of its own, or the one that both files share.
fn mode(values: &Configuration, own: &str) -> Option<IoMode> {
    values.io_mode(if values.is(own, "same") { "mode" } else { own }).ok()
}

fn committers(values: &Configuration) -> f64 {
    values.count("committers").unwrap_or(1).max(1) as f64
}

fn read_depth(values: &Configuration) -> f64 {
    values.count("read_depth").unwrap_or(0) as f64
}

fn writes_of_group(values: &Configuration) -> f64 {
    if values.is("group_write", "coalesced") {
        1.0
    } else {
        values.count("group_size").unwrap_or(1).max(1) as f64
    }
}

/// Whether a sync of its own follows the write.
fn syncs(values: &Configuration) -> bool {
    values.is("sync", "fdatasync") || values.is("sync", "fsync")
}
