//! The append workload: entries to the end of a file, or into an engine.

use super::{Access, Circumstances, Content, Flushes, Partial, Stream, in_trial, runtime_s};
use crate::observations::value;
use model::trial::TrialRecord;
use model::{Configuration, DurabilityClass, IoMode};

/// What an engine does by itself, in its own sizes and threads, no parameter tells.
const IN_KERNEL_WORKER: Partial = Partial {
    parameter: "ioengine",
    how: "io_uring hands a sync to a kernel worker and times the way there, psync does not",
    instead: "Compare entries per second instead.",
};

/// Where entries go and when they are safe there. How long a trial lasts belongs to it: whoever syncs every entry is
/// bounded by time.
pub(super) const ARM_PARAMETERS: &[&str] =
    &["engine", "durability", "sync_every", "buffer_size", "ioengine", "iodepth", "runtime"];

/// Of these parameters, and the bytes of all files.
pub(super) fn circumstances(values: &Configuration) -> (Circumstances, u64) {
    let entry_bytes = values.count("key_size").unwrap_or(0) + values.bytes("value_size").unwrap_or(0);
    let buffer_bytes = values.bytes("buffer_size").unwrap_or(0);
    let entries = values.count("entries").ok().filter(|entries| *entries > 0);
    let size = values.bytes("size").unwrap_or(0);
    let user_bytes = entries.map_or(size, |entries| entries.saturating_mul(entry_bytes).min(size));
    let depth = values.count("iodepth").unwrap_or(1).max(1) as f64;
    let threads = values.count("threads").unwrap_or(1).max(1) as f64;
    let calls = values.count("writes_per_entry").unwrap_or(1).max(1) as f64;
    let block_bytes = if is_file(values) { entry_bytes.max(buffer_bytes) } else { 0 };
    let circumstances = Circumstances {
        writes: Some(Access { mode: IoMode::Buffered, block_bytes }),
        content: if values.is("values", "constant") { Content::Compressible } else { Content::Random },
        in_engine: !is_file(values),
        syncs: is_file(values) && !values.is("durability", "none") && !values.is("durability", "default"),
        threads,
        in_flight_max: if is_file(values) { depth * calls } else { threads },
        depth: is_uring(values).then_some(("iodepth", depth as u64)),
        // An engine may close its files in its own time.
        runtime_s: runtime_s(values).filter(|_| is_file(values) && !values.is("durability", "sync_at_end")),
        ..Circumstances::default()
    };
    (circumstances, user_bytes)
}

/// Writes and the syncs that follow them. Where several writes are in flight an entry waits for those before it, in which
/// the driver counts nothing in flight; where an entry is two calls, the driver counts both from the start, and one waits
/// for the other, or does not; where a buffer gathers entries, they have no latency.
pub(super) fn streams(record: &TrialRecord) -> Option<Vec<Stream>> {
    let values = &record.values;
    let buffered = values.bytes("buffer_size").unwrap_or(0) > 0;
    let more_than_one = |parameter| values.count(parameter).unwrap_or(1) > 1;
    if buffered || more_than_one("iodepth") || more_than_one("writes_per_entry") {
        return None;
    }
    let latency_s = value(record, "append_latency_mean_us")? / 1e6;
    let mut streams =
        vec![Stream { per_second: value(record, "entries_per_s")?, latency_s, overlapping_max: 1.0 }];
    if values.is("durability", "sync_at_end") {
        let duration_s = record.measurement.as_ref()?.phases.first()?.duration_s;
        let latency_s = value(record, "sync_latency_mean_us")? / 1e6;
        streams.push(Stream { per_second: 1.0 / duration_s, latency_s, overlapping_max: 1.0 });
    }
    Some(streams)
}

/// An entry that survives power loss needs a flush before it is acknowledged; one that declares less needs none.
///
/// The kernel counts a flush for the sync of a file through the page cache, `RWF_DSYNC` and `RWF_SYNC` included: they are
/// writes to the cache with an `fdatasync` or `fsync` behind them. Forced writes (FUA) that it does not count come only
/// with direct I/O, which no arm here uses: so `forced` is false, and no flush is no promise.
pub(super) fn flushes(record: &TrialRecord) -> Option<Flushes> {
    let per_entry = value(record, "device_flushes_per_entry");
    let values = &record.values;
    if is_file(values) && values.is("durability", "fdatasync") {
        let entries = values.count("sync_every").unwrap_or(1).max(1) as f64;
        let per_unit = per_entry.map(|flushes| flushes * entries);
        let units = in_trial(record, "entries_per_s").map(|all| all / entries);
        return Some(Flushes { unit: "sync", units, per_unit, forced: false });
    }
    let declares_power = record.measurement.as_ref()?.durability == DurabilityClass::Power;
    let units = in_trial(record, "entries_per_s");
    declares_power.then_some(Flushes { unit: "entry", units, per_unit: per_entry, forced: false })
}

/// An append ends with its acknowledgement in every arm: what that promises, the durability class tells.
pub(super) fn partial(family: &str, arms: &[&Configuration]) -> Vec<Partial> {
    let both = arms.iter().any(|values| is_uring(values)) && !arms.iter().all(|values| is_uring(values));
    if family == "sync_latency" && both { vec![IN_KERNEL_WORKER] } else { Vec::new() }
}

fn is_file(values: &Configuration) -> bool {
    values.is("engine", "file")
}

fn is_uring(values: &Configuration) -> bool {
    is_file(values) && values.is("ioengine", "uring")
}
