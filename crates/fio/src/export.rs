//! A configuration of the workload `device` as a fio job file.
//!
//! Reading the file back with [`crate::job`] and [`crate::translate`] gives the configuration again, except what fio
//! has no option for, which is reported in comments with the way to do it: the memory cap, real-time scheduling,
//! preconditioning, the cooldown, a fresh file system. Parameters that have no effect in the configuration, such as
//! `rwmixread` if nothing is mixed, are left out.
//!
//! `mode = dontcache` is `uncached=1`. fio 3.33 takes it for a flag of a kernel that never was, 0x40, and fails every
//! operation: the comment above such a job says that it needs a newer fio.

use crate::quantity::{format_size, format_time};
use model::every_trial::MEMORY_CAP;
use model::units::format_duration;
use model::{BufferPages, Configuration, IoMode, MemoryCap, Nanos};
use std::fmt::Write;

/// What a configuration does, typed as far as an export needs it.
struct Plan<'a> {
    configuration: &'a Configuration,
    file: String,
    rw: String,
    bs: u64,
    size: u64,
    jobs: u64,
    depth: u64,
    mode: IoMode,
    uring: bool,
}

impl Plan<'_> {
    fn random(&self) -> bool {
        self.rw.starts_with("rand")
    }

    fn mixed(&self) -> bool {
        matches!(self.rw.as_str(), "rw" | "randrw")
    }

    fn writes(&self) -> bool {
        self.mixed() || self.rw.ends_with("write")
    }

    /// Bytes of one job: jobs in order have a slice each, of whole blocks.
    fn slice_bytes(&self) -> u64 {
        if self.random() || self.jobs == 1 { self.size } else { self.size / self.bs / self.jobs * self.bs }
    }
}

/// Writes a configuration as the text of a job file with one section, called `name`. The error is one sentence: a
/// parameter that is missing, or a value that fio cannot be given.
pub fn job_file(name: &str, configuration: &Configuration) -> Result<String, String> {
    let plan = plan(name, configuration).map_err(|missing| missing.to_string())?;
    if plan.jobs == 0 || plan.bs == 0 || plan.slice_bytes() == 0 {
        return Err(format!("size = {} leaves no block for each job", format_size(plan.size)));
    }
    let mut text = String::new();
    comments(&plan, &mut text);
    let mut line = |option: &str, value: &dyn std::fmt::Display| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{option}={value}");
    };
    let section = section_name(name);
    load(&plan, &mut line)?;
    submission(&plan, &mut line)?;
    extent(&plan, &mut line)?;
    let (head, options) = split_comments(&text);
    Ok(format!("{head}[{section}]\nstonewall=1\n{options}"))
}

type Line<'a> = dyn FnMut(&str, &dyn std::fmt::Display) + 'a;

fn plan<'a>(name: &str, configuration: &'a Configuration) -> Result<Plan<'a>, model::configuration::Missing> {
    let mode = configuration.io_mode("mode")?;
    Ok(Plan {
        file: format!("syncline-{}.data", section_name(name)),
        rw: configuration.text("rw")?,
        bs: configuration.bytes("bs")?,
        size: configuration.bytes("size")?,
        jobs: configuration.count("numjobs")?,
        depth: configuration.count("iodepth")?,
        uring: mode != IoMode::Mmap && configuration.text("ioengine")? == "uring",
        mode,
        configuration,
    })
}

/// A name that fio takes as a section and as part of a file name: no brackets, blanks, `:`, `;`, `#`, `$`, and not one
/// that begins like `[global]`.
fn section_name(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || "._=-".contains(c) { c } else { '-' };
    let clean: String = name.chars().map(kept).take(100).collect();
    if clean.is_empty() || clean.to_ascii_lowercase().starts_with("global") {
        format!("job-{clean}")
    } else {
        clean
    }
}

fn split_comments(text: &str) -> (&str, &str) {
    let end: usize = text.split_inclusive('\n').take_while(|line| line.starts_with('#')).map(str::len).sum();
    text.split_at(end)
}

