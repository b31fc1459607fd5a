//! The append workload's parameters, their meaning and the combinations that make no sense.

use super::describe::describe;
use super::levels::{ENGINES, FileDurability, Store};
use super::parameters::Parameters;
use crate::IoEngine;
use crate::kv::keys::{KEY_BYTES_MIN, Order};
use crate::kv::values::Content;
use model::buffer::{BUFFER_PAGES, BufferPages};
use model::kv::KEY_BYTES_MAX;
use model::parameter::{Kind, Parameter, Schema};
use model::units::{GIB, KIB, MIB, format_bytes};
use model::{Configuration, Layout};

const fn parameter(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Parameter {
    Parameter { name, kind, default, help }
}

const PARAMETERS: &[Parameter] = &[
    parameter(
        "engine",
        Kind::Choice(ENGINES),
        "file",
        "target of the entries: the end of a file, or an engine",
    ),
    parameter(
        "durability",
        Kind::Name,
        "default",
        "what an entry waits for: for a file none, sync_at_end, fdatasync, o_dsync or o_sync (the default is none), \
         for an engine one of its own levels",
    ),
    parameter(
        "sync_every",
        Kind::Count { min: 1, max: 1_000_000_000 },
        "1",
        "entries per fdatasync; more than one only with durability = fdatasync",
    ),
    parameter(
        "buffer_size",
        Kind::Bytes { min: 0, max: 64 * MIB },
        "0B",
        "buffer in user space, written when it is full; an entry in it is acknowledged; 0B = every entry its own write; \
         file only",
    ),
    parameter(
        "ioengine",
        Kind::Choice(IoEngine::NAMES),
        "psync",
        "pwrite, or io_uring; no effect if engine is not file",
    ),
    parameter(
        "registered",
        Kind::Flag,
        "false",
        "register files and buffers with the ring, which saves the kernel work; few databases do. No effect without \
         ioengine = uring",
    ),
    parameter(
        "iodepth",
        Kind::Count { min: 1, max: 1024 },
        "1",
        "writes in flight, counted from the oldest incomplete one; io_uring only",
    ),
    parameter(
        BUFFER_PAGES,
        Kind::Choice(BufferPages::NAMES),
        "small",
        "pages of the memory from which entries are written: the kernel's base size (4KiB), or huge pages; verified. \
         No effect if engine is not file, because engines have their own buffers",
    ),
    parameter(
        "layout",
        Kind::Choice(&[Layout::Append.name(), Layout::Prefilled.name()]),
        "append",
        "whether the file grows or was written before; no effect if engine is not file",
    ),
    parameter(
        "size",
        Kind::Bytes { min: KIB, max: 1024 * GIB },
        "1GiB",
        "maximum size of all entries; the trial ends when it is reached",
    ),
    parameter(
        "key_size",
        Kind::Count { min: KEY_BYTES_MIN as u64, max: KEY_BYTES_MAX as u64 },
        "16",
        "bytes of a key",
    ),
    parameter("value_size", Kind::Bytes { min: 0, max: MIB }, "100B", "bytes of a value"),
    parameter(
        "writes_per_entry",
        Kind::Count { min: 1, max: 2 },
        "1",
        "2 writes key and value with one call each, which doubles the calls and has no benefit; file only",
    ),
    parameter(
        "values",
        Kind::Choice(Content::NAMES),
        "random",
        "content of the values; an engine or a device that compresses is faster with constant ones",
    ),
    parameter("key_order", Kind::Choice(Order::NAMES), "sequential", "order of the keys"),
    parameter(
        "entries",
        Kind::Count { min: 0, max: 1_000_000_000_000 },
        "100000",
        "entries of all threads together; 0 = until runtime",
    ),
    parameter("runtime", Kind::Duration, "0s", "length of the measurement; 0s = until entries"),
    parameter(
        "threads",
        Kind::Count { min: 1, max: 256 },
        "1",
        "threads that write to an engine; a file has one",
    ),
];

/// The append workload's line in the list of workloads.
pub const SCHEMA: Schema = Schema {
    workload: "append",
    summary: "entries written one after another to a file or an engine: the cost of durability",
    parameters: PARAMETERS,
    metrics: &[
        "entries_per_s",
        "user_bytes_per_s",
        "append_latency",
        "write_latency",
        "sync_latency",
        "device_bytes_per_user_byte",
        "device_flushes_per_entry",
        "lost_after_kill",
        "exposed_bytes_max",
        "exposed_bytes_mean",
        "exposed_drain_s",
        "system_calls_per_operation",
        "cpu_seconds_per_million_operations",
        "in_flight_mean",
        "instrument_overhead_ns",
    ],
    check,
    placement: &["layout", "filesystem"],
    sizes: &["entries"],
    describe,
};

fn check(configuration: &Configuration) -> Result<(), String> {
    let p = Parameters::read(configuration).map_err(|error| error.to_string())?;
    match &p.store {
        Store::File(durability) => check_file(&p, *durability)?,
        Store::Engine { name, .. } => check_engine(&p, name)?,
    }
    if p.entries == 0 && p.runtime.0 == 0 {
        return Err("the trial does not end: set entries or runtime".to_owned());
    }
    let entry = u64::from(p.entry_bytes());
    if p.entries > p.size / entry {
        return Err(format!(
            "{} entries of {entry}B are more than size = {}: take fewer entries or a larger size",
            p.entries,
            format_bytes(p.size)
        ));
    }
    if p.entries_max() < u64::from(p.threads) {
        return Err(format!(
            "{} threads have less than one entry each: entries and size allow {}, use fewer threads",
            p.threads,
            p.entries_max()
        ));
    }
    Ok(())
}

fn check_engine(p: &Parameters, engine: &str) -> Result<(), String> {
    let only_files = |parameter: String, neutral: &str| {
        Err(format!("{parameter} is for engine = file, but engine is {engine}: set {neutral}"))
    };
    if p.buffer_size > 0 {
        return only_files(format!("buffer_size = {}", format_bytes(p.buffer_size)), "buffer_size = 0");
    }
    if p.iodepth > 1 {
        return only_files(format!("iodepth = {}", p.iodepth), "iodepth = 1 and take more threads");
    }
    if p.writes_per_entry > 1 {
        return only_files("writes_per_entry = 2".to_owned(), "writes_per_entry = 1");
    }
    if p.sync_every > 1 {
        return only_files(format!("sync_every = {}", p.sync_every), "sync_every = 1");
    }
    Ok(())
}

fn check_file(p: &Parameters, durability: FileDurability) -> Result<(), String> {
    if p.threads > 1 {
        return Err(format!(
            "engine = file has one writer, but threads is {}: set threads = 1, or take an engine",
            p.threads
        ));
    }
    if p.ioengine == IoEngine::Psync && p.iodepth > 1 {
        return Err(format!(
            "ioengine = psync has one write in flight, but iodepth is {}: set iodepth = 1 or ioengine = uring",
            p.iodepth
        ));
    }
    let syncs_each_group = durability == FileDurability::Fdatasync;
    if p.sync_every > 1 && !syncs_each_group {
        return Err(format!(
            "sync_every = {} is for durability = fdatasync, but durability is {}: set sync_every = 1",
            p.sync_every,
            durability.name()
        ));
    }
    if syncs_each_group && u64::from(p.iodepth) > p.sync_every {
        return Err(format!(
            "durability = fdatasync waits for the writes of each {} entries, so iodepth = {} is never reached: \
             lower iodepth or raise sync_every",
            p.sync_every, p.iodepth
        ));
    }
    if p.writes_per_entry > 1 && p.value_size == 0 {
        return Err(
            "writes_per_entry = 2 writes the value by itself, but value_size is 0: set writes_per_entry = 1"
                .to_owned(),
        );
    }
    check_buffer(p, syncs_each_group)
}

fn check_buffer(p: &Parameters, syncs_each_group: bool) -> Result<(), String> {
    if p.buffer_size == 0 {
        return Ok(());
    }
    if p.buffer_size < u64::from(p.entry_bytes()) {
        return Err(format!(
            "an entry of {}B does not fit into buffer_size = {}: take a larger buffer, or 0 for none",
            p.entry_bytes(),
            format_bytes(p.buffer_size)
        ));
    }
    if syncs_each_group {
        return Err(
            "durability = fdatasync counts written entries, but a buffer acknowledges them unwritten: set \
                    buffer_size = 0, or durability = o_dsync for a sync with every buffer"
                .to_owned(),
        );
    }
    if p.writes_per_entry > 1 {
        return Err(
            "writes_per_entry = 2 has no effect if a buffer is written whole: set buffer_size = 0 or \
             writes_per_entry = 1"
                .to_owned(),
        );
    }
    Ok(())
}
