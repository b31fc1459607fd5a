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
    /// The time in which this number of operations arrives, seconds: longer than one for a rate below a block a second.
    period_s: u64,
}

pub(super) fn rate(options: &Options<'_>, pattern: &Pattern, block: Block, job: &mut Job) -> Answer<()> {
    let is_poisson = is_poisson(options)?;
    let Some(limits) = limits(options, block.bytes_mean)? else { return Ok(()) };
    let total = match (pattern.reads(), pattern.writes()) {
        _ if pattern.trims() && limits.reads != limits.writes => {
            let what = format!(
                "{} gives reads and writes rates of their own, and rw={} trims",
                limits.option,
                pattern.name()
            );
            return options.refuse(limits.option, format!("{what}; give one rate"));
        }
        // As in fio trims and writes have the rate each.
        (false, true) if pattern.trims() => limits.writes.saturating_mul(2),
        (true, true) => mixed_rate(options, pattern, &limits)?,
        (true, false) => limits.reads,
        (false, _) => limits.writes,
    };
    // fio: a rate of 0 is not a limit.
    if total == 0 {
        return Ok(());
    }
    let name = limits.option;
    if limits.period_s > 1 {
        let period_s = limits.period_s;
        job.set("rate_period", &format!("{period_s}s"));
        job.remark(format!("rate is {total} operations in {period_s} s of each job"));
    } else if name == "rate" {
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
    let parse = |text: &str| match (text.trim(), option) {
        ("", _) => Ok(0),
        (text, "rate") => parse_size(text),
        (text, _) => parse_count(text),
    };
    let rates: Result<Vec<u64>, String> = text.splitn(3, ',').map(parse).collect();
    let (reads, writes) = match rates.as_deref() {
        Ok(&[both]) => (both, both),
        Ok(&[reads, writes, ..]) => (reads, writes),
        Ok(&[]) | Err(_) => {
            let example = if option == "rate" {
                "bytes a second, such as 10m or 700k,300k"
            } else {
                "operations a second, such as 1000 or 700,300"
            };
            return options
                .refuse(option, format!("{option}={}: expected {example}", model::printable(text)));
        }
    };
    let limits =
        |reads, writes, are_rounded, period_s| Limits { option, reads, writes, are_rounded, period_s };
    Ok(Some(match option {
        // b bytes a second are b blocks in as many seconds as a block has bytes.
        "rate" if [reads, writes].iter().any(|bytes| (1..block).contains(bytes)) => {
            limits(reads, writes, false, block)
        }
        "rate" => {
            limits(reads / block, writes / block, [reads, writes].iter().any(|bytes| bytes % block != 0), 1)
        }
        _ => limits(reads, writes, false, 1),
    }))
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
