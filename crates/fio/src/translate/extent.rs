//! How far a job goes: its file, the jobs that share it, its end.

use super::block::Block;
use super::job::Job;
use super::load::Pattern;
use super::order;
use super::read::Options;
use super::refusal::Answer;
use crate::quantity::{format_size, parse_count};
use model::Nanos;
use model::units::{GIB, MIB, format_bytes, format_duration};
use std::path::{Path, PathBuf};

/// What a path names at present: the answer of the function that [`crate::translate::translate`] is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    Nothing,
    /// A regular file.
    File,
    Directory,
    /// A device, a pipe, or something that cannot be looked at.
    Other,
}

pub(super) fn extent(
    options: &Options<'_>,
    pattern: &Pattern,
    block: Block,
    hole: u64,
    exists: &dyn Fn(&Path) -> Existing,
    job: &mut Job,
) -> Answer<()> {
    let Size { file: size, moved } = size_bytes(options, pattern, job)?;
    if size < block.bytes_max {
        let what = format!(
            "size={} is smaller than {}={}; take a larger size",
            format_size(size),
            if block.is_split { "the largest of bssplit," } else { "bs" },
            format_size(block.bytes_max)
        );
        return options.refuse(if options.text("size").is_some() { "size" } else { "filesize" }, what);
    }
    let jobs = options.jobs()?;
    job.directory = directory(options)?;
    let named = filename(options, job, exists)? && !options.files_differ;
    offset(options, job)?;
    let file_bytes = if jobs == 1 { size } else { shared_bytes(options, pattern, job, size, jobs, named)? };
    job.set("size", &format_bytes(file_bytes));
    job.set("numjobs", &jobs);
    if let Some(first) = first_cpu(options, jobs)? {
        job.set("cpu", &first);
    }
    // Without io_size a job with holes goes through its file once.
    let moved =
        if hole > 0 { size.div_ceil(block.bytes_max + hole).saturating_mul(block.bytes_max) } else { moved };
    length(options, pattern, job, moved, block)
}

/// The size of a target that a job names without a size: what a device has is unknown, because it is never opened.
const TARGET_BYTES: u64 = GIB;
/// Sizes that are given as a percentage are multiples of this.
const SHARE_STEP_BYTES: u64 = MIB;

/// Bytes of a job's file, and those that the job moves unless io_size says otherwise.
struct Size {
    file: u64,
    moved: u64,
}

fn size_bytes(options: &Options<'_>, pattern: &Pattern, job: &mut Job) -> Answer<Size> {
    let files = files(options)?;
    let size = size_or_share(options, "size", job)?;
    let whole = match (size, size_or_share(options, "filesize", job)?) {
        // fio makes the file as large as filesize and moves at most size bytes of it.
        (_, Some(file)) => match file.checked_mul(files).filter(|all| *all < 1 << 62) {
            Some(all) => all,
            None => return options.refuse("filesize", format!("filesize times {files} files is too large")),
        },
        (Some(size), None) => size,
        (None, None) => {
            let (bytes, why) = match order::target_bytes_min(options, pattern)? {
                Some(bytes) if bytes > TARGET_BYTES => (bytes, ", which the zones need"),
                Some(_) | None => (TARGET_BYTES, ""),
            };
            job.remark(format!(
                "no size is given: the file has {}{why}; size= gives another",
                format_bytes(bytes)
            ));
            bytes
        }
    };
    if files > 1 {
        job.remark(format!("one file of {} takes the place of {files} files", format_bytes(whole)));
    }
    Ok(Size { file: whole, moved: size.map_or(whole, |size| size.min(whole)) })
}

/// A size, or a percentage of the target.
fn size_or_share(options: &Options<'_>, name: &str, job: &mut Job) -> Answer<Option<u64>> {
    let Some(share) = options.text(name).and_then(|text| text.strip_suffix('%')) else {
        return options.size(name);
    };
    match parse_count(share.trim()) {
        Ok(percent @ 1..=100) => {
            let bytes = TARGET_BYTES * percent / 100;
            job.remark(format!(
                "{name}={percent}% is {percent} % of {}: the size of the target is unknown, because it is never opened",
                format_bytes(TARGET_BYTES)
            ));
            Ok(Some(bytes - bytes % SHARE_STEP_BYTES))
        }
        Ok(_) | Err(_) => options.refuse(name, format!("{name}={share}%: expected 1% to 100%")),
    }
}

