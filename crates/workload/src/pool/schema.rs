//! The pool workload's line in the list of workloads, and the combinations of levels that make no sense.

use super::definitions::DEFINITIONS;
use super::describe::describe;
use super::levels::{Maps, Subject, Table};
use super::parameters::Parameters;
use model::buffer::BufferPages;
use model::units::{GIB, KIB, format_bytes};
use model::{Configuration, IoMode, Schema};

/// An operation addresses its frame with 32 bits.
const POOL_BYTES_MAX: u64 = 4 * GIB;
/// PostgreSQL's page size, unless it was built with another one.
const POSTGRES_PAGE_BYTES: u32 = 8 * KIB as u32;
/// The minimum of `temp_buffers` and of `shared_buffers` in PostgreSQL, in pages (`guc_tables.c`).
const TEMP_BUFFERS_MIN: u64 = 100;
const SHARED_BUFFERS_MIN: u64 = 16;

/// The pool workload's line in the list of workloads.
pub const SCHEMA: Schema = Schema {
    definitions: DEFINITIONS,
    summary: "a buffer pool: a table filled, written back, displaced, and read twice",
    metrics: &[
        "page_write_latency",
        "page_read_latency",
        "page_hit_latency",
        "page_write_us",
        "page_read_us",
        "page_write_read_ratio",
        "page_write_read_ratio_p50",
        "fill_us",
        "first_read_us",
        "second_read_us",
        "second_read_hit_share",
        "second_read_evictions",
        "pass_cached_share_before",
        "pool_frames",
        "map_pages",
        "page_change_us",
        "page_change_write_us",
        "wal_bytes_per_page",
        "full_page_images_per_page",
        "instrument_overhead_ns",
    ],
    check,
    describe,
};

fn check(configuration: &Configuration) -> Result<(), String> {
    let p = Parameters::read(configuration).map_err(|error| error.to_string())?;
    if !p.page_size.is_power_of_two() {
        return Err(format!(
            "page_size = {} is not a power of two: set 4KiB, 8KiB, 16KiB, 32KiB or 64KiB",
            format_bytes(u64::from(p.page_size))
        ));
    }
    if p.pool_bytes() > POOL_BYTES_MAX {
        return Err(format!(
            "blocks × headroom × page_size needs {} of frames, at most {}: lower blocks",
            format_bytes(p.pool_bytes()),
            format_bytes(POOL_BYTES_MAX)
        ));
    }
    if p.frames() <= 4 * (u64::from(p.read_ahead) + 1) {
        return Err(format!(
            "read_ahead = {} needs a pool of more than four times as many frames, and blocks × headroom gives {}: \
             lower read_ahead or take more blocks",
            p.read_ahead,
            p.frames()
        ));
    }
    if p.reads > p.blocks {
        return Err(format!(
            "reads = {} is more than the table's blocks = {}: lower reads",
            p.reads, p.blocks
        ));
    }
    match p.subject {
        Subject::Ours => check_ours(&p),
        Subject::Postgres => check_postgres(&p),
    }
}

fn check_ours(p: &Parameters) -> Result<(), String> {
    match p.table {
        Table::Temporary => Ok(()),
        Table::Unlogged | Table::Permanent => {
            Err("Syncline's pool has no write-ahead log: set table = temporary, or subject = postgres"
                .to_owned())
        }
    }
}

fn check_postgres(p: &Parameters) -> Result<(), String> {
    if p.policy != "clock_sweep" {
        return Err(format!("PostgreSQL has no policy = {}: set policy = clock_sweep", p.policy));
    }
    if p.page_size != POSTGRES_PAGE_BYTES {
        return Err(format!(
            "PostgreSQL's pages have {}: set page_size = 8KiB",
            format_bytes(u64::from(POSTGRES_PAGE_BYTES))
        ));
    }
    if p.buffer_pages == BufferPages::Huge {
        return Err(
            "PostgreSQL allocates its own buffers, by its setting huge_pages: set buffer_pages = small, or subject = \
             ours"
                .to_owned(),
        );
    }
    if p.mode == IoMode::DontCache {
        return Err("PostgreSQL has no mode = dontcache: set mode = buffered or direct".to_owned());
    }
    let (setting, pages_min) = match p.table {
        Table::Temporary => ("temp_buffers", TEMP_BUFFERS_MIN),
        Table::Unlogged | Table::Permanent => ("shared_buffers", SHARED_BUFFERS_MIN),
    };
    if p.frames() < pages_min {
        return Err(format!(
            "PostgreSQL has {setting} of at least {pages_min} pages, and blocks × headroom gives {}: take more blocks \
             or headroom",
            p.frames()
        ));
    }
    if p.read_ahead > 0 || p.maps == Maps::None {
        return Err("PostgreSQL decides itself how far it reads ahead and that it keeps maps: leave read_ahead and maps \
                    at their defaults"
            .to_owned());
    }
    Ok(())
}
