//! The commit workload's line in the list of workloads, and the combinations of levels that make no sense.

use super::definitions::DEFINITIONS;
use super::describe::describe;
use super::levels::Sync;
use super::parameters::Parameters;
use crate::IoEngine;
use model::units::{GIB, format_bytes};
use model::{Configuration, Schema};

/// The commit workload's line in the list of workloads.
pub const SCHEMA: Schema = Schema {
    definitions: DEFINITIONS,
    summary: "WAL group commit beside concurrent random page reads",
    metrics: &[
        "commits_per_s",
        "transactions_per_s",
        "commit_latency",
        "sync_latency",
        "write_latency",
        "reads_per_s",
        "read_latency",
        "realised_reads_per_commit",
        "device_writes_per_commit",
        "device_written_bytes_per_commit",
        "device_flushes_per_commit",
        "device_read_bytes_per_read",
        "efficiency_share",
        "in_flight_mean",
        "cpu_seconds_per_million_operations",
        "instrument_overhead_ns",
    ],
    check,
    describe,
};

fn check(configuration: &Configuration) -> Result<(), String> {
    let p = Parameters::read(configuration).map_err(|error| error.to_string())?;
    p.steady_ramp.check()?;
    if p.steady_ramp.chosen().is_some() && !p.wal_layout.is_reusable() {
        return Err(format!(
            "steady_time_max fills an {} log before it is measured: set wal_layout = prefilled",
            p.wal_layout
        ));
    }
    if p.ioengine == IoEngine::Psync && p.read_depth > 0 {
        return Err(format!(
            "ioengine = psync has one operation in flight, but read_depth is {}: set read_depth = 0",
            p.read_depth
        ));
    }
    let is_one_by_one = !p.is_coalesced() && p.group_size > 1;
    if p.sync == Sync::Dsync && is_one_by_one && p.ioengine == IoEngine::Uring {
        return Err(
            "sync = dsync makes every write durable by itself, and a ring would make them so all at once, as no \
             database does: set group_write = coalesced, or ioengine = psync"
                .to_owned(),
        );
    }
    if p.groups == 0 && p.runtime.0 == 0 {
        return Err("the trial does not end: set groups or runtime".to_owned());
    }
    if p.group_bytes() > p.wal_size {
        return Err(format!(
            "a group of {} does not fit into wal_size = {}",
            format_bytes(p.group_bytes()),
            format_bytes(p.wal_size)
        ));
    }
    if p.read_depth > 0 && u64::from(p.page_size) > p.data_size {
        return Err(format!("page_size is larger than data_size = {}", format_bytes(p.data_size)));
    }
    if !p.wal_layout.is_reusable() && p.groups > 0 && p.groups * p.group_bytes() > p.wal_size {
        return Err(format!(
            "{} groups of {} need wal_size = {} with an {} log, which cannot wrap",
            p.groups,
            format_bytes(p.group_bytes()),
            format_bytes(p.groups * p.group_bytes()),
            p.wal_layout.name()
        ));
    }
    if p.arena_bytes() as u64 > GIB / u64::from(p.committers) {
        return Err(format!(
            "read_depth × page_size and the group need {} of buffers, {} times: at most 1GiB in all",
            format_bytes(p.arena_bytes() as u64),
            p.committers
        ));
    }
    Ok(())
}
