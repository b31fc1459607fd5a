//! The device workload's parameters, their meaning and the combinations that make no sense.

use super::describe::describe;
use super::levels::{Advice, DataName, Distribution, DistributionName, Pattern};
use super::parameters::Parameters;
use crate::{IoEngine, steady_ramp};
use model::buffer::{BUFFER_PAGES, BufferPages};
use model::parameter::{Kind, Parameter, Schema};
use model::units::{GIB, MIB, format_bytes};
use model::{Cache, Configuration, IoMode};

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
        "how often a random pattern accesses each block; zipf has hot blocks, scattered over the file",
    ),
    parameter(
        "zipf_theta",
        Kind::Number { min: 0.01, max: 10.0 },
        "1.2",
        "exponent of zipf, not 1; no effect with random_distribution = uniform",
    ),
    parameter(
        "rate_iops",
        Kind::OptionalCount { max: 100_000_000 },
        "none",
        "arrivals per second of each job, Poisson: an open loop, whose latencies start when an operation is due",
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

/// The device workload's line in the list of workloads.
pub const SCHEMA: Schema = Schema {
    workload: "device",
    summary: "reads and writes of one file, as a fio job does",
    parameters: PARAMETERS,
    metrics: &[
        "iops",
        "read_iops",
        "write_iops",
        "bandwidth_bytes_per_s",
        "completion_latency",
        "read_latency",
        "write_latency",
        "sync_latency",
        "page_cache_hit_share",
        "device_written_bytes_per_written_byte",
        "device_queue_depth_mean",
        "system_calls_per_operation",
        "minor_faults_per_operation",
        "major_faults_per_operation",
        "cpu_seconds_per_million_operations",
        "in_flight_mean",
        "instrument_overhead_ns",
    ],
    check,
    placement: &["filesystem"],
    sizes: &["size"],
    describe,
};

fn check(configuration: &Configuration) -> Result<(), String> {
    let p = Parameters::read(configuration).map_err(|error| error.to_string())?;
    p.steady_ramp.map_or(Ok(()), |ramp| ramp.check())?;
    check_depth(&p)?;
    check_size(&p)?;
    if p.number_ios == 0 && p.runtime.0 == 0 {
        return Err("the trial does not end: set runtime or number_ios".to_owned());
    }
    if p.rate_iops == Some(0) {
        return Err("rate_iops = 0 issues no operation: set a rate, or none for a closed loop".to_owned());
    }
    match p.distribution {
        Distribution::Zipf { theta } if (theta - 1.0).abs() < 1e-9 => {
            Err("zipf_theta = 1 is not defined, as in fio: set 0.99 or 1.01".to_owned())
        }
        Distribution::Zipf { .. } if !p.pattern.is_random() => Err(format!(
            "random_distribution = zipf has no effect on sequential access: rw is {}, set rw = rand{0}",
            p.pattern.name()
        )),
        Distribution::Zipf { .. } | Distribution::Uniform => Ok(()),
    }
}

fn check_depth(p: &Parameters) -> Result<(), String> {
    let blocking = match (p.mode, p.ioengine) {
        (IoMode::Mmap, _) => "mode = mmap",
        (_, IoEngine::Psync) => "ioengine = psync",
        (IoMode::Buffered | IoMode::Direct | IoMode::DontCache, IoEngine::Uring) => return Ok(()),
    };
    if p.iodepth > 1 {
        return Err(format!(
            "{blocking} has one operation in flight, but iodepth is {}: set iodepth = 1 and take more numjobs",
            p.iodepth
        ));
    }
    Ok(())
}

fn check_size(p: &Parameters) -> Result<(), String> {
    let bs = u64::from(p.bs);
    if p.size < bs {
        return Err(format!(
            "size = {} is smaller than bs = {}: take a larger size",
            format_bytes(p.size),
            format_bytes(bs)
        ));
    }
    if !p.pattern.is_random() && p.blocks() < u64::from(p.numjobs) {
        return Err(format!(
            "rw = {} gives each of {} jobs a slice of its own: size = {} is smaller than {} × bs = {}",
            p.pattern.name(),
            p.numjobs,
            format_bytes(p.size),
            p.numjobs,
            format_bytes(u64::from(p.numjobs) * bs)
        ));
    }
    // Writes share their payload, but the operations in flight still have to complete after the runtime.
    let needed = (p.arena_bytes() as u64).max(u64::from(p.iodepth) * bs);
    if needed > GIB / u64::from(p.numjobs) {
        return Err(format!(
            "iodepth × bs and the payload need {} in flight or in buffers in each of {} jobs, at most 1GiB in all: \
             lower iodepth, bs or numjobs",
            format_bytes(needed),
            p.numjobs
        ));
    }
    Ok(())
}
