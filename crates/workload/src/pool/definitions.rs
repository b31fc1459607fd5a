//! The pool workload's parameters and their meaning.

use super::POLICIES;
use super::levels::{Access, Maps, Subject, Table};
use crate::{IoEngine, io_engine};
use model::buffer::{BUFFER_PAGES, BufferPages};
use model::parameter::{Kind, Parameter};
use model::units::KIB;
use model::{Cache, Definitions, IoMode, WithoutEffect};

const fn parameter(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Parameter {
    Parameter { name, kind, default, help }
}

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

const WITHOUT_EFFECT: &[WithoutEffect] = &[
    WithoutEffect {
        parameters: &["ioengine", "registered", BUFFER_PAGES, "read_ahead"],
        holds: |values| values.is("subject", "postgres"),
        because: "PostgreSQL does its own I/O",
    },
    io_engine::REGISTERED_WITHOUT_EFFECT,
    WithoutEffect {
        parameters: &["cached_percentage"],
        holds: |values| !values.is("cache", "warm"),
        because: "cache is not warm",
    },
];

/// Every parameter of the pool workload.
pub(super) const DEFINITIONS: Definitions = Definitions {
    workload: "pool",
    parameters: PARAMETERS,
    placement: &["filesystem"],
    sizes: &["blocks"],
    without_effect: WITHOUT_EFFECT,
};
