//! The object workload's line in the list of workloads, and the combinations of levels that make no sense.

use super::definitions::DEFINITIONS;
use super::describe::describe;
use super::levels::{
    PUTS_BYTES_PER_S, PUTS_SECONDS, REACHED_DEVICE, RESTORE_BYTES_PER_S, RESTORE_CACHED, RESTORE_SECONDS,
    Step,
};
use super::parameters::{PARAMETERS, Parameters};
use crate::popularity::Popularity;
use model::object::OBJECT_BYTES_MAX;
use model::units::{GIB, format_bytes};
use model::{Cache, Configuration, EVERY_TRIAL, Endpoints, FileSystem, IoMode, Schema};

/// The object workload's line in the list of workloads.
pub const SCHEMA: Schema = Schema {
    definitions: DEFINITIONS,
    summary: "objects that are read, written, listed and removed: files, or objects of S3",
    metrics: &[
        "object_operations_per_s",
        "bandwidth_bytes_per_s",
        "object_read_bytes_per_s",
        "object_written_bytes_per_s",
        "object_gets_per_s",
        "object_ranges_per_s",
        "object_puts_per_s",
        "object_multiparts_per_s",
        "object_stats_per_s",
        "object_lists_per_s",
        "object_deletes_per_s",
        "object_names_per_s",
        PUTS_SECONDS,
        PUTS_BYTES_PER_S,
        RESTORE_SECONDS,
        RESTORE_BYTES_PER_S,
        RESTORE_CACHED,
        "object_latency",
        "object_first_byte_latency",
        "object_page_latency",
        "object_get_latency",
        "object_range_latency",
        "object_put_latency",
        "object_multipart_latency",
        "object_stat_latency",
        "object_list_latency",
        "object_delete_latency",
        "failed_operations",
        "request_retries",
        "overloaded_answers",
        "write_requests_per_operation",
        "list_requests_per_operation",
        "read_requests_per_operation",
        "delete_requests_per_operation",
        "page_cache_hit_share",
        REACHED_DEVICE,
        "cpu_seconds_per_million_operations",
        "system_calls_per_operation",
        "resident_bytes_max",
        "instrument_overhead_ns",
    ],
    check,
    describe,
};

/// The maximum memory for what operations move.
const BUFFERS_BYTES_MAX: u64 = 8 * GIB;
/// Folders that a dataset may have.
const FOLDERS_MAX: u64 = 100_000;
/// What direct I/O is aligned to.
const PAGE_BYTES: u64 = 4096;

fn check(configuration: &Configuration) -> Result<(), String> {
    let p = Parameters::read(configuration).map_err(|error| error.to_string())?;
    // A log ends by itself.
    if p.operations_max == 0 && p.runtime.0 == 0 && !p.is_replay() {
        return Err("the measurement does not end: set runtime or operations_max".to_owned());
    }
    if p.rate_ops == Some(0) {
        return Err("rate_ops = 0 issues no operation: set a rate, or none for a closed loop".to_owned());
    }
    if p.is_replay() && p.rate_ops.is_some() {
        return Err(
            "a log has the times of its operations: leave out rate_ops, and set replay_speed".to_owned()
        );
    }
    if p.operations_max > 0 && p.operations_max < u64::from(p.clients) {
        return Err(format!(
            "operations_max = {} is less than one for each of {} clients: lower clients",
            p.operations_max, p.clients
        ));
    }
    if p.tree().folders() > FOLDERS_MAX {
        return Err(format!(
            "prefixes = {} at prefix_depth = {} are {} folders, at most {FOLDERS_MAX}: lower one of them",
            p.prefixes,
            p.prefix_depth,
            p.tree().folders()
        ));
    }
    check_sizes(&p)?;
    check_puts(&p)?;
    if p.is_remote() { check_remote(&p, configuration) } else { check_local(&p) }
}