/// Where a job begins in its target. The file that takes the target's place begins there.
fn offset(options: &Options<'_>, job: &mut Job) -> Answer<()> {
    let Some(text) = options.text("offset") else { return Ok(()) };
    let is_share = text.strip_suffix('%').is_some_and(|share| parse_count(share.trim()).is_ok());
    if is_share || options.size("offset")?.is_some_and(|offset| offset > 0) {
        job.remark("the file begins where offset points to: a job works on all of it");
    }
    Ok(())
}

/// The files of one job.
fn files(options: &Options<'_>) -> Answer<u64> {
    match (options.text("filename"), options.count("nrfiles")?) {
        // If there are names, fio counts them.
        (Some(names), _) => Ok(names.split(':').count() as u64),
        (None, Some(0)) => options.refuse("nrfiles", "nrfiles=0 leaves nothing to measure; take 1"),
        (None, files) => Ok(files.unwrap_or(1)),
    }
}

fn directory(options: &Options<'_>) -> Answer<Option<PathBuf>> {
    match options.text("directory") {
        Some(several) if several.contains(':') => {
            options.refuse("directory", format!("directory={several}: several directories; give one"))
        }
        Some("") => options.refuse("directory", "directory= names nothing; give a path or remove it"),
        Some(path) => Ok(Some(PathBuf::from(path))),
        None => Ok(None),
    }
}

/// Whether the jobs of the section share a file. What has the name is never touched, device or file.
fn filename(options: &Options<'_>, job: &mut Job, exists: &dyn Fn(&Path) -> Existing) -> Answer<bool> {
    let Some(text) = options.text("filename") else {
        // fio's default is $jobname.$jobnum.$filenum: a file for each job.
        return Ok(options.text("filename_format").is_some_and(|format| !format.contains("$jobnum")));
    };
    if text.is_empty() || text == "-" {
        let what =
            format!("filename={text}: a job works on one file; leave filename out and give directory=");
        return options.refuse("filename", what);
    }
    for name in text.split(':') {
        let path =
            job.directory.as_deref().map_or_else(|| PathBuf::from(name), |directory| directory.join(name));
        let is_device = Path::new(name).starts_with("/dev");
        match if is_device { Existing::Other } else { exists(&path) } {
            Existing::Nothing => {
                job.remark(format!(
                    "instead of {name} a file is made in a fresh directory, and removed at the end"
                ));
            }
            Existing::File => job.remark(format!(
                "{name} is there and is left alone: a file in a fresh directory takes its place, and is removed at the \
                 end"
            )),
            Existing::Other => job.remark(format!(
                "{name} is never opened: a file in the measured directory takes its place, so its file system takes \
                 part"
            )),
            Existing::Directory => {
                return options.refuse(
                    "filename",
                    format!("filename={name} names an existing directory; give directory={name}"),
                );
            }
        }
    }
    Ok(true)
}

/// Bytes of the one file that several jobs share: see the table in [`crate::translate`].
fn shared_bytes(
    options: &Options<'_>,
    pattern: &Pattern,
    job: &mut Job,
    size: u64,
    jobs: u64,
    named: bool,
) -> Answer<u64> {
    let increment =
        options.text("offset_increment").map(|_| options.size("offset_increment")).transpose()?.flatten();
    let Some(all) = size.checked_mul(jobs).filter(|all| *all < 1 << 62) else {
        return options.refuse("numjobs", format!("numjobs={jobs} times size is too large"));
    };
    let whole = format_bytes(all);
    match (named, increment) {
        (false, None | Some(0)) => {
            let share = if pattern.is_random() { "blocks of all of it at random" } else { "a slice each, in order" };
            job.remark(format!(
                "one file of {whole} takes the place of a file of {} for each of {jobs} jobs, which take {share}",
                format_bytes(size)
            ));
            Ok(all)
        }
        (false, Some(_)) => options.refuse(
            "offset_increment",
            "without filename each job has a file of its own and offset_increment leaves holes; remove it, or add \
             filename=",
        ),
        (true, Some(increment)) if increment >= size => {
            if increment > size {
                job.remark("the parts of the jobs lie beside each other: what offset_increment leaves out is left out");
            }
            if pattern.is_random() {
                job.remark(format!(
                    "each of {jobs} jobs takes blocks of all of {whole} at random, not of its part alone"
                ));
            }
            Ok(all)
        }
        (true, None | Some(0)) if pattern.is_random() => Ok(size),
        (true, None | Some(0)) => {
            job.set("whole_file", &true);
            Ok(size)
        }
        (true, Some(_)) => options.refuse(
            "offset_increment",
            format!(
                "[{}] has {jobs} jobs on parts of one file that overlap; take offset_increment={} to give each its own \
                 part",
                options.section.name,
                format_size(size)
            ),
        ),
    }
}

