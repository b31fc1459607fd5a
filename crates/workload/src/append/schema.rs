//! The append workload's line in the list of workloads, and the combinations of levels that make no sense.

use super::definitions::DEFINITIONS;
use super::describe::describe;
use super::levels::{FileDurability, Store};
use super::parameters::Parameters;
use crate::IoEngine;
use model::units::format_bytes;
use model::{Configuration, Schema};

/// The append workload's line in the list of workloads.
pub const SCHEMA: Schema = Schema {
    definitions: DEFINITIONS,
    summary: "entries written one after another to a file or an engine: the cost of durability",
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
    describe,
};

fn check(configuration: &Configuration) -> Result<(), String> {
    let p = Parameters::read(configuration).map_err(|error| error.to_string())?;
    match p.store() {
        Store::File(durability) => check_file(&p, durability)?,
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
