//! The device workload's parameters and their meaning.

use super::levels::{Advice, BesideName, DataName, DistributionName, Pattern, RangeSyncName};
use crate::{IoEngine, io_engine, steady_ramp};
use model::buffer::{BUFFER_PAGES, BufferPages};
use model::parameter::{Kind, Parameter};
use model::units::{GIB, MIB};
use model::{Cache, Definitions, IoMode, Nanos, WithoutEffect};

const fn parameter(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Parameter {
    Parameter { name, kind, default, help }
}

const PARAMETERS: &[Parameter] = &[
    parameter(
        "rw",
        Kind::Choice(Pattern::NAMES),
        "randread",
        "access pattern, sequential or random; rw and randrw mix reads and writes",
    ),
    parameter(
        "rwmixread",
        Kind::Count { min: 0, max: 100 },
        "50",
        "percent of reads in a mix; no effect if rw is not rw or randrw",
    ),
    parameter("bs", Kind::Bytes { min: 512, max: 64 * MIB }, "4KiB", "bytes of one read or write"),
    parameter(
        "bssplit",
        Kind::Sizes,
        "none",
        "sizes that operations have at random, with the percentage of each; offsets are multiples of bs; none = all have bs",
    ),
    parameter(
        "iodepth",
        Kind::Count { min: 1, max: 4096 },
        "1",
        "operations in flight of each job; psync and mmap have one",
    ),
    parameter(
        "numjobs",
        Kind::Count { min: 1, max: 256 },
        "1",
        "jobs, each a thread with its own ring; sequential jobs have a slice of the file each, random jobs the whole \
         file",
    ),
    parameter(
        "ioengine",
        Kind::Choice(IoEngine::NAMES),
        "uring",
        "io_uring, or pread and pwrite; no effect with mode = mmap",
    ),
    parameter(
        "registered",
        Kind::Flag,
        "false",
        "register file and buffers with the ring (fio's registerfiles and fixedbufs), which saves the kernel work; \
         few databases do. No effect without ioengine = uring",
    ),
    parameter("mode", Kind::Choice(IoMode::NAMES), "buffered", "I/O mode"),
    parameter(
        BUFFER_PAGES,
        Kind::Choice(BufferPages::NAMES),
        "small",
        "pages of the buffers: the kernel's base size (4KiB), as databases use by default, or huge pages; verified",
    ),
    parameter("size", Kind::Bytes { min: 512, max: 64 * 1024 * GIB }, "1GiB", "bytes of the file"),
    parameter("runtime", Kind::Duration, "2s", "length of the measurement; 0s = until number_ios"),
    parameter(
        "number_ios",
        Kind::Count { min: 0, max: 1_000_000_000_000 },
        "0",
        "reads and writes of each job; 0 = until runtime",
    ),
    parameter(
        "fdatasync",
        Kind::Count { min: 0, max: 1_000_000_000 },
        "0",
        "fdatasync after this number of writes of a job, which first waits for its writes in flight; 0 = never; no \
         effect without writes",
    ),
    parameter(
        "sync_file_range",
        Kind::Choice(RangeSyncName::NAMES),
        "none",
        "sync_file_range of what a job wrote since its last one, which begins to write dirty pages, and may wait for them; \
         nothing is durable after it; no effect without writes",
    ),
    parameter(
        "sync_file_range_writes",
        Kind::Count { min: 1, max: 1_000_000_000 },
        "1",
        "writes of a job from one sync_file_range to the next; no effect with sync_file_range = none",
    ),
    parameter(
        "end_fsync",
        Kind::Flag,
        "false",
        "fsync at the end of a job, inside the measured time; no effect without writes",
    ),
    parameter(
        "advice",
        Kind::Choice(Advice::NAMES),
        "normal",
        "posix_fadvise of the file, with mode = mmap madvise",
    ),
    parameter(
        "random_distribution",
        Kind::Choice(DistributionName::NAMES),
        "uniform",
        "how often a random pattern accesses each block; once takes each block once before any a second time, zipf has hot \
         blocks, scattered over the file, and zoned hot zones",
    ),
    parameter(
        "zipf_theta",
        Kind::Number { min: 0.01, max: 10.0 },
        "1.2",
        "exponent of zipf, not 1; no effect with another random_distribution",
    ),
    parameter(
        "zones",
        Kind::Zones,
        "none",
        "zones of the file from its beginning: percent of the accesses, and percent of the file; no effect if \
         random_distribution is not zoned",
    ),
    parameter(
        "rate_iops",
        Kind::OptionalCount { max: 100_000_000 },
        "none",
        "arrivals per second of each job, Poisson: an open loop, whose latencies start when an operation is due",
    ),
    parameter(
        "thinktime",
        Kind::Duration,
        "0s",
        "pause of a job in which it has nothing in flight, as a program that works on what it has read; jobs beside have none",
    ),
    parameter(
        "thinktime_blocks",
        Kind::Count { min: 1, max: 1_000_000_000 },
        "1",
        "operations of a job from one pause to the next; no effect with thinktime = 0s",
    ),
    parameter(
        "beside",
        Kind::Choice(BesideName::NAMES),
        "none",
        "reads of other jobs at the same time, of the same file and with as long a runtime; rw is then write or randwrite",
    ),
    parameter(
        "beside_bs",
        Kind::Bytes { min: 512, max: 64 * MIB },
        "4KiB",
        "bytes of one read beside; no effect with beside = none",
    ),
    parameter(
        "beside_iodepth",
        Kind::Count { min: 1, max: 4096 },
        "1",
        "reads in flight of each job beside; no effect with beside = none",
    ),
    parameter(
        "beside_numjobs",
        Kind::Count { min: 1, max: 256 },
        "1",
        "jobs beside; no effect with beside = none",
    ),
    parameter(
        "beside_rate_iops",
        Kind::OptionalCount { max: 100_000_000 },
        "none",
        "arrivals per second of each job beside, as rate_iops; no effect with beside = none",
    ),
    parameter(
        "data",
        Kind::Choice(DataName::NAMES),
        "random",
        "content of the writes; a device that compresses or skips zeroes is faster with anything but random",
    ),
    parameter(
        "buffer_compress_percentage",
        Kind::Count { min: 0, max: 100 },
        "50",
        "percent of zeroes in each block; no effect if data is not compressible",
    ),
    parameter(
        "cache",
        Kind::Choice(Cache::NAMES),
        "cold",
        "the file's pages before the measurement: none cached, all cached, or the state after the previous trial; \
         verified",
    ),
    parameter(
        "cached_percentage",
        Kind::Count { min: 0, max: 100 },
        "100",
        "percent of the file's blocks of bs that cache = warm loads into the page cache; below 100 they are \
         scattered pseudo-randomly; no effect if cache is not warm",
    ),
    parameter("ramp_time", Kind::Duration, "0s", "time for which the workload runs before it is measured"),
    steady_ramp::TIME_MAX,
    steady_ramp::INTERVAL,
    parameter(
        "precondition_passes",
        Kind::Count { min: 0, max: 10 },
        "0",
        "times that the file is overwritten in order, directly and in 1MiB blocks (a shorter rest is left out), before the \
         measurement",
    ),
];

const WITHOUT_EFFECT: &[WithoutEffect] = &[
    WithoutEffect {
        parameters: &["rwmixread"],
        holds: |values| !values.is("rw", "rw") && !values.is("rw", "randrw"),
        because: "rw mixes nothing",
    },
    WithoutEffect {
        parameters: &["fdatasync", "sync_file_range", "sync_file_range_writes", "end_fsync"],
        holds: |values| values.is("rw", "read") || values.is("rw", "randread"),
        because: "rw writes nothing",
    },
    WithoutEffect {
        parameters: &["sync_file_range_writes"],
        holds: |values| values.is("sync_file_range", "none"),
        because: "sync_file_range is none",
    },
    WithoutEffect {
        parameters: &["ioengine", "registered"],
        holds: |values| values.is("mode", "mmap"),
        because: "mode is mmap",
    },
    io_engine::REGISTERED_WITHOUT_EFFECT,
    WithoutEffect {
        parameters: &["zipf_theta"],
        holds: |values| !values.is("random_distribution", "zipf"),
        because: "random_distribution is not zipf",
    },
    WithoutEffect {
        parameters: &["zones"],
        holds: |values| !values.is("random_distribution", "zoned"),
        because: "random_distribution is not zoned",
    },
    WithoutEffect {
        parameters: &["thinktime_blocks"],
        holds: |values| values.duration("thinktime") == Ok(Nanos::ZERO),
        because: "thinktime is 0s",
    },
    WithoutEffect {
        parameters: &["beside_bs", "beside_iodepth", "beside_numjobs", "beside_rate_iops"],
        holds: |values| values.is("beside", "none"),
        because: "beside is none",
    },
    WithoutEffect {
        parameters: &["buffer_compress_percentage"],
        holds: |values| !values.is("data", "compressible"),
        because: "data is not compressible",
    },
    WithoutEffect {
        parameters: &["cached_percentage"],
        holds: |values| !values.is("cache", "warm"),
        because: "cache is not warm",
    },
    steady_ramp::INTERVAL_WITHOUT_EFFECT,
];

/// Every parameter of the device workload.
pub(super) const DEFINITIONS: Definitions = Definitions {
    workload: "device",
    parameters: PARAMETERS,
    placement: &["filesystem"],
    sizes: &["size"],
    without_effect: WITHOUT_EFFECT,
};
