//! A configuration of the workload `device` as a fio job file.
//!
//! Reading the file back with [`crate::job`] and [`crate::translate`] gives the configuration again, except what fio
//! has no option for, which is reported in comments with the way to do it: the memory cap, real-time scheduling,
//! preconditioning, the cooldown, a fresh file system. Parameters that have no effect in the configuration, such as
//! `rwmixread` if nothing is mixed, are left out.
//!
//! `mode = dontcache` is `uncached=1`. fio 3.33 takes it for a flag of a kernel that never was, 0x40, and fails every
//! operation: the comment above such a job says that it needs a newer fio.

mod comments;
mod plan;

use crate::quantity::{format_size, format_time};
use comments::comments;
use model::units::format_duration;
use model::{BufferPages, Cache, Configuration, IoMode, Nanos, RangeSync, SizeShare};
use plan::{Plan, section_name};
use std::fmt::Write;
use workload::device::{Advice, Data, Distribution, Order};

/// Writes a configuration of the workload `device` as the text of a job file with one section, called `name`, and a
/// second one for jobs beside. The error is one sentence: a level that the workload does not have, or a value that fio
/// cannot be given.
pub fn job_file(name: &str, configuration: &Configuration) -> Result<String, String> {
    let plan = Plan::read(name, configuration).map_err(|unknown| unknown.to_string())?;
    let own = section(&plan)?;
    let (head, options) = split_comments(&own);
    let name = section_name(name);
    let title = plan.own.kinds().into_iter().next().and_then(|own| own.name);
    let title = title.map_or_else(|| name.clone(), |own| section_name(&own));
    let mut text = format!("{head}[{title}]\nstonewall=1\n{options}");
    for (place, kind) in plan.own.kinds().into_iter().enumerate().skip(1) {
        let named = |end: &str| format!("syncline-{name}-{end}.data");
        let (own_file, default) = if plan.own.has_others() {
            (named(&format!("team-{}", kind.file)), format!("{name}-{}", place + 1))
        } else {
            (named("beside"), format!("{name}-beside"))
        };
        let file = if kind.file > 0 { own_file } else { plan.file.clone() };
        let beside = section(&Plan { own: kind.parameters, file, ..plan.clone() })?;
        let (_, options) = split_comments(&beside);
        let title = kind.name.map_or(default, |own| section_name(&own));
        // Writing to a string cannot fail.
        let _ = write!(text, "[{title}]\n{options}");
    }
    Ok(text)
}

/// The comments and the options of one section.
fn section(plan: &Plan) -> Result<String, String> {
    if plan.slice_bytes() == 0 {
        return Err(format!("size = {} leaves no block for each job", format_size(plan.own.size)));
    }
    if plan.own.rw.trims() && (plan.own.rw.writes() || plan.own.iodepth > 1) {
        return Err(
            "fio trims a regular file with ioengine=falloc, which writes no data and has one trim in flight"
                .to_owned(),
        );
    }
    let mut text = String::new();
    comments(plan, &mut text);
    let mut line = |option: &str, value: &dyn std::fmt::Display| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{option}={value}");
    };
    load(plan, &mut line)?;
    submission(plan, &mut line);
    extent(plan, &mut line)?;
    Ok(text)
}

type JobLine<'a> = dyn FnMut(&str, &dyn std::fmt::Display) + 'a;

fn split_comments(text: &str) -> (&str, &str) {
    let end: usize = text.split_inclusive('\n').take_while(|line| line.starts_with('#')).map(str::len).sum();
    text.split_at(end)
}

/// The pattern with the bytes that fio adds to the end of an operation to find the next one.
fn pattern(plan: &Plan) -> Result<String, String> {
    let own = &plan.own;
    if plan.random() || own.order == Order::Forward && (own.hole == 0 || own.hole_every > 0) {
        return Ok(own.rw.to_string());
    }
    if !own.bssplit.is_empty() || own.sizes_differ() || own.order == Order::Backward && own.hole_every > 0 {
        return Err("fio goes backward and leaves holes with blocks of one size and after each".to_owned());
    }
    match own.order {
        Order::Forward => Ok(format!("{}:{}", own.rw, format_size(own.hole))),
        Order::Backward => Ok(format!("{}:-{}", own.rw, format_size(own.hole + 2 * plan.block_bytes()))),
    }
}

