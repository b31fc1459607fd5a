//! The commit workload's parameters, their meaning and the combinations that make no sense.

use super::describe::describe;
use super::parameters::{GroupWrite, Pacing, Parameters, Sync};
use crate::{IoEngine, steady_ramp};
use model::buffer::{BUFFER_PAGES, BufferPages};
use model::parameter::{Kind, Parameter, Schema};
use model::units::{GIB, KIB, MIB, format_bytes};
use model::{Cache, Configuration, IoMode};

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
        "how a group becomes durable; dsync is RWF_DSYNC on the one coalesced write",
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

/// The commit workload's line in the list of workloads.
pub const SCHEMA: Schema = Schema {
    workload: "commit",
    summary: "WAL group commit beside concurrent random page reads",
    parameters: PARAMETERS,
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
    placement: &["wal_layout", "filesystem"],
    sizes: &["data_size", "wal_size"],
    describe,
};

fn check(configuration: &Configuration) -> Result<(), String> {
    let p = Parameters::read(configuration).map_err(|error| error.to_string())?;
    let is = |name: &str, level: &str| configuration.is(name, level);
    if let Some(ramp) = p.steady_ramp {
        ramp.check()?;
        if !p.layout.is_reusable() {
            return Err(format!(
                "steady_time_max fills an {} log before it is measured: set wal_layout = prefilled",
                p.layout
            ));
        }
    }
    if is("ioengine", "psync") && p.read_depth > 0 {
        return Err(format!(
            "ioengine = psync has one operation in flight, but read_depth is {}: set read_depth = 0",
            p.read_depth
        ));
    }
    if is("sync", "dsync") && !p.coalesced && p.group_size > 1 {
        return Err(
            "sync = dsync makes every write durable by itself: set group_write = coalesced".to_owned()
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
    if !p.layout.is_reusable() && p.groups > 0 && p.groups * p.group_bytes() > p.wal_size {
        return Err(format!(
            "{} groups of {} need wal_size = {} with an {} log, which cannot wrap",
            p.groups,
            format_bytes(p.group_bytes()),
            format_bytes(p.groups * p.group_bytes()),
            p.layout.name()
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