/// The first CPU, if each job is bound to its own CPU and the CPUs are consecutive.
fn first_cpu(options: &Options<'_>, jobs: u64) -> Answer<Option<u64>> {
    if let Some(mask) = options.text("cpumask") {
        return one_cpu(options, mask, jobs).map(Some);
    }
    let Some(text) = options.text("cpus_allowed") else { return Ok(None) };
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let bounds = (parse_count(first), parse_count(last));
    let split = jobs == 1 || options.text("cpus_allowed_policy") == Some("split");
    match bounds {
        (Ok(first), Ok(last)) if split && last.checked_sub(first) == Some(jobs - 1) => Ok(Some(first)),
        _ => options.refuse(
            "cpus_allowed",
            format!(
                "cpus_allowed={text}: each job has one CPU; give as many in a row as jobs, with \
                cpus_allowed_policy=split"
            ),
        ),
    }
}

/// The CPU of a mask with one bit, for one job.
fn one_cpu(options: &Options<'_>, mask: &str, jobs: u64) -> Answer<u64> {
    let bits = match mask.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => mask.parse().ok(),
    };
    match bits.filter(|bits| bits.is_power_of_two() && jobs == 1) {
        Some(bits) => Ok(u64::from(bits.trailing_zeros())),
        None => options.refuse(
            "cpumask",
            format!(
                "cpumask={}: one CPU for one job is supported; use cpus_allowed= with \
                cpus_allowed_policy=split",
                model::printable(mask)
            ),
        ),
    }
}

/// The end of each job: a time, a count of operations, or the earlier of both.
fn length(options: &Options<'_>, pattern: &Pattern, job: &mut Job, size: u64, block: Block) -> Answer<()> {
    let runtime = options.time("runtime")?.unwrap_or(Nanos::ZERO);
    let operations = options.count("number_ios")?.unwrap_or(0);
    let bytes = match size_or_share(options, "io_size", job)? {
        None | Some(0) => size,
        Some(bytes) => bytes,
    };
    let ramp = options.time("ramp_time")?.unwrap_or(Nanos::ZERO);
    let number_ios = if options.switch("time_based")?.unwrap_or(false) {
        if runtime == Nanos::ZERO {
            return options.refuse("time_based", "time_based needs a runtime; add runtime=30s");
        }
        if operations > 0 {
            job.remark("number_ios has no effect with time_based, as in fio");
        }
        0
    } else {
        let whole = bytes / block.bytes_mean;
        if whole == 0 {
            let what = format!("io_size={bytes} is smaller than bs; take at least one block");
            return options.refuse("io_size", what);
        }
        let whole = match options.count("loops")?.unwrap_or(1) {
            0 => return options.refuse("loops", "loops=0 runs nothing; take 1 or more"),
            // As in fio each block that is trimmed is written too, and both count.
            loops if pattern.trims() && pattern.writes() => whole.saturating_mul(loops).saturating_mul(2),
            loops => whole.saturating_mul(loops),
        };
        let whole = whole.min(1 << 40);
        if block.is_split && operations == 0 {
            job.remark("a job ends after as many operations of bssplit as move its bytes on average");
        }
        if ramp > Nanos::ZERO {
            job.remark("what runs in ramp_time does not count towards the end of the job; in fio it does");
        }
        if operations == 0 { whole } else { whole.min(operations) }
    };
    job.set("runtime", &format_duration(runtime));
    job.set("number_ios", &number_ios);
    job.set("ramp_time", &format_duration(ramp));
    Ok(())
}
