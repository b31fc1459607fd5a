//! What a job does: pattern, payload, syncs, rate, cache.

use super::job::Job;
use super::read::Options;
use super::refusal::Answer;

/// Which operations come.
pub(super) struct Pattern {
    pub(super) name: &'static str,
    pub(super) random: bool,
    pub(super) reads: bool,
    pub(super) writes: bool,
    /// Percent of reads; 0 or 100 where the pattern is not a mix.
    pub(super) read_percent: u64,
}

pub(super) fn pattern(options: &Options<'_>, job: &mut Job) -> Answer<Pattern> {
    let text = options.text("rw").unwrap_or("read");
    let (name, random, reads, writes) = match text {
        "read" => ("read", false, true, false),
        "write" => ("write", false, false, true),
        "randread" => ("randread", true, true, false),
        "randwrite" => ("randwrite", true, false, true),
        "rw" | "readwrite" => ("rw", false, true, true),
        "randrw" => ("randrw", true, true, true),
        _ if text.contains(':') => {
            return options.refuse(
                "rw",
                format!("rw={text}: a pattern with a modifier is not supported; write it without \":\""),
            );
        }
        _ if text.contains("trim") => {
            return options.refuse("rw", format!("rw={text}: nothing is trimmed here; take another pattern"));
        }
        _ => {
            let names = ["read", "write", "randread", "randwrite", "rw", "readwrite", "randrw"];
            return options.refuse("rw", model::suggestion::unknown("pattern", text, names));
        }
    };
    job.set("rw", name);
    let read_percent = match (reads, writes) {
        (true, true) => read_percent(options)?,
        (true, false) => 100,
        (false, _) => 0,
    };
    if reads && writes {
        job.set("rwmixread", &read_percent);
    }
    let pattern = Pattern { name, random, reads, writes, read_percent };
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
    if !pattern.random {
        if text != "random" {
            job.remark(format!("random_distribution has no effect with rw={}, as in fio", pattern.name));
        }
        return Ok(());
    }
    if text == "random" {
        job.set("random_distribution", "uniform");
        if !options.switch("norandommap")?.unwrap_or(false) {
            job.remark("random blocks are drawn with replacement, as with norandommap");
        }
        return Ok(());
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
            format!("random_distribution={text} is not supported; use random, or zipf:1.2 with any positive exponent but 1"),
        );
    };
    job.set("random_distribution", "zipf");
    job.set("zipf_theta", &theta);
    Ok(())
}

pub(super) fn payload(options: &Options<'_>, pattern: &Pattern, job: &mut Job) -> Answer<()> {
    let zero = options.switch("zero_buffers")?.unwrap_or(false);
    let percentage = options.count("buffer_compress_percentage")?;
    if !pattern.writes {
        if zero || percentage.is_some() {
            job.remark(format!("what would be written has no effect with rw={}", pattern.name));
        }
        return Ok(());
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

pub(super) fn syncs(options: &Options<'_>, pattern: &Pattern, job: &mut Job) -> Answer<()> {
    let every = options.count("fdatasync")?.unwrap_or(0);
    let at_end = options.switch("end_fsync")?.unwrap_or(false);
    if !pattern.writes {
        if every > 0 || at_end {
            job.remark(format!("syncs have no effect with rw={}, as in fio", pattern.name));
        }
        return Ok(());
    }
    job.set("fdatasync", &every);
    job.set("end_fsync", &at_end);
    if every > 0 && options.text("ioengine") == Some("io_uring") && options.count("iodepth")?.unwrap_or(1) > 1
    {
        job.remark("fdatasync waits for the job's writes in flight; fio queues it beside them");
    }
    if !options.switch("overwrite")?.unwrap_or(false) {
        job.remark("the file is full of data before it is written, as with overwrite=1");
    }
    Ok(())
}

pub(super) fn rate(options: &Options<'_>, pattern: &Pattern, job: &mut Job) -> Answer<()> {
    let process = options.text("rate_process").unwrap_or("linear");
    if !matches!(process, "linear" | "poisson") {
        return options
            .refuse("rate_process", format!("rate_process={process} is not supported; use poisson"));
    }
    let Some(text) = options.text("rate_iops") else { return Ok(()) };
    let rates: Result<Vec<u64>, String> =
        text.splitn(3, ',').map(|rate| crate::quantity::parse_count(rate.trim())).collect();
    let (reads, writes) = match rates.as_deref() {
        Ok([both]) => (*both, *both),
        Ok([reads, writes]) => (*reads, *writes),
        Ok(_) | Err(_) => {
            let what = format!("rate_iops={text}: expected operations a second, such as 1000 or 700,300");
            return options.refuse("rate_iops", what);
        }
    };
    let total = match (pattern.reads, pattern.writes) {
        (true, true) => mixed_rate(options, pattern, reads, writes)?,
        (true, false) => reads,
        (false, _) => writes,
    };
    // fio: a rate of 0 is not a limit.
    if total == 0 {
        return Ok(());
    }
    if process == "linear" {
        return options.refuse(
            "rate_iops",
            "rate_iops alone spaces operations evenly, and Syncline has Poisson arrivals only; add rate_process=poisson",
        );
    }
    job.set("rate_iops", &total);
    job.remark("latencies count from the intended start of an operation; fio's count from its submission");
    Ok(())
}

fn mixed_rate(options: &Options<'_>, pattern: &Pattern, reads: u64, writes: u64) -> Answer<u64> {
    let total = reads.saturating_add(writes);
    let expected = total as f64 * pattern.read_percent as f64 / 100.0;
    let limited = [(reads, pattern.read_percent), (writes, 100 - pattern.read_percent)];
    let unlimited_share = total > 0 && limited.iter().any(|(rate, percent)| *rate == 0 && *percent > 0);
    if (reads as f64 - expected).abs() > 1.0 || unlimited_share {
        let percent = pattern.read_percent;
        return options.refuse(
            "rate_iops",
            format!("rate_iops limits reads to {reads} and writes to {writes} a second, which is not rwmixread={percent}; give rate_iops=READS,WRITES in that ratio"),
        );
    }
    Ok(total)
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
