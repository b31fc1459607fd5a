//! The kv workload's line in the list of workloads, and the combinations of levels that make no sense.

use super::definitions::DEFINITIONS;
use super::describe::describe;
use super::mix::Step;
use super::parameters::{PARAMETERS, Parameters};
use model::{Configuration, Schema};

/// The kv workload's line in the list of workloads.
pub const SCHEMA: Schema = Schema {
    definitions: DEFINITIONS,
    summary: "a key-value engine: load, drain, reads, a mix, scans, and reads beside writers",
    metrics: &[
        "load_operations_per_s",
        "load_and_drain_operations_per_s",
        "drain_s",
        "hit_operations_per_s",
        "miss_operations_per_s",
        "mixed_operations_per_s",
        "scan_operations_per_s",
        "read_while_writing_operations_per_s",
        "write_while_reading_operations_per_s",
        "load_latency",
        "hit_latency",
        "miss_latency",
        "mixed_latency",
        "scan_latency",
        "read_while_writing_latency",
        "write_while_reading_latency",
        "write_stall_s",
        "write_amplification",
        "device_flushes_per_put",
        "space_amplification",
        "load_cpu_seconds_per_million_operations",
        "hit_cpu_seconds_per_million_operations",
        "cpu_seconds_per_million_operations",
        "resident_bytes_max",
        "load_page_cache_bytes",
        "hit_page_cache_bytes",
        "hit_device_reads_in_flight",
        "instrument_overhead_ns",
    ],
    check,
    describe,
};

fn check(configuration: &Configuration) -> Result<(), String> {
    let p = Parameters::read(configuration).map_err(|error| error.to_string())?;
    if p.reads == 0 && p.phase_runtime.0 == 0 {
        return Err("the phases after the load do not end: set phase_runtime or reads".to_owned());
    }
    if p.phase_runtime.0 == 0 && p.has_writers() {
        let phases = p.phases;
        return Err(format!("phases = {phases}: reads beside writers end with phase_runtime, so set it"));
    }
    if p.rate_ops == Some(0) {
        return Err("rate_ops = 0 issues no operation: set a rate, or none for a closed loop".to_owned());
    }
    if p.writer_rate_ops == Some(0) {
        return Err("writer_rate_ops = 0 issues no put: set a rate, or none for a closed loop".to_owned());
    }
    if p.rate_ops.is_some() && p.iodepth > 1 {
        return Err("in an open loop gets arrive one by one: set iodepth = 1, or rate_ops = none".to_owned());
    }
    if p.mix.of(Step::Delete.name()) > p.mix.of(Step::Insert.name()) {
        return Err(format!(
            "mix = {}: a delete takes away what an insert put, so give insert at least the share of delete",
            p.mix
        ));
    }
    for (name, count) in [(PARAMETERS.keys.name(), p.keys), (PARAMETERS.reads.name(), p.reads)] {
        if count > 0 && count < u64::from(p.threads) {
            return Err(format!(
                "{name} = {count} is less than one for each of {} threads: lower threads",
                p.threads
            ));
        }
    }
    Ok(())
}