fn check_sizes(p: &Parameters) -> Result<(), String> {
    let largest = p.sizes().max();
    if largest > OBJECT_BYTES_MAX {
        return Err(format!(
            "the largest object has {}, at most {}: lower object_size",
            format_bytes(largest),
            format_bytes(OBJECT_BYTES_MAX)
        ));
    }
    let needed = largest.saturating_mul(u64::from(p.clients) * u64::from(p.iodepth));
    if needed > BUFFERS_BYTES_MAX {
        return Err(format!(
            "{} clients with {} operations each on objects of up to {} need {} of memory, at most {}: lower one of \
             them",
            p.clients,
            p.iodepth,
            format_bytes(largest),
            format_bytes(needed),
            format_bytes(BUFFERS_BYTES_MAX)
        ));
    }
    Ok(())
}

fn check_puts(p: &Parameters) -> Result<(), String> {
    let share = |step: Step| p.mix.of(step.name());
    if p.is_replay() {
        // The log has them in the order in which they are possible.
        return Ok(());
    }
    if p.writers > 0 {
        check_writers(p)?;
    }
    if share(Step::Delete) > share(Step::Put) + share(Step::MultipartPut) {
        return Err(format!(
            "mix = {}: a delete takes away what a put wrote, so give puts at least the share of delete",
            p.mix
        ));
    }
    // An object that is being read is not replaced meanwhile.
    let least = 2 * u64::from(p.changing_clients()) * u64::from(p.iodepth);
    if p.has(Step::writes) && p.kept_objects < least {
        return Err(format!(
            "kept_objects = {} is less than twice the {} operations in flight: set at least {least}",
            p.kept_objects,
            least / 2
        ));
    }
    Ok(())
}

fn check_writers(p: &Parameters) -> Result<(), String> {
    if !p.has(Step::changes) || !p.has(|step| !step.changes()) {
        return Err(format!(
            "mix = {}: writers share it with clients that read, stat or list, so give shares to both kinds of \
             operations, or leave writers out",
            p.mix
        ));
    }
    if p.writers >= p.clients {
        return Err(format!(
            "writers = {} leave none of the {} clients for the rest of the mix: set fewer writers",
            p.writers, p.clients
        ));
    }
    if p.popularity == Popularity::Latest {
        return Err("popularity = latest is about what a client itself has put, and writers read nothing: leave out one of \
                    them"
            .to_owned());
    }
    Ok(())
}

fn check_local(p: &Parameters) -> Result<(), String> {
    if p.endpoints.is_some() {
        return Err("endpoints are addresses of an object store: set target = s3://bucket/prefix".to_owned());
    }
    if p.iodepth > 1 {
        return Err(
            "a thread works on one file at a time: set iodepth = 1 and more clients, or an s3 target"
                .to_owned(),
        );
    }
    let sizes = [(PARAMETERS.read_size.name(), p.read_size), (PARAMETERS.part_size.name(), p.part_size)];
    if let Some((name, _)) = sizes.iter().find(|(_, bytes)| !bytes.is_multiple_of(PAGE_BYTES)) {
        return Err(format!("{name} is not a multiple of 4KiB, as files need it"));
    }
    Ok(())
}

fn check_remote(p: &Parameters, configuration: &Configuration) -> Result<(), String> {
    if !p.target.as_deref().is_some_and(|target| target.starts_with("s3://")) {
        return Err(
            "objects are written, so a target is s3://bucket/prefix; without one they are files in the run's directory"
                .to_owned(),
        );
    }
    if !EVERY_TRIAL.filesystem.is(configuration, FileSystem::Host) {
        return Err("the objects of a target are in no file system: set filesystem = host".to_owned());
    }
    let addresses = p.addresses()?.as_ref().map_or(1, Endpoints::count);
    if addresses > p.clients as usize {
        return Err(format!(
            "{addresses} endpoints are more than the clients, which are {}: set clients to a multiple of {addresses}",
            p.clients
        ));
    }
    let of_files = p.sync_puts || p.rename_puts || p.sync_deletes;
    if p.io != IoMode::Buffered || of_files || p.cache != Cache::Cold {
        return Err("an object store has no local page cache and no files: leave io, sync_puts, rename_puts, sync_deletes \
                    and cache at their defaults"
            .to_owned());
    }
    Ok(())
}
