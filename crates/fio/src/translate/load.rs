//! What a job does: pattern, payload, cache.

use super::job::Job;
use super::read::Options;
use super::refusal::Answer;
use model::Zones;
use std::ops::Deref;
use workload::device;

/// Which operations come.
#[derive(Clone)]
pub(super) struct Pattern {
    kind: device::Pattern,
    /// Percent of reads; 0 or 100 if the pattern is not a mix.
    pub(super) read_percent: u64,
}

impl Pattern {
    /// fio's default.
    pub(super) const DEFAULT: Self = Self { kind: device::Pattern::Read, read_percent: 100 };
}

impl Deref for Pattern {
    type Target = device::Pattern;

    fn deref(&self) -> &Self::Target {
        &self.kind
    }
}

pub(super) fn pattern(options: &Options<'_>, job: &mut Job) -> Answer<Pattern> {
    let text = options.text("rw").unwrap_or("read");
    // What follows is about the order.
    let text = text.split_once(':').map_or(text, |(text, _)| text.trim());
    // fio has two names for it.
    let name = if text == "readwrite" { device::Pattern::ReadWrite.name() } else { text };
    let Some(kind) = device::Pattern::from_name(name) else {
        let names = device::Pattern::NAMES.iter().copied().chain(["readwrite"]);
        return options.refuse("rw", model::suggestion::unknown("pattern", text, names));
    };
    if kind.changes() && options.switch("readonly")?.unwrap_or(false) {
        return options.refuse("readonly", format!("readonly forbids rw={text}; remove one of them"));
    }
    job.set("rw", name);
    if kind.trims() {
        job.remark(format!(
            "rw={name} punches holes in the file (fallocate) instead of trimming a device: a file system that is mounted \
             with discard trims the device when it commits them, and another one frees blocks only"
        ));
    }
    let read_percent = match (kind.reads(), kind.writes()) {
        (true, true) => read_percent(options)?,
        (true, false) => 100,
        (false, _) => 0,
    };
    if kind.is_mix() {
        job.set("rwmixread", &read_percent);
    }
    let pattern = Pattern { kind, read_percent };
    distribution(options, &pattern, job)?;
    Ok(pattern)
}

fn read_percent(options: &Options<'_>) -> Answer<u64> {
    let (reads, writes) = (options.count("rwmixread")?, options.count("rwmixwrite")?);
    // fio keeps the later of the two and derives the other.
    let (name, percent) = match (reads, writes) {
        (Some(reads), Some(_)) if options.line("rwmixread") > options.line("rwmixwrite") => {
            ("rwmixread", reads)
        }
        (_, Some(writes)) => ("rwmixwrite", writes),
        (Some(reads), None) => ("rwmixread", reads),
        (None, None) => return Ok(50),
    };
    match (name, percent) {
        (_, 101..) => options.refuse(name, format!("option \"{name}\": {percent} is not a percentage")),
        ("rwmixwrite", writes) => Ok(100 - writes),
        (_, reads) => Ok(reads),
    }
}

fn distribution(options: &Options<'_>, pattern: &Pattern, job: &mut Job) -> Answer<()> {
    let text = options.text("random_distribution").unwrap_or("random");
    if is_in_zones(options, pattern) {
        // The order is that of the zones.
        return Ok(());
    }
    if !pattern.is_random() {
        if text != "random" {
            job.remark(format!("random_distribution has no effect with rw={}, as in fio", pattern.name()));
        }
        return Ok(());
    }
    if text == "random" {
        let has_map = !options.switch("norandommap")?.unwrap_or(false);
        let sizes_differ = options.text("bssplit").is_some() || sizes_of_ways_differ(options, pattern);
        job.set("random_distribution", if has_map && !sizes_differ { "once" } else { "uniform" });
        if has_map && sizes_differ {
            job.remark("random blocks are drawn with replacement, as with norandommap");
            job.remark(
                "each operation has the size that bssplit draws; without norandommap fio shortens those that \
                meet blocks it has moved",
            );
        }
        return Ok(());
    }
    if let Some(zones) = text.strip_prefix("zoned:") {
        return zoned(options, zones, job);
    }
    // `fio.h`: FIO_DEF_ZIPF is 1.1 if no exponent is given.
    let theta = match text.split_once(':') {
        Some(("zipf", theta)) => theta.parse::<f64>().ok().filter(|theta| theta.is_finite() && *theta > 0.0),
        None if text == "zipf" => Some(1.1),
        Some(_) | None => None,
    };
    let Some(theta) = theta.filter(|theta| (theta - 1.0).abs() > 1e-9) else {
        return options.refuse(
            "random_distribution",
            format!("random_distribution={text} is not supported; use random, zipf:1.2 with any positive exponent but \
                1, or zoned:50/5:50/95"),
        );
    };
    job.set("random_distribution", "zipf");
    job.set("zipf_theta", &theta);
    Ok(())
}