fn load(plan: &Plan, line: &mut JobLine<'_>) -> Result<(), String> {
    let own = &plan.own;
    line("rw", &pattern(plan)?);
    if plan.mixed() {
        line("rwmixread", &own.rwmixread);
    }
    if plan.random() {
        line("norandommap", &u8::from(own.random_distribution != Distribution::Once));
        match own.random_distribution {
            Distribution::Uniform | Distribution::Once => line("random_distribution", &"random"),
            Distribution::Zipf => line("random_distribution", &format!("zipf:{}", own.zipf_theta)),
            Distribution::Zoned => line("random_distribution", &format!("zoned:{}", own.zones)),
            Distribution::InZones if own.rw.reads() || own.rw.trims() => {
                return Err(
                    "fio writes in zones, and only a zoned device takes reads and trims of them".to_owned()
                );
            }
            Distribution::InZones => {
                line("zonemode", &"zbd");
                line("zonesize", &format_size(own.zone_size));
                line("max_open_zones", &own.open_zones);
            }
        }
    }
    if own.rw.writes() {
        line("overwrite", &1);
        match own.data {
            Data::Random => {}
            Data::Zero => line("zero_buffers", &1),
            Data::Compressible => line("buffer_compress_percentage", &own.buffer_compress_percentage),
        }
        line("fdatasync", &own.fdatasync);
        if let Some(what) = own.sync_file_range {
            line("sync_file_range", &format!("{}:{}", flags(what), own.sync_file_range_writes));
        }
        line("end_fsync", &u8::from(own.end_fsync));
        if own.verify {
            line("verify", &"crc32c");
        }
    }
    if let Some(rate) = own.rate_iops {
        match own.rate_period.seconds() {
            1.0 => line("rate_iops", &rates(plan, rate)?),
            period_s => line("rate", &rates(plan, bytes_per_s(rate, own.bs, period_s)?)?),
        }
        line("rate_process", &"poisson");
    }
    if own.flow > 0 {
        line("flow", &own.flow.div_ceil(u64::from(own.numjobs)));
    }
    if own.start_delay > Nanos::ZERO {
        line("startdelay", &time("start_delay", own.start_delay)?);
    }
    if own.start_delay_step > Nanos::ZERO && own.numjobs > 1 {
        return Err("fio has a startdelay for a section and none for each of its jobs".to_owned());
    }
    if own.thinktime > Nanos::ZERO {
        line("thinktime", &time("thinktime", own.thinktime)?);
        line("thinktime_blocks", &own.thinktime_blocks);
    }
    match own.cache {
        Cache::Warm => line("pre_read", &1),
        Cache::AsIs => line("invalidate", &0),
        Cache::Cold => line("invalidate", &1),
    }
    Ok(())
}

/// Bytes a second of all operations, which have to be whole for fio.
fn bytes_per_s(rate: u64, bs: u32, period_s: f64) -> Result<u64, String> {
    let bytes = rate as f64 * f64::from(bs) / period_s;
    if bytes.fract() > 0.0 || bytes >= (1_u64 << 53) as f64 {
        return Err(format!("rate_iops = {rate} in {period_s} s is not a whole number of bytes a second"));
    }
    Ok(bytes as u64)
}

/// fio limits reads and writes of a mix each on their own.
fn rates(plan: &Plan, rate: u64) -> Result<String, String> {
    if rate == 0 {
        return Err("rate_iops = 0 means no limit in fio".to_owned());
    }
    if !plan.mixed() {
        return Ok(rate.to_string());
    }
    let percent = plan.own.rwmixread.min(100);
    let reads = (rate as f64 * f64::from(percent) / 100.0).round() as u64;
    let writes = rate - reads.min(rate);
    if (reads == 0 && percent > 0) || (writes == 0 && percent < 100) {
        return Err(format!(
            "rate_iops = {rate} cannot be split by rwmixread = {percent}: fio needs whole numbers"
        ));
    }
    Ok(format!("{reads},{writes}"))
}

