//! The kv workload's parameters and their meaning.

use super::ENGINES;
use super::keys::KEY_BYTES_MIN;
use super::values::Content;
use model::kv::KEY_BYTES_MAX;
use model::parameter::{Kind, Parameter};
use model::units::{GIB, MIB};
use model::{Definitions, IoMode};

const fn parameter(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Parameter {
    Parameter { name, kind, default, help }
}

/// The parameter to lower when the disk is full.
pub const SIZE_PARAMETER: &str = "keys";

const PARAMETERS: &[Parameter] = &[
    parameter("engine", Kind::Choice(ENGINES), "fjall", "the key-value engine"),
    parameter(
        "durability",
        Kind::Name,
        "default",
        "durability of a put: one of the engine's own levels, or a class (process, power), which is its cheapest level of that \
         class",
    ),
    parameter(
        "io",
        Kind::Choice(&[IoMode::Buffered.name(), IoMode::Direct.name()]),
        "buffered",
        "I/O through the page cache or direct, if the engine has the choice",
    ),
    parameter(
        SIZE_PARAMETER,
        Kind::Count { min: 1, max: 1_000_000_000_000 },
        "500000",
        "keys that are loaded, in random order",
    ),
    parameter(
        "key_size",
        Kind::Count { min: KEY_BYTES_MIN as u64, max: KEY_BYTES_MAX as u64 },
        "24",
        "bytes of a key, all random",
    ),
    parameter("value_size", Kind::Bytes { min: 0, max: MIB }, "100B", "bytes of a value"),
    parameter(
        "values",
        Kind::Choice(Content::NAMES),
        "random",
        "content of the values; an engine or a device that compresses is faster with constant ones",
    ),
    parameter(
        "threads",
        Kind::Count { min: 1, max: 256 },
        "1",
        "threads that share the engine, in every phase",
    ),
    parameter(
        "iodepth",
        Kind::Count { min: 1, max: 1024 },
        "1",
        "gets of one key that a thread hands to the engine at once, which keeps up to that number of reads in flight; more \
         than 1 needs an engine that can (store)",
    ),
    parameter(
        "cache_size",
        Kind::Bytes { min: 0, max: 1024 * GIB },
        "0B",
        "the engine's own cache; 0B = its default",
    ),
    parameter(
        "write_buffer_size",
        Kind::Bytes { min: 0, max: 1024 * GIB },
        "0B",
        "the engine's write buffer (memtable); 0B = its default",
    ),
    parameter(
        "settings",
        Kind::Settings,
        "none",
        "the engine's own settings by its names for them: options of RocksDB, pragmas of SQLite",
    ),
    parameter(
        "reads",
        Kind::Count { min: 0, max: 1_000_000_000_000 },
        "0",
        "operations of each phase after the load, over all threads; 0 = until phase_runtime",
    ),
    parameter("phase_runtime", Kind::Duration, "2s", "length of each phase after the load; 0s = until reads"),
    parameter("scan_length", Kind::Count { min: 1, max: 1_000_000 }, "10", "entries that a scan reads"),
    parameter(
        "rate_ops",
        Kind::OptionalCount { max: 100_000_000 },
        "none",
        "arrivals per second of each thread after the load, Poisson: an open loop, whose latencies count from the \
         intended start",
    ),
];

/// Every parameter of the kv workload.
pub(super) const DEFINITIONS: Definitions = Definitions {
    workload: "kv",
    parameters: PARAMETERS,
    placement: &["filesystem"],
    sizes: &[SIZE_PARAMETER],
    without_effect: &[],
};
