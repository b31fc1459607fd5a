//! The pool workload's parameters, their meaning and the combinations that make no sense.

use super::POLICIES;
use super::describe::describe;
use super::levels::{Access, Maps, Subject, Table};
use super::parameters::Parameters;
use crate::IoEngine;
use model::buffer::{BUFFER_PAGES, BufferPages};
use model::parameter::{Kind, Parameter, Schema};
use model::units::{GIB, KIB, format_bytes};
use model::{Cache, Configuration, IoMode};

const fn parameter(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Parameter {
    Parameter { name, kind, default, help }
}

/// An operation addresses its frame with 32 bits.
const POOL_BYTES_MAX: u64 = 4 * GIB;
/// PostgreSQL's page size, unless it was built with another one.
const POSTGRES_PAGE_BYTES: u32 = 8 * KIB as u32;
/// The minimum of `temp_buffers` and of `shared_buffers` in PostgreSQL, in pages (`guc_tables.c`).
const TEMP_BUFFERS_MIN: u64 = 100;
const SHARED_BUFFERS_MIN: u64 = 16;

const PARAMETERS: &[Parameter] = &[
    parameter(
        "subject",
        Kind::Choice(Subject::NAMES),
        "ours",
        "the buffer pool: Syncline's own, or a PostgreSQL server's, measured by SQL",
    ),
    parameter("blocks", Kind::Count { min: 16, max: 1 << 20 }, "2048", "pages of the table"),
    parameter(
        "headroom",
        Kind::Number { min: 0.1, max: 10.0 },
        "1.1",
        "frames of the pool ÷ pages of the table; for PostgreSQL the frames are temp_buffers or shared_buffers",
    ),
    parameter(
        "access",
        Kind::Choice(Access::NAMES),
        "sequential",
        "the order in which the table's pages are read and written back",
    ),
    parameter(
        "policy",
        Kind::Choice(POLICIES),
        "clock_sweep",
        "replacement policy of the pool; PostgreSQL has clock_sweep",
    ),
    parameter(
        "page_size",
        Kind::Bytes { min: 4 * KIB, max: 64 * KIB },
        "8KiB",
        "bytes of a page, a power of two",
    ),
    parameter(
        "mode",
        Kind::Choice(IoMode::SYSTEM_CALL_NAMES),
        "buffered",
        "I/O mode below the pool; for PostgreSQL, direct sets debug_io_direct = data",
    ),
    parameter(
        "ioengine",
        Kind::Choice(IoEngine::NAMES),
        "psync",
        "how Syncline's pool reads and writes; no effect with subject = postgres",
    ),
    parameter(
        "registered",
        Kind::Flag,
        "false",
        "register files and buffers with the ring, which saves the kernel work; few databases do. No effect without \
         ioengine = uring",
    ),
    parameter(
        BUFFER_PAGES,
        Kind::Choice(BufferPages::NAMES),
        "small",
        "pages of memory behind the frames of Syncline's pool: the kernel's base size (4KiB), or huge pages; \
         verified. PostgreSQL sets its own (huge_pages)",
    ),
    parameter(
        "read_ahead",
        Kind::Count { min: 0, max: 255 },
        "0",
        "pages that Syncline's pool reads ahead of a pass; no effect with subject = postgres",
    ),
    parameter(
        "maps",
        Kind::Choice(Maps::NAMES),
        "postgres",
        "pages that a pass needs besides the table's: as many as PostgreSQL's free-space and visibility maps, or \
         none",
    ),
    parameter(
        "cache",
        Kind::Choice(Cache::PROVEN_NAMES),
        "cold",
        "the file's pages in the kernel's cache before the first pass: none or all; verified",
    ),
    parameter(
        "cached_percentage",
        Kind::Count { min: 0, max: 100 },
        "100",
        "percent of the table's pages that cache = warm loads into the kernel's cache; below 100 they are scattered \
         pseudo-randomly; no effect if cache is not warm",
    ),
    parameter(
        "reads",
        Kind::Count { min: 0, max: 1 << 20 },
        "0",
        "pages of the table that each pass reads: the first ones, or random ones with access = random; 0 = all",
    ),
    parameter(
        "table",
        Kind::Choice(Table::NAMES),
        "temporary",
        "durability of the table in PostgreSQL: temporary ones use temp_buffers, the others shared_buffers, and only \
         permanent ones write-ahead log",
    ),
];

/// The pool workload's line in the list of workloads.
pub const SCHEMA: Schema = Schema {
    workload: "pool",
    summary: "a buffer pool: a table filled, written back, displaced, and read twice",
    parameters: PARAMETERS,
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
    placement: &["filesystem"],
    sizes: &["blocks"],
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
            "read_ahead = {} needs a pool of more than four times as many frames, and blocks × headroom gives {}: lower \
             read_ahead or take more blocks",
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
            "PostgreSQL has {setting} of at least {pages_min} pages, and blocks × headroom gives {}: take more blocks or headroom",
            p.frames()
        ));
    }
    if p.read_ahead > 0 || !p.maps {
        return Err("PostgreSQL decides itself how far it reads ahead and that it keeps maps: leave read_ahead and maps \
                    at their defaults"
            .to_owned());
    }
    Ok(())
}
