//! How far a job goes: its file, the jobs that share it, its end.

use super::job::Job;
use super::load::Pattern;
use super::read::Options;
use super::refusal::Answer;
use crate::quantity::format_size;
use model::Nanos;
use model::units::{format_bytes, format_duration};
use std::path::{Path, PathBuf};

const DEFAULT_BLOCK_BYTES: u64 = 4096;

/// What a path names at present: the answer of the function that [`crate::translate::translate`] is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Nothing.
    Nothing,
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A device, a pipe, or something that cannot be looked at.
    Other,
}

pub(super) fn extent(
    options: &Options<'_>,
    pattern: &Pattern,
    exists: &dyn Fn(&Path) -> Existing,
    job: &mut Job,
) -> Answer<()> {
    let block = block_bytes(options)?;
    let size = size_bytes(options)?;
    if size < block {
        let what = format!(
            "size={} is smaller than bs={}; take a larger size",
            format_size(size),
            format_size(block)
        );
        return options.refuse(if options.text("size").is_some() { "size" } else { "filesize" }, what);
    }
    let jobs = options.count("numjobs")?.unwrap_or(1);
    if jobs == 0 {
        return options.refuse("numjobs", "numjobs=0 runs nothing; take 1 or more");
    }
    job.directory = directory(options)?;
    let named = filename(options, job, exists)?;
    let file_bytes = if jobs == 1 { size } else { shared_bytes(options, pattern, job, size, jobs, named)? };
    job.set("bs", &format_bytes(block));
    job.set("size", &format_bytes(file_bytes));
    job.set("numjobs", &jobs);
    if let Some(first) = first_cpu(options, jobs)? {
        job.set("cpu", &first);
    }
    length(options, job, size, block)
}

fn block_bytes(options: &Options<'_>) -> Answer<u64> {
    let text = options.text("bs").unwrap_or("4k");
    if text.contains([',', '-', ':']) {
        return options.refuse("bs", format!("bs={text}: a job has one block size; give one"));
    }
    match options.size("bs")?.unwrap_or(DEFAULT_BLOCK_BYTES) {
        0 => options.refuse("bs", "bs=0 moves nothing; give a block size"),
        bytes => Ok(bytes),
    }
}

fn size_bytes(options: &Options<'_>) -> Answer<u64> {
    let share = |name: &str| options.text(name).is_some_and(|text| text.ends_with('%'));
    for name in ["size", "io_size"] {
        if share(name) {
            let what =
                format!("option \"{name}\": a share of a file that is there already; give a size such as 1g");
            return options.refuse(name, what);
        }
    }
    match (options.size("size")?, options.size("filesize")?) {
        (Some(size), Some(file)) if size != file => options.refuse(
            "filesize",
            "size and filesize differ; give size= for the file, and io_size= to move more or less than that",
        ),
        (Some(size), _) | (None, Some(size)) => Ok(size),
        (None, None) => {
            options.refuse("size", format!("[{}] gives no size; add size=", options.section.name))
        }
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

/// Whether the job names a file that its jobs share. A file that is there is never touched.
fn filename(options: &Options<'_>, job: &mut Job, exists: &dyn Fn(&Path) -> Existing) -> Answer<bool> {
    let Some(text) = options.text("filename") else { return Ok(false) };
    let names: Vec<&str> = text.split(':').collect();
    for name in &names {
        let path =
            job.directory.as_deref().map_or_else(|| PathBuf::from(name), |directory| directory.join(name));
        let found = if name.starts_with("/dev/") { Existing::Other } else { exists(&path) };
        let what = match found {
            Existing::Nothing => continue,
            Existing::File => "an existing file",
            Existing::Directory => "an existing directory",
            Existing::Other => "a device",
        };
        return options.refuse(
            "filename",
            format!(
                "filename={name} names {what}: Syncline measures only files it makes; leave filename out and give directory="
            ),
        );
    }
    if names.len() > 1 || text.is_empty() || text == "-" {
        let what =
            format!("filename={text}: a job works on one file; leave filename out and give directory=");
        return options.refuse("filename", what);
    }
    job.remark(format!("instead of {text} a file is made in a fresh directory, and removed at the end"));
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
            let share = if pattern.random { "blocks of all of it at random" } else { "a slice each, in order" };
            job.remark(format!(
                "one file of {whole} takes the place of a file of {} for each of {jobs} jobs, which take {share}",
                format_bytes(size)
            ));
            Ok(all)
        }
        (false, Some(_)) => options.refuse(
            "offset_increment",
            "without filename each job has a file of its own and offset_increment leaves holes; remove it, or add filename=",
        ),
        (true, Some(increment)) if increment == size => {
            if pattern.random {
                job.remark(format!(
                    "each of {jobs} jobs takes blocks of all of {whole} at random, not of its part alone"
                ));
            }
            Ok(all)
        }
        (true, None | Some(0)) if pattern.random => Ok(size),
        (true, _) => options.refuse(
            if increment.is_some() { "offset_increment" } else { "numjobs" },
            format!(
                "[{}] has {jobs} jobs on parts of one file that overlap; add offset_increment={} to give each its own part",
                options.section.name,
                format_size(size)
            ),
        ),
    }
}

/// The first CPU, if each job is bound to its own CPU and the CPUs are consecutive.
fn first_cpu(options: &Options<'_>, jobs: u64) -> Answer<Option<u64>> {
    let Some(text) = options.text("cpus_allowed") else { return Ok(None) };
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let bounds = (crate::quantity::parse_count(first), crate::quantity::parse_count(last));
    let split = jobs == 1 || options.text("cpus_allowed_policy") == Some("split");
    match bounds {
        (Ok(first), Ok(last)) if split && last.checked_sub(first) == Some(jobs - 1) => Ok(Some(first)),
        _ => options.refuse(
            "cpus_allowed",
            format!("cpus_allowed={text}: each job has one CPU; give as many in a row as jobs, with cpus_allowed_policy=split"),
        ),
    }
}

/// The end of each job: a time, a count of operations, or the earlier of both.
fn length(options: &Options<'_>, job: &mut Job, size: u64, block: u64) -> Answer<()> {
    let runtime = options.time("runtime")?.unwrap_or(Nanos::ZERO);
    let operations = options.count("number_ios")?.unwrap_or(0);
    let bytes = match options.size("io_size")? {
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
        let whole = bytes / block;
        if whole == 0 {
            let what = format!("io_size={bytes} is smaller than bs; take at least one block");
            return options.refuse("io_size", what);
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
