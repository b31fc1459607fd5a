//! The commit workload's parameters and their meaning.

use super::levels::{GroupWrite, Pacing, Sync};
use crate::{IoEngine, io_engine, steady_ramp};
use model::buffer::{BUFFER_PAGES, BufferPages};
use model::parameter::{Kind, Parameter};
use model::units::{GIB, KIB, MIB};
use model::{Cache, Definitions, IoMode, WithoutEffect};

/// The level of `data_mode` and `wal_mode` that takes the level of `mode`.
pub(super) const SAME: &str = "same";
const MODES_OR_SAME: &[&str] =
    &[SAME, IoMode::Buffered.name(), IoMode::Direct.name(), IoMode::DontCache.name()];

const fn parameter(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Parameter {
    Parameter { name, kind, default, help }
}

const PARAMETERS: &[Parameter] = &[
    parameter(
        "mode",
        Kind::Choice(IoMode::SYSTEM_CALL_NAMES),
        "buffered",
        "I/O mode of page reads and of the log",
    ),
    parameter("data_mode", Kind::Choice(MODES_OR_SAME), "same", "I/O mode of page reads alone; same = mode"),
    parameter("wal_mode", Kind::Choice(MODES_OR_SAME), "same", "I/O mode of the log alone; same = mode"),
    parameter(
        "sync",
        Kind::Choice(Sync::NAMES),
        "fdatasync",
        "how a group becomes durable; dsync is RWF_DSYNC on every write, which waits by itself",
    ),
    parameter(
        "group_write",
        Kind::Choice(GroupWrite::NAMES),
        "each",
        "one write per record, or one per group",
    ),
    parameter(
        "wal_layout",
        Kind::Choice(model::Layout::NAMES),
        "prefilled",
        "the log's blocks at the start: none, unwritten extents, or written; only a prefilled log wraps around",
    ),
    parameter(
        "ioengine",
        Kind::Choice(IoEngine::NAMES),
        "uring",
        "io_uring, or pwrite and fdatasync (needs read_depth = 0)",
    ),
    parameter(
        "registered",
        Kind::Flag,
        "false",
        "register files and buffers with the ring, which saves the kernel work; few databases do. No effect without \
         ioengine = uring",
    ),
    parameter(
        "committers",
        Kind::Count { min: 1, max: 64 },
        "1",
        "independent committers, each a thread with its own log and reads",
    ),
    parameter(
        "cache",
        Kind::Choice(Cache::PROVEN_NAMES),
        "cold",
        "the data file's pages before the measurement: none cached, or all cached; verified",
    ),
    parameter(
        "pacing",
        Kind::Choice(Pacing::NAMES),
        "exact",
        "exact keeps reads_per_commit; trigger lets reads continue during the sync, as page 000 did",
    ),
    parameter("group_size", Kind::Count { min: 1, max: 256 }, "1", "records in a group"),
    parameter("record_size", Kind::Bytes { min: 512, max: MIB }, "512B", "bytes in a record"),
    parameter(
        "reads_per_commit",
        Kind::Count { min: 1, max: 1000 },
        "4",
        "page reads for each commit; no effect if read_depth is 0",
    ),
    parameter(
        "read_depth",
        Kind::Count { min: 0, max: 4096 },
        "32",
        "page reads in flight (fio's iodepth); 0 = the log alone",
    ),
    parameter(
        "groups",
        Kind::Count { min: 0, max: 1_000_000_000 },
        "0",
        "commits of each committer; 0 = until runtime",
    ),
    parameter("runtime", Kind::Duration, "2s", "length of the measurement; 0s = until groups"),
    parameter(
        "data_size",
        Kind::Bytes { min: MIB, max: 64 * 1024 * GIB },
        "1GiB",
        "bytes of the file that pages are read from",
    ),
    parameter(
        "wal_size",
        Kind::Bytes { min: 64 * KIB, max: 1024 * GIB },
        "256MiB",
        "bytes of each committer's log; an append or fallocated log ends the trial when it is full",
    ),
    parameter("page_size", Kind::Bytes { min: 512, max: MIB }, "4KiB", "bytes of one page read"),
    parameter(
        BUFFER_PAGES,
        Kind::Choice(BufferPages::NAMES),
        "small",
        "pages of the buffers: the kernel's base size (4KiB), as databases use by default, or huge pages; verified",
    ),
    steady_ramp::TIME_MAX,
    steady_ramp::INTERVAL,
];

const WITHOUT_EFFECT: &[WithoutEffect] = &[
    WithoutEffect {
        parameters: &["reads_per_commit", "pacing", "page_size", "data_size", "data_mode"],
        holds: |values| values.count("read_depth") == Ok(0),
        because: "read_depth is 0",
    },
    io_engine::REGISTERED_WITHOUT_EFFECT,
    steady_ramp::INTERVAL_WITHOUT_EFFECT,
];

/// Every parameter of the commit workload.
pub(super) const DEFINITIONS: Definitions = Definitions {
    workload: "commit",
    parameters: PARAMETERS,
    placement: &["wal_layout", "filesystem"],
    sizes: &["data_size", "wal_size"],
    without_effect: WITHOUT_EFFECT,
};