fn submission(plan: &Plan, line: &mut JobLine<'_>) {
    let own = &plan.own;
    let engine = match (own.mode, plan.uring()) {
        // The one engine that trims a regular file.
        _ if own.rw.trims() => "falloc",
        (IoMode::Mmap, _) => "mmap",
        (IoMode::Buffered | IoMode::Direct | IoMode::DontCache, true) => "io_uring",
        (IoMode::Buffered | IoMode::Direct, false) => "psync",
        // Only preadv2 and pwritev2 take flags; this engine is psync with them.
        (IoMode::DontCache, false) => "pvsync2",
    };
    line("ioengine", &engine);
    line("iodepth", &own.iodepth);
    if own.atomic && own.rw.writes() {
        line("atomic", &1);
    }
    if plan.uring() && !own.rw.trims() {
        let registered = u8::from(own.registered);
        line("fixedbufs", &registered);
        line("registerfiles", &registered);
        if own.iodepth > 1 {
            line("iodepth_batch", &own.iodepth);
            line("iodepth_batch_complete_min", &1);
            line("iodepth_batch_complete_max", &own.iodepth);
        }
    }
    match plan.buffer_pages {
        Some(BufferPages::Small) => line("iomem", &"malloc"),
        Some(BufferPages::Huge) => line("iomem", &"mmaphuge"),
        None => {}
    }
    match own.mode {
        IoMode::Direct => line("direct", &1),
        IoMode::Buffered => line("direct", &0),
        IoMode::DontCache => line("uncached", &1),
        IoMode::Mmap => {}
    }
    match own.advice {
        Advice::Normal => line("fadvise_hint", &0),
        advice @ (Advice::Random | Advice::Sequential) => line("fadvise_hint", &advice),
    }
}

/// The flags of `sync_file_range` as fio lists them.
const fn flags(what: RangeSync) -> &'static str {
    match what {
        RangeSync::Write => "write",
        RangeSync::WaitBeforeWrite => "wait_before,write",
        RangeSync::WaitBeforeWriteWaitAfter => "wait_before,write,wait_after",
    }
}

fn time(name: &str, time: Nanos) -> Result<String, String> {
    format_time(time)
        .ok_or_else(|| format!("{name} = {} is finer than fio's microseconds", format_duration(time)))
}

fn extent(plan: &Plan, line: &mut JobLine<'_>) -> Result<(), String> {
    let own = &plan.own;
    if own.bssplit.is_empty() && !own.sizes_differ() {
        line("bs", &format_size(plan.block_bytes()));
    } else {
        let size = |size: SizeShare| format!("{}/{}", format_size(size.bytes), size.percent);
        let sizes =
            |of_writes: bool| own.sizes(of_writes).into_iter().map(size).collect::<Vec<_>>().join(":");
        let all = if own.sizes_differ() {
            format!("{},{}", sizes(false), sizes(true))
        } else {
            sizes(own.rw.writes())
        };
        line("bssplit", &all);
        line("blockalign", &format_size(plan.block_bytes()));
    }
    if !plan.random() && own.hole > 0 && own.hole_every > 0 {
        line("zonemode", &"strided");
        line("zonesize", &format_size(own.hole_every));
        line("zoneskip", &format_size(own.hole));
    }
    line("filename", &plan.file);
    let slice = plan.slice_bytes();
    line("size", &format_size(slice));
    line("numjobs", &own.numjobs);
    if own.numjobs > 1 {
        if !plan.random() && !own.whole_file {
            line("offset_increment", &format_size(slice));
        }
        line("thread", &1);
        line("group_reporting", &1);
    }
    if let Some(first) = plan.trial.first_cpu() {
        line("cpus_allowed", &format!("{first}-{}", first as u64 + plan.jobs() - 1));
        line("cpus_allowed_policy", &"split");
    }
    if own.number_ios > 0 {
        let bytes = own.number_ios.checked_mul(u64::from(own.bs_max())).filter(|bytes| *bytes < 1 << 62);
        let bytes =
            bytes.ok_or_else(|| format!("number_ios = {} times bs is too large for fio", own.number_ios))?;
        // Without io_size fio ends when it has moved `size`, however many operations are requested.
        line("io_size", &format_size(bytes));
        line("number_ios", &own.number_ios);
    } else if own.runtime == Nanos::ZERO {
        return Err("the trial does not end: runtime and number_ios are both 0".to_owned());
    } else {
        line("time_based", &1);
    }
    if own.runtime > Nanos::ZERO {
        line("runtime", &time("runtime", own.runtime)?);
    }
    if own.ramp_time > Nanos::ZERO {
        line("ramp_time", &time("ramp_time", own.ramp_time)?);
    }
    Ok(())
}