/// Whether a job writes random zones of a zoned device, each in order.
pub(super) fn is_in_zones(options: &Options<'_>, pattern: &Pattern) -> bool {
    options.text("zonemode") == Some("zbd")
        && pattern.is_random()
        && pattern.writes()
        && !pattern.reads()
        && !pattern.trims()
}

/// Whether `bs` or `bsrange` give reads and writes of a mix sizes of their own. A range of sizes is refused by itself.
fn sizes_of_ways_differ(options: &Options<'_>, pattern: &Pattern) -> bool {
    let name = ["bs", "bsrange"]
        .into_iter()
        .max_by_key(|name| options.settings.get(name).map(|setting| setting.line));
    let Some(text) = name.and_then(|name| options.text(name)) else { return false };
    let mut lists = text.split(',');
    pattern.reads()
        && pattern.writes()
        && lists.next().zip(lists.next()).is_some_and(|(reads, writes)| reads != writes)
}

/// What follows a comma is of writes, then of trims; without it the one list is of all.
fn zoned(options: &Options<'_>, text: &str, job: &mut Job) -> Answer<()> {
    let name = "random_distribution";
    let mut lists = text.split(',').take(2);
    let (first, second) = (lists.next().unwrap_or_default(), lists.next());
    if second.is_some_and(|second| second != first) {
        return options
            .refuse(name, format!("{name}=zoned:{text}: reads and writes have the same zones here"));
    }
    match Zones::parse(&completed(first)) {
        Ok(zones) if !zones.is_empty() => {
            job.set(name, "zoned");
            job.set("zones", &zones);
            Ok(())
        }
        Ok(_) => options.refuse(name, format!("{name}=zoned:{text} has no zones")),
        Err(why) => options.refuse(name, format!("{name}=zoned:{text}: {why}")),
    }
}

/// As in fio, the zones without a percentage of the file share the rest of it: `50/5:50/` is `50/5:50/95`.
fn completed(zones: &str) -> String {
    let size = |zone: &str| zone.split_once('/').map_or("", |(_, size)| size).trim().to_owned();
    let sizes: Vec<String> = zones.split(':').map(size).collect();
    let given: u64 = sizes.iter().filter_map(|size| size.parse::<u64>().ok()).fold(0, u64::saturating_add);
    let open = sizes.iter().filter(|size| size.is_empty()).count() as u64;
    let rest = 100_u64.saturating_sub(given);
    let mut left = open;
    let zone = |(zone, size): (&str, &String)| {
        if !size.is_empty() || open == 0 {
            return zone.to_owned();
        }
        left -= 1;
        let share = if left == 0 { rest - rest / open * (open - 1) } else { rest / open };
        format!("{}/{share}", zone.trim_end_matches('/').trim())
    };
    zones.split(':').zip(&sizes).map(zone).collect::<Vec<_>>().join(":")
}

pub(super) fn payload(options: &Options<'_>, pattern: &Pattern, job: &mut Job) -> Answer<()> {
    let zero = options.switch("zero_buffers")?.unwrap_or(false);
    let percentage = options.count("buffer_compress_percentage")?;
    if !pattern.writes() {
        if zero || percentage.is_some() {
            job.remark(format!("what would be written has no effect with rw={}", pattern.name()));
        }
        return Ok(());
    }
    if options.text("buffer_pattern").is_some() {
        if percentage.is_none() {
            return options.refuse(
                "buffer_pattern",
                "buffer_pattern is not supported: blocks that are all equal are not what a disk is given; remove it, \
                 or take zero_buffers",
            );
        }
        job.remark("zeroes take the place of buffer_pattern in what compresses");
    }
    match (zero, percentage) {
        (true, Some(_)) => options.refuse(
            "buffer_compress_percentage",
            "zero_buffers and buffer_compress_percentage exclude each other; remove one",
        ),
        (true, None) => {
            job.set("data", "zero");
            Ok(())
        }
        (false, Some(percentage)) => {
            job.set("data", "compressible");
            job.set("buffer_compress_percentage", &percentage);
            Ok(())
        }
        (false, None) => {
            job.set("data", "random");
            Ok(())
        }
    }
}

pub(super) fn cache(options: &Options<'_>, job: &mut Job) -> Answer<()> {
    let pre_read = options.switch("pre_read")?.unwrap_or(false);
    let invalidate = options.switch("invalidate")?.unwrap_or(true);
    // fio clears invalidate if pre_read is set.
    let cache = match (pre_read, invalidate) {
        (true, _) => "warm",
        (false, true) => "cold",
        (false, false) => "as_is",
    };
    job.set("cache", cache);
    Ok(())
}