fn comments(plan: &Plan<'_>, text: &mut String) {
    let mut comment = |what: &str| {
        let _ = writeln!(text, "# {what}");
    };
    if let Some(cap) = plan.configuration.get(MEMORY_CAP).and_then(MemoryCap::from_level) {
        let bytes = cap.bytes(plan.size);
        comment(&format!("run under: systemd-run --user --scope -p MemoryMax={bytes} fio JOB.fio"));
    }
    if plan.configuration.flag("realtime") == Ok(true) {
        comment("run under: chrt --fifo 1 fio JOB.fio");
    }
    if let Ok(filesystem) = plan.configuration.text("filesystem")
        && filesystem != "host"
    {
        comment(&format!("run in a directory on a fresh {filesystem} file system"));
    }
    if let Ok(passes @ 1..) = plan.configuration.count("precondition_passes") {
        comment(&format!(
            "run before: fio --name=precondition --filename={} --rw=write --bs=1m --direct=1 --size={} --loops={passes}",
            plan.file,
            format_size(plan.size)
        ));
    }
    if let Ok(cooldown @ Nanos(1..)) = plan.configuration.duration("cooldown") {
        comment(&format!("idle before: {}", format_duration(cooldown)));
    }
    if plan.mode == IoMode::DontCache {
        comment("uncached=1 needs a fio that knows RWF_DONTCACHE; 3.33 fails every operation");
    }
    if BufferPages::in_configuration(plan.configuration) == Ok(BufferPages::Huge) {
        comment("iomem=mmaphuge takes huge pages that are reserved: sysctl vm.nr_hugepages");
    }
    let counted = matches!(plan.configuration.count("number_ios"), Ok(1..));
    if counted && matches!(plan.configuration.duration("ramp_time"), Ok(Nanos(1..))) {
        comment("fio counts operations of ramp_time towards number_ios, Syncline does not");
    }
    if plan.configuration.count("rate_iops").is_ok() {
        comment("fio's latencies count from an operation's submission, Syncline's from its intended start");
    }
    let left_out = if plan.random() { 0 } else { plan.size - plan.slice_bytes() * plan.jobs };
    if left_out > 0 && plan.jobs > 1 {
        comment(&format!(
            "{left_out} bytes of the file's {} are left out: slices consist of whole blocks",
            plan.size
        ));
    }
}

fn load(plan: &Plan<'_>, line: &mut Line<'_>) -> Result<(), String> {
    let configuration = plan.configuration;
    let missing = |missing: model::configuration::Missing| missing.to_string();
    line("rw", &plan.rw);
    if plan.mixed() {
        line("rwmixread", &configuration.count("rwmixread").map_err(missing)?);
    }
    if plan.random() {
        line("norandommap", &1);
        match configuration.text("random_distribution").map_err(missing)?.as_str() {
            "zipf" => {
                let theta = configuration.number("zipf_theta").map_err(missing)?;
                line("random_distribution", &format!("zipf:{theta}"));
            }
            _ => line("random_distribution", &"random"),
        }
    }
    if plan.writes() {
        line("overwrite", &1);
        match configuration.text("data").map_err(missing)?.as_str() {
            "zero" => line("zero_buffers", &1),
            "compressible" => line(
                "buffer_compress_percentage",
                &configuration.count("buffer_compress_percentage").map_err(missing)?,
            ),
            _ => {}
        }
        line("fdatasync", &configuration.count("fdatasync").map_err(missing)?);
        line("end_fsync", &u8::from(configuration.flag("end_fsync").map_err(missing)?));
    }
    if let Ok(rate) = configuration.count("rate_iops") {
        line("rate_iops", &rates(plan, rate)?);
        line("rate_process", &"poisson");
    }
    match configuration.text("cache").map_err(missing)?.as_str() {
        "warm" => line("pre_read", &1),
        "as_is" => line("invalidate", &0),
        _ => line("invalidate", &1),
    }
    Ok(())
}

