//! The scan workload: a dataset read file by file, in passes.

use super::{Access, Cache, Circumstances, PassReading, Stream, hit_share_of};
use crate::observations::value;
use model::mechanism::Measured;
use model::trial::{Phase, TrialRecord};
use model::{Configuration, IoMode};

/// Of these parameters, and the bytes of all files.
pub(super) fn circumstances(values: &Configuration) -> (Circumstances, u64) {
    let readers = values.count("concurrency").unwrap_or(1).max(1) as f64;
    let file_bytes = values.bytes("file_size").unwrap_or(0);
    let data_bytes = values.count("files").unwrap_or(0).saturating_mul(file_bytes);
    let block_bytes = match values.bytes("block_size") {
        Ok(0) | Err(_) => file_bytes,
        Ok(bytes) => bytes,
    };
    let ranges =
        if values.flag("multipart") == Ok(true) { values.count("connections").unwrap_or(1) } else { 1 };
    let circumstances = Circumstances {
        reads: Some(Access { mode: mode(values), block_bytes }),
        threads: readers,
        in_flight_max: readers * ranges.max(1) as f64,
        cache: asked(values, 0),
        data_bytes: Some(data_bytes),
        ..Circumstances::default()
    };
    (circumstances, data_bytes)
}

fn mode(values: &Configuration) -> IoMode {
    if values.is("page_cache", "direct") {
        IoMode::Direct
    } else if values.is("page_cache", "dontcache") {
        IoMode::DontCache
    } else if values.is("page_cache", "mmap") {
        IoMode::Mmap
    } else {
        IoMode::Buffered
    }
}

fn is_remote(values: &Configuration) -> bool {
    values.text("target").is_ok_and(|target| target.starts_with("s3://"))
}

/// What the page cache was asked to hold before this pass, from 0.
fn asked(values: &Configuration, pass: usize) -> Cache {
    if is_remote(values) {
        Cache::AsIs
    } else if values.is("cache", "cold_each_pass") || (values.is("cache", "cold") && pass == 0) {
        Cache::Cold
    } else if values.is("cache", "warm") {
        Cache::Warm
    } else {
        Cache::AsIs
    }
}

/// A reader has one file in the works at a time, and of an object several ranges at once.
pub(super) fn streams(record: &TrialRecord) -> Option<Vec<Stream>> {
    let (circumstances, _) = circumstances(&record.values);
    Some(vec![Stream {
        per_second: value(record, "files_per_s")?,
        latency_s: value(record, "file_latency_mean_us")? / 1e6,
        overlapping_max: circumstances.in_flight_max / circumstances.threads,
    }])
}

/// Where the bytes of each pass came from, and what was cached when it began.
pub(super) fn passes(record: &TrialRecord) -> Vec<PassReading> {
    let phases = record.measurement.iter().flat_map(|measurement| &measurement.phases);
    let figure = |phase: &Phase, name: &str| {
        let figure = phase.metrics.get(name).and_then(Measured::value).copied();
        figure.filter(|figure| figure.is_finite())
    };
    phases
        .enumerate()
        .map(|(index, phase)| PassReading {
            asked: asked(&record.values, index),
            hit_share: match phase.metrics.get("pass_hit_share").and_then(Measured::reason) {
                None => figure(phase, "pass_hit_share"),
                Some(_) => figure(phase, "pass_read_bytes").and_then(|bytes| hit_share_of(phase, bytes)),
            },
            cached_share_before: figure(phase, "pass_cached_share_before"),
        })
        .collect()
}
