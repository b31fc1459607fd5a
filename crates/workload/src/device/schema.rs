//! The device workload's line in the list of workloads, and the combinations of levels that make no sense.

use super::definitions::DEFINITIONS;
use super::describe::describe;
use super::kinds::Kind;
use super::levels::{Beside, Distribution};
use super::parameters::Parameters;
use super::written::Written;
use crate::IoEngine;
use model::units::{GIB, KIB, MIB, format_bytes};
use model::{Configuration, IoMode, Nanos, Schema};

/// The device workload's line in the list of workloads.
pub const SCHEMA: Schema = Schema {
    definitions: DEFINITIONS,
    summary: "reads, writes and trims of one file, as a fio job does",
    metrics: &[
        "iops",
        "read_iops",
        "write_iops",
        "trim_iops",
        "syncs_per_s",
        "bytes_per_operation",
        "bandwidth_bytes_per_s",
        "completion_latency",
        "read_latency",
        "write_latency",
        "sync_latency",
        "sync_file_range_latency",
        "trim_latency",
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
    describe,
};

fn check(configuration: &Configuration) -> Result<(), String> {
    let p = Parameters::read(configuration).map_err(|error| error.to_string())?;
    p.steady_ramp.check()?;
    check_jobs(&p)?;
    check_beside(&p)?;
    check_teams(&p)
}

/// Whether these jobs make sense by themselves.
fn check_jobs(p: &Parameters) -> Result<(), String> {
    check_depth(p)?;
    check_size(p)?;
    check_holes(p)?;
    check_verification(p)?;
    check_trims(p)?;
    check_atomic(p)?;
    if p.number_ios == 0 && p.runtime.0 == 0 {
        return Err("the trial does not end: set runtime or number_ios".to_owned());
    }
    if p.rate_iops == Some(0) {
        return Err("rate_iops = 0 issues no operation: set a rate, or none for a closed loop".to_owned());
    }
    if p.rate_period == Nanos::ZERO {
        return Err("rate_period = 0s leaves no time for operations to arrive: set 1s".to_owned());
    }
    if p.rate_iops.is_some() && p.thinktime > Nanos::ZERO {
        return Err(
            "an open loop does not wait for its job: set rate_iops = none or thinktime = 0s".to_owned()
        );
    }
    if p.sync_file_range.is_some() && p.fdatasync > 0 {
        return Err("a job syncs in one way between its writes: set fdatasync = 0 or sync_file_range = none"
            .to_owned());
    }
    match p.random_distribution {
        Distribution::Zipf if (p.zipf_theta - 1.0).abs() < 1e-9 => {
            Err("zipf_theta = 1 is not defined, as in fio: set 0.99 or 1.01".to_owned())
        }
        Distribution::Zipf | Distribution::Zoned | Distribution::InZones if !p.rw.is_random() => Err(format!(
            "random_distribution = {} has no effect on sequential access: rw is {}, set rw = rand{}",
            p.random_distribution, p.rw, p.rw
        )),
        Distribution::Zoned if p.zones.is_empty() => {
            Err("random_distribution = zoned needs zones: set zones = 50/5:30/15:20/80, for example"
                .to_owned())
        }
        Distribution::Once if !p.bssplit.is_empty() || p.sizes_differ() => Err(
            "random_distribution = once takes blocks of one size: set bssplit = none or random_distribution = uniform"
                .to_owned(),
        ),
        Distribution::InZones => check_zones(p),
        Distribution::Zipf | Distribution::Zoned | Distribution::Once | Distribution::Uniform => Ok(()),
    }
}

fn check_holes(p: &Parameters) -> Result<(), String> {
    let bs = u64::from(p.bs);
    if p.rw.is_random() || p.hole == 0 {
        return Ok(());
    }
    let is_whole = |bytes: u64| bytes.is_multiple_of(bs);
    let slice = if p.whole_file { p.size } else { p.size / u64::from(p.numjobs) };
    let run = p.hole_every.max(bs);
    if run.saturating_add(p.hole) >= slice {
        return Err(format!(
            "hole = {} after {} leaves one run of blocks in a job's {}, which it would access again and again: take a \
             larger size",
            format_bytes(p.hole),
            format_bytes(run),
            format_bytes(slice)
        ));
    }
    if is_whole(p.hole) && is_whole(p.hole_every) {
        return Ok(());
    }
    Err(format!(
        "hole = {} and hole_every = {} have to be multiples of bs = {}",
        format_bytes(p.hole),
        format_bytes(p.hole_every),
        format_bytes(bs)
    ))
}

fn check_zones(p: &Parameters) -> Result<(), String> {
    let (jobs, zone) = (u64::from(p.numjobs), format_bytes(p.zone_size));
    if !p.zone_size.is_multiple_of(u64::from(p.bs)) || p.zone_size < u64::from(p.bs_max()) {
        return Err(format!(
            "zone_size = {zone} is not a multiple of bs that holds an operation: take a larger multiple of {}",
            format_bytes(u64::from(p.bs))
        ));
    }
    if p.size / p.zone_size < jobs {
        return Err(format!(
            "size = {} has fewer zones of {zone} than numjobs = {jobs}, and each job needs one: take a size of at least {}",
            format_bytes(p.size),
            format_bytes(jobs.saturating_mul(p.zone_size))
        ));
    }
    if p.open_zones.is_multiple_of(jobs) {
        return Ok(());
    }
    Err(format!(
        "open_zones = {} is not a multiple of numjobs = {jobs}, which share them equally: set {}",
        p.open_zones,
        p.open_zones.next_multiple_of(jobs)
    ))
}

fn check_atomic(p: &Parameters) -> Result<(), String> {
    if !p.atomic || !p.rw.writes() {
        return Ok(());
    }
    if p.mode != IoMode::Direct {
        return Err(format!(
            "atomic writes bypass the page cache, but mode is {}: set mode = direct",
            p.mode
        ));
    }
    if !p.bs.is_power_of_two() || !p.bssplit.is_empty() || p.sizes_differ() {
        return Err(
            "the kernel takes atomic writes whose size is a power of two: set bs = 4KiB and bssplit = none"
                .to_owned(),
        );
    }
    Ok(())
}

fn check_verification(p: &Parameters) -> Result<(), String> {
    if !p.verifies() {
        return Ok(());
    }
    if p.rw.trims() {
        return Err(format!(
            "verify compares what was written last, and rw = {} makes holes of it: set verify = false or another rw",
            p.rw
        ));
    }
    if !p.bssplit.is_empty() || p.sizes_differ() || !p.bs.is_multiple_of(8) {
        return Err(
            "verify compares blocks of one size, a multiple of 8 bytes: set bssplit = none".to_owned()
        );
    }
    let needed = Written::memory_bytes(p).saturating_mul(u64::from(p.numjobs));
    if needed > GIB {
        return Err(format!(
            "verify keeps the last write of each block, which needs {} of memory, at most 1GiB: lower size or numjobs, or \
             take a larger bs",
            format_bytes(needed)
        ));
    }
    Ok(())
}

/// The smallest block that file systems free is assumed to be at most this large.
const TRIM_STEP_BYTES: u64 = 4 * KIB;

fn check_trims(p: &Parameters) -> Result<(), String> {
    let sizes = p.bssplit.iter().map(|size| size.bytes);
    let is_whole = |bytes: u64| bytes.is_multiple_of(TRIM_STEP_BYTES);
    if !p.rw.trims() {
        return Ok(());
    }
    if !p.rw.writes() && (p.ramp_time > Nanos::ZERO || p.steady_ramp.chosen().is_some()) {
        return Err(format!(
            "rw = {} would trim the file before it is measured: set ramp_time = 0s and no steady ramp",
            p.rw
        ));
    }
    if sizes.chain([u64::from(p.bs)]).all(is_whole) {
        return Ok(());
    }
    Err(format!(
        "rw = {} frees whole blocks of the file system: take a bs and sizes of bssplit that are multiples of {}",
        p.rw,
        format_bytes(TRIM_STEP_BYTES)
    ))
}

fn check_beside(p: &Parameters) -> Result<(), String> {
    let Some(readers) = p.readers() else { return Ok(()) };
    if p.rw.reads() || p.rw.trims() {
        return Err(format!(
            "beside = {} reads beside jobs that write, but rw is {}: set rw = write or rw = randwrite",
            readers.rw.name(),
            p.rw.name()
        ));
    }
    if p.number_ios > 0 || p.end_fsync {
        return Err("beside needs jobs that end together: set runtime, number_ios = 0 and end_fsync = false"
            .to_owned());
    }
    if readers.rate_iops == Some(0) {
        return Err(
            "beside_rate_iops = 0 issues no operation: set a rate, or none for a closed loop".to_owned()
        );
    }
    let of_readers = |why: String| format!("of the jobs beside: {why}");
    check_depth(&readers).and_then(|()| check_size(&readers)).map_err(of_readers)
}

fn check_teams(p: &Parameters) -> Result<(), String> {
    let others = p.others()?;
    if others.is_empty() {
        return Ok(());
    }
    if p.beside != Beside::None || p.end_fsync || p.sync_file_range.is_some() {
        return Err("jobs of several kinds need beside = none, end_fsync = false and sync_file_range = none"
            .to_owned());
    }
    let mut of_first_file =
        p.kinds().into_iter().filter(|kind| kind.file == 0 && kind.parameters.rw.changes());
    if of_first_file.any(|kind| !kind.parameters.verify)
        && p.kinds().iter().any(|kind| kind.file == 0 && kind.parameters.verifies())
    {
        return Err(
            "all kinds of jobs that write or trim a file verify it, or none: set verify for each".to_owned()
        );
    }
    let of_kind = |place: usize, why: String| format!("of the jobs of group {} of teams: {why}", place + 2);
    for (place, Kind { parameters: kind, .. }) in others.iter().enumerate() {
        check_jobs(kind).map_err(|why| of_kind(place, why))?;
        if (kind.number_ios == 0) != (p.number_ios == 0) {
            return Err(of_kind(place, "either all kinds have number_ios, or none".to_owned()));
        }
    }
    Ok(())
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
    let bs = u64::from(p.bs_max().max(p.bs));
    if p.bssplit.iter().chain(p.written_sizes().iter()).any(|size| !(512..=64 * MIB).contains(&size.bytes)) {
        return Err("bssplit takes sizes from 512B to 64MiB".to_owned());
    }
    let what = if p.bssplit.is_empty() && !p.sizes_differ() {
        format!("bs = {}", format_bytes(bs))
    } else {
        format!("{}, the largest size of bssplit or bs", format_bytes(bs))
    };
    if p.size < bs {
        return Err(format!("size = {} is smaller than {what}: take a larger size", format_bytes(p.size)));
    }
    // Slices differ by a block at most.
    if !p.rw.is_random() && !p.whole_file && p.blocks() / u64::from(p.numjobs) < bs.div_ceil(u64::from(p.bs))
    {
        return Err(format!(
            "rw = {} gives each of {} jobs a slice of its own, which has to hold {what}: size = {} is too small",
            p.rw.name(),
            p.numjobs,
            format_bytes(p.size)
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
