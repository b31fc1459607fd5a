//! The rate of an open loop.

use super::block::Block;
use super::job::Job;
use super::load::Pattern;
use super::read::Options;
use super::refusal::Answer;
use crate::quantity::{parse_count, parse_size};

/// What limits a job.
struct Limits {
    option: &'static str,
    /// Operations a second; 0 does not limit.
    reads: u64,
    writes: u64,
    /// Whether bytes a second were not whole blocks a second.
    are_rounded: bool,
}

pub(super) fn rate(options: &Options<'_>, pattern: &Pattern, block: Block, job: &mut Job) -> Answer<()> {
    let is_poisson = is_poisson(options)?;
    let Some(limits) = limits(options, block.bytes_mean)? else { return Ok(()) };
    let total = match (pattern.reads, pattern.writes) {
        (true, true) => mixed_rate(options, pattern, &limits)?,
        (true, false) => limits.reads,
        (false, _) => limits.writes,
    };
    // fio: a rate of 0 is not a limit.
    if total == 0 {
        return Ok(());
    }
    let name = limits.option;
    if name == "rate" {
        let rounded = if limits.are_rounded { ", rounded down to whole blocks" } else { "" };
        let of = if block.is_split { "of bssplit's mean size" } else { "of bs bytes each" };
        job.remark(format!("rate is {total} operations a second of each job, {of}{rounded}"));
    }
    if !is_poisson {
        job.remark(format!(
            "{name} spaces operations evenly in fio; here they arrive at random (Poisson) at the same mean rate, so \
             that some wait for others"
        ));
    }
    job.set("rate_iops", &total);
    job.remark("latencies count from the intended start of an operation; fio's count from its submission");
    Ok(())
}

fn is_poisson(options: &Options<'_>) -> Answer<bool> {
    match options.text("rate_process").unwrap_or("linear") {
        "poisson" => Ok(true),
        "linear" => Ok(options.switch("rate_poisson")?.unwrap_or(false)),
        other => options.refuse(
            "rate_process",
            format!("rate_process={} is not supported; use poisson", model::printable(other)),
        ),
    }
}

fn limits(options: &Options<'_>, block: u64) -> Answer<Option<Limits>> {
    let (option, text) = match (options.text("rate_iops"), options.text("rate")) {
        (Some(_), Some(_)) => {
            return options.refuse("rate", "rate and rate_iops are both given; remove one");
        }
        (Some(text), None) => ("rate_iops", text),
        (None, Some(text)) => ("rate", text),
        (None, None) => return Ok(None),
    };
    let mut are_rounded = false;
    let one = |text: &str| match (text.trim(), option) {
        ("", _) => Ok(0),
        (text, "rate") => match parse_size(text)? {
            bytes if (1..block).contains(&bytes) => Err("less than a block".to_owned()),
            bytes => {
                are_rounded |= bytes % block != 0;
                Ok(bytes / block)
            }
        },
        (text, _) => parse_count(text),
    };
    let rates: Result<Vec<u64>, String> = text.splitn(3, ',').map(one).collect();
    match rates.as_deref() {
        Ok(&[both]) => Ok(Some(Limits { option, reads: both, writes: both, are_rounded })),
        Ok(&[reads, writes]) => Ok(Some(Limits { option, reads, writes, are_rounded })),
        Ok(_) | Err(_) => {
            let example = if option == "rate" {
                "bytes a second, a block at least, such as 10m or 700k,300k"
            } else {
                "operations a second, such as 1000 or 700,300"
            };
            options.refuse(option, format!("{option}={}: expected {example}", model::printable(text)))
        }
    }
}

fn mixed_rate(options: &Options<'_>, pattern: &Pattern, limits: &Limits) -> Answer<u64> {
    let Limits { option: name, reads, writes, .. } = *limits;
    let total = reads.saturating_add(writes);
    let expected = total as f64 * pattern.read_percent as f64 / 100.0;
    let limited = [(reads, pattern.read_percent), (writes, 100 - pattern.read_percent)];
    let unlimited_share = total > 0 && limited.iter().any(|(rate, percent)| *rate == 0 && *percent > 0);
    if (reads as f64 - expected).abs() > 1.0 || unlimited_share {
        let percent = pattern.read_percent;
        let limits = match (reads, writes) {
            (0, _) => format!("writes to {writes} operations a second and reads not at all"),
            (_, 0) => format!("reads to {reads} operations a second and writes not at all"),
            (..) => format!("reads to {reads} and writes to {writes} operations a second"),
        };
        return options.refuse(
            name,
            format!("{name} limits {limits}, which is not rwmixread={percent}; give {name}=READS,WRITES in that ratio"),
        );
    }
    Ok(total)
}
