//! The append workload's parameters and their meaning.

use super::levels::{ENGINES, FILE};
use crate::kv::keys::{KEY_BYTES_MIN, Order};
use crate::kv::values::Content;
use crate::{IoEngine, io_engine};
use model::buffer::{BUFFER_PAGES, BufferPages};
use model::kv::KEY_BYTES_MAX;
use model::parameter::{Kind, Parameter};
use model::units::{GIB, KIB, MIB};
use model::{Configuration, Definitions, Layout, Nanos, WithoutEffect};

const fn parameter(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Parameter {
    Parameter { name, kind, default, help }
}

/// The parameter to lower when the disk is full.
pub const SIZE_PARAMETER: &str = "entries";

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
    parameter(
        "key_order",
        Kind::Choice(Order::NAMES),
        "sequential",
        "order of the keys; no effect if engine is file",
    ),
    parameter(
        SIZE_PARAMETER,
        Kind::Count { min: 0, max: 1_000_000_000_000 },
        "100000",
        "entries of all threads together; 0 = until runtime; no effect if entries of a file are synced one by one and \
         runtime ends them first",
    ),
    parameter("runtime", Kind::Duration, "0s", "length of the measurement; 0s = until entries"),
    parameter(
        "threads",
        Kind::Count { min: 1, max: 256 },
        "1",
        "threads that write to an engine; a file has one",
    ),
];

/// No device acknowledges more entries in a second if each waits for a sync.
const SYNCED_ENTRIES_PER_S_MAX: f64 = 150_000.0;

const WITHOUT_EFFECT: &[WithoutEffect] = &[
    WithoutEffect {
        parameters: &["ioengine", "registered", BUFFER_PAGES, "layout"],
        holds: |values| !is_file(values),
        because: "engine is not file",
    },
    io_engine::REGISTERED_WITHOUT_EFFECT,
    // The payload is filled before the measurement, whatever the order of its keys.
    WithoutEffect { parameters: &["key_order"], holds: is_file, because: "a file keeps no keys" },
    WithoutEffect {
        parameters: &[SIZE_PARAMETER],
        holds: ends_before_its_entries,
        because: "every entry waits for a sync, so that runtime ends it first",
    },
];

fn is_file(values: &Configuration) -> bool {
    values.is("engine", FILE)
}

fn ends_before_its_entries(values: &Configuration) -> bool {
    let syncs_each = ["fdatasync", "o_dsync", "o_sync"].iter().any(|level| values.is("durability", level))
        && values.count("sync_every") == Ok(1)
        && values.bytes("buffer_size") == Ok(0);
    let runtime_s = values.duration("runtime").map_or(0.0, Nanos::seconds);
    let entries = values.count(SIZE_PARAMETER).unwrap_or(0) as f64;
    is_file(values) && syncs_each && runtime_s > 0.0 && entries > runtime_s * SYNCED_ENTRIES_PER_S_MAX
}

/// Every parameter of the append workload.
pub(super) const DEFINITIONS: Definitions = Definitions {
    workload: "append",
    parameters: PARAMETERS,
    placement: &["layout", "filesystem"],
    sizes: &[SIZE_PARAMETER],
    without_effect: WITHOUT_EFFECT,
};
