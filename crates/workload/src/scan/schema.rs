//! The scan workload's line in the list of workloads, and the combinations of levels that make no sense.

use super::definitions::DEFINITIONS;
use super::describe::describe;
use super::levels::{BufferSource, HintScope, Opening, PageCache, PassCache};
use super::parameters::Parameters;
use model::buffer::BufferPages;
use model::scan::READ_BYTES_MAX;
use model::units::{GIB, format_bytes};
use model::{Configuration, EVERY_TRIAL, FileSystem, Schema};

/// The scan workload's line in the list of workloads.
pub const SCHEMA: Schema = Schema {
    definitions: DEFINITIONS,
    summary: "a dataset read file by file, as a data loader does: a directory or S3",
    metrics: &[
        "bandwidth_bytes_per_s",
        "first_pass_bandwidth_bytes_per_s",
        "later_passes_bandwidth_bytes_per_s",
        "files_per_s",
        "block_latency",
        "file_latency",
        "minor_faults",
        "major_faults",
        "cpu_seconds_per_gib",
        "system_calls_per_gib",
        "page_cache_hit_share",
        "device_read_bytes_per_byte_read",
        "cached_share_after",
        "resident_bytes_max",
        "request_retries",
        "pass_read_bytes",
        "pass_bandwidth_bytes_per_s",
        "pass_hit_share",
        "pass_cached_share_before",
        "in_flight_mean",
        "accelerator_utilization",
        "instrument_overhead_ns",
    ],
    check,
    describe,
};

/// The maximum memory for the readers' buffers.
const BUFFERS_BYTES_MAX: u64 = 8 * GIB;
/// Pieces and batches of a pass: each takes some bytes of memory.
const PIECES_MAX: u64 = 100_000_000;
const BATCHES_MAX: u64 = 10_000_000;
/// The borders of pieces are those of pages, as direct I/O needs it.
const PAGE_BYTES: u64 = 4096;

fn check(configuration: &Configuration) -> Result<(), String> {
    let p = Parameters::read(configuration).map_err(|error| error.to_string())?;
    if p.target.is_some() && !EVERY_TRIAL.filesystem.is(configuration, FileSystem::Host) {
        return Err("target names an existing dataset: set filesystem = host".to_owned());
    }
    if p.is_remote() {
        check_remote(&p)?;
    } else {
        check_local(&p)?;
    }
    check_pieces(&p)?;
    let read_bytes = p.read_bytes(p.file_size);
    if read_bytes > READ_BYTES_MAX {
        return Err(format!(
            "block_size = whole_file reads files of {} whole, but one read moves at most {}: set a block_size",
            format_bytes(p.file_size),
            format_bytes(READ_BYTES_MAX)
        ));
    }
    let needed = read_bytes * u64::from(p.concurrency) * u64::from(p.in_flight_max());
    if needed > BUFFERS_BYTES_MAX {
        return Err(format!(
            "{} readers with {} each in flight need {} of buffers, at most {}: lower concurrency or the size of a read",
            p.concurrency,
            format_bytes(read_bytes * u64::from(p.in_flight_max())),
            format_bytes(needed),
            format_bytes(BUFFERS_BYTES_MAX)
        ));
    }
    Ok(())
}

fn check_pieces(p: &Parameters) -> Result<(), String> {
    let pieces = p.pieces();
    if u64::from(p.concurrency) > pieces {
        let what = if p.piece_size.block_bytes().is_some() { "pieces" } else { "files" };
        return Err(format!(
            "concurrency = {} readers for {pieces} {what}, one at a time each: lower concurrency",
            p.concurrency
        ));
    }
    if p.piece_size.block_bytes().is_some_and(|bytes| !bytes.is_multiple_of(PAGE_BYTES)) {
        return Err("piece_size is not a multiple of 4KiB, as direct I/O needs it".to_owned());
    }
    if pieces > PIECES_MAX {
        return Err(format!("a pass has {pieces} pieces, at most {PIECES_MAX}: set a larger piece_size"));
    }
    let batches = p.batches();
    if batches > BATCHES_MAX {
        return Err(format!("a pass has {batches} batches, at most {BATCHES_MAX}: set a larger batch_size"));
    }
    if batches == 1 {
        return Err(format!(
            "a pass has one batch of {}, and the first step counts nowhere: lower batch_size or set more files",
            format_bytes(p.batch_size)
        ));
    }
    Ok(())
}

fn check_local(p: &Parameters) -> Result<(), String> {
    if p.multipart {
        return Err("multipart = true is for s3 targets: local files are read by block_size".to_owned());
    }
    if p.prepare {
        return Err("prepare = true is for s3 targets: leave target out, and files are prepared in the run's directory"
            .to_owned());
    }
    if p.buffer_pages == BufferPages::Huge && p.buffers == BufferSource::Malloc {
        return Err(
            "buffers = malloc uses the allocator, which provides no huge pages: set buffers = pooled or fresh, or \
             buffer_pages = small"
                .to_owned(),
        );
    }
    // An arm that differs only in a parameter without effect would repeat another arm.
    let hints = p.page_cache.hint(p.file_size).is_some();
    if !hints && p.hint_scope != HintScope::Open {
        return Err(format!(
            "page_cache = {} gives no hint, so hint_scope has no effect: set hint_scope = open",
            p.page_cache.name()
        ));
    }
    if p.hint_scope == HintScope::Behind && p.page_cache != PageCache::DontNeed {
        return Err(format!(
            "hint_scope = behind is about what was read, and page_cache = {} about what will be: take dontneed, or \
             open",
            p.page_cache.name()
        ));
    }
    if p.page_cache == PageCache::Mmap && p.open == Opening::PerBlock {
        return Err(
            "open = per_block would map the whole file for each block: take per_file with mmap".to_owned()
        );
    }
    Ok(())
}

fn check_remote(p: &Parameters) -> Result<(), String> {
    if p.page_cache != PageCache::Normal || p.open != Opening::PerFile {
        return Err(
            "an object store has no local page cache and no files to open: set page_cache = normal, open = per_file"
                .to_owned(),
        );
    }
    if p.buffers == BufferSource::Fresh {
        return Err(
            "buffers = fresh maps memory for local reads: with an s3 target take malloc, which hands on what the \
             client allocates, or pooled, which copies it into memory that is kept"
                .to_owned(),
        );
    }
    if p.buffer_pages == BufferPages::Huge {
        return Err("an s3 client allocates its own memory: leave buffer_pages = small".to_owned());
    }
    if p.cache != PassCache::ColdEachPass {
        return Err("what an object store caches nobody here can drop or prove: leave cache at its default"
            .to_owned());
    }
    Ok(())
}