/// fio limits reads and writes of a mix each on their own.
fn rates(plan: &Plan<'_>, rate: u64) -> Result<String, String> {
    if rate == 0 {
        return Err("rate_iops = 0 is no limit in fio".to_owned());
    }
    if !plan.mixed() {
        return Ok(rate.to_string());
    }
    let percent = plan.configuration.count("rwmixread").map_err(|missing| missing.to_string())?.min(100);
    let reads = (rate as f64 * percent as f64 / 100.0).round() as u64;
    let writes = rate - reads.min(rate);
    if (reads == 0 && percent > 0) || (writes == 0 && percent < 100) {
        return Err(format!(
            "rate_iops = {rate} cannot be split by rwmixread = {percent}: fio needs whole numbers"
        ));
    }
    Ok(format!("{reads},{writes}"))
}

fn submission(plan: &Plan<'_>, line: &mut Line<'_>) -> Result<(), String> {
    let configuration = plan.configuration;
    let engine = match (plan.mode, plan.uring) {
        (IoMode::Mmap, _) => "mmap",
        (IoMode::Buffered | IoMode::Direct | IoMode::DontCache, true) => "io_uring",
        (IoMode::Buffered | IoMode::Direct, false) => "psync",
        // Only preadv2 and pwritev2 take flags; this engine is psync with them.
        (IoMode::DontCache, false) => "pvsync2",
    };
    line("ioengine", &engine);
    line("iodepth", &plan.depth);
    if plan.uring {
        // A record of a version without the parameter had both.
        let registered = u8::from(configuration.flag("registered").unwrap_or(true));
        line("fixedbufs", &registered);
        line("registerfiles", &registered);
        if plan.depth > 1 {
            line("iodepth_batch", &plan.depth);
            line("iodepth_batch_complete_min", &1);
            line("iodepth_batch_complete_max", &plan.depth);
        }
    }
    match BufferPages::in_configuration(configuration) {
        Ok(BufferPages::Small) => line("iomem", &"malloc"),
        Ok(BufferPages::Huge) => line("iomem", &"mmaphuge"),
        // A record of a version without the parameter.
        Err(_) => {}
    }
    match plan.mode {
        IoMode::Direct => line("direct", &1),
        IoMode::Buffered => line("direct", &0),
        IoMode::DontCache => line("uncached", &1),
        IoMode::Mmap => {}
    }
    let advice = configuration.text("advice").map_err(|missing| missing.to_string())?;
    line("fadvise_hint", if advice == "normal" { &"0" } else { &advice });
    Ok(())
}

fn extent(plan: &Plan<'_>, line: &mut Line<'_>) -> Result<(), String> {
    let configuration = plan.configuration;
    let missing = |missing: model::configuration::Missing| missing.to_string();
    let time = |name: &str| -> Result<(Nanos, String), String> {
        let time = configuration.duration(name).map_err(missing)?;
        let text = format_time(time)
            .ok_or_else(|| format!("{name} = {} is finer than fio's microseconds", format_duration(time)))?;
        Ok((time, text))
    };
    line("bs", &format_size(plan.bs));
    line("filename", &plan.file);
    let slice = plan.slice_bytes();
    line("size", &format_size(slice));
    line("numjobs", &plan.jobs);
    if plan.jobs > 1 {
        if !plan.random() {
            line("offset_increment", &format_size(slice));
        }
        line("thread", &1);
        line("group_reporting", &1);
    }
    if let Ok(first) = configuration.count("cpu") {
        line("cpus_allowed", &format!("{first}-{}", first + plan.jobs - 1));
        line("cpus_allowed_policy", &"split");
    }
    let (runtime, runtime_text) = time("runtime")?;
    let operations = configuration.count("number_ios").map_err(missing)?;
    if operations > 0 {
        let bytes = operations.checked_mul(plan.bs).filter(|bytes| *bytes < 1 << 62);
        let bytes =
            bytes.ok_or_else(|| format!("number_ios = {operations} times bs is too large for fio"))?;
        // Without io_size fio ends when it has moved `size`, however many operations are requested.
        line("io_size", &format_size(bytes));
        line("number_ios", &operations);
    } else if runtime == Nanos::ZERO {
        return Err("the trial does not end: runtime and number_ios are both 0".to_owned());
    } else {
        line("time_based", &1);
    }
    if runtime > Nanos::ZERO {
        line("runtime", &runtime_text);
    }
    let (ramp, ramp_text) = time("ramp_time")?;
    if ramp > Nanos::ZERO {
        line("ramp_time", &ramp_text);
    }
    Ok(())
}
