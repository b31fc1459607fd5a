//! From a job file to parameters of the workload `device`, or to a refusal for each option that has no equal here.
//!
//! fio's own defaults are translated too, so a job means here what it means to fio: `bs=4k`, `iodepth=1`,
//! `ioengine=psync`, `direct=0`, `numjobs=1`, `invalidate=1` (a cold cache), `fadvise_hint=1` (advice that follows the
//! pattern).
//!
//! # Length
//! With `time_based` a job lasts `runtime`, and fio ignores `size`, `io_size` and `number_ios` as its end. Without, it
//! ends after `size` bytes (`io_size`, if given) or `number_ios` operations or `runtime`, whichever comes first; the
//! first two become one count of operations for each job.
//!
//! # Several jobs in a section
//! In fio each of `numjobs` starts at offset 0 of its file and moves `size` bytes; here jobs share one file, and those
//! that go in order get a slice each. So:
//!
//! | fio | here |
//! |---|---|
//! | `filename`, random | the same: one file of `size` |
//! | `filename`, in order, `offset_increment` = `size` | the same: slices of a file of `size` × `numjobs` |
//! | `filename`, in order, otherwise | refused: the jobs would follow each other through the page cache |
//! | `filename`, random, `offset_increment` = `size` | each job draws from all of `size` × `numjobs`, with a remark |
//! | no `filename`: a file for each job | one file of `size` × `numjobs`, with a remark |
//!
//! # Several sections
//! fio runs sections beside each other unless `stonewall` separates them. Here one runs after another, so each section
//! after the first needs `stonewall`.
//!
//! # Mixes with a rate
//! `rate_iops=N` lets fio's reads and writes each have N a second: 2 N in all. `rate_iops=R,W` becomes R + W if that
//! agrees with `rwmixread`.

mod extent;
mod job;
mod load;
mod read;
mod refusal;
mod submission;

pub use extent::Existing;
pub use job::Job;

use crate::job::{JobError, JobFile, Section};
use crate::options;
use read::Options;
use refusal::{Answer, Refusal};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Everything that is wrong with a job file, in the order of lines; one line each when printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobErrors(pub Vec<JobError>);

/// More errors than this do not help.
const ERRORS_MAX: usize = 50;

impl std::fmt::Display for JobErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            write!(f, "{}{error}", if index == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for JobErrors {}

/// Translates every section, in file order; `exists` looks at paths that the job file names.
pub fn translate(file: &JobFile, exists: impl Fn(&Path) -> Existing) -> Result<Vec<Job>, JobErrors> {
    let mut refusals = refused_options(file);
    let mut jobs = Vec::new();
    if refusals.is_empty() {
        let mut inherited = BTreeMap::new();
        let mut merged = 0;
        let mut previous: Option<&Section> = None;
        for section in &file.sections {
            while merged < section.globals {
                read::insert(&mut inherited, &file.globals[merged]);
                merged += 1;
            }
            let mut settings = inherited.clone();
            for setting in &section.settings {
                read::insert(&mut settings, setting);
            }
            match translate_section(&Options { section, settings }, previous, &exists) {
                Ok(job) => jobs.push(job),
                Err(refusal) => refusals.push(refusal),
            }
            previous = Some(section);
        }
    }
    if refusals.is_empty() {
        return Ok(jobs);
    }
    refusals.sort_by_key(|refusal| refusal.line);
    // A mistake in [global] is found once for each section.
    refusals.dedup_by(|a, b| a.line == b.line && a.what == b.what);
    refusals.truncate(ERRORS_MAX);
    let error =
        |refusal: Refusal| JobError { file: file.file.clone(), line: refusal.line, what: refusal.what };
    Err(JobErrors(refusals.into_iter().map(error).collect()))
}

fn refused_options(file: &JobFile) -> Vec<Refusal> {
    let settings = file.globals.iter().chain(file.sections.iter().flat_map(|section| &section.settings));
    let refused = settings
        .filter_map(|setting| options::check(setting).err().map(|what| Refusal { line: setting.line, what }));
    refused.take(ERRORS_MAX).collect()
}

fn translate_section(
    options: &Options<'_>,
    previous: Option<&Section>,
    exists: &dyn Fn(&Path) -> Existing,
) -> Answer<Job> {
    let section = options.section;
    if let Some(previous) = previous
        && !options.switch("stonewall")?.unwrap_or(false)
    {
        return Err(Refusal {
            line: section.line,
            what: format!(
                "[{}] would run beside [{}] of line {}, and Syncline runs one after another; add stonewall to [{}]",
                section.name, previous.name, previous.line, section.name
            ),
        });
    }
    let mut job = Job {
        name: options.text("name").unwrap_or(&section.name).to_owned(),
        line: section.line,
        values: Vec::new(),
        remarks: options.remarks(),
        directory: None,
    };
    let pattern = load::pattern(options, &mut job)?;
    submission::submission(options, &pattern, &mut job)?;
    extent::extent(options, &pattern, exists, &mut job)?;
    load::payload(options, &pattern, &mut job)?;
    load::syncs(options, &pattern, &mut job)?;
    load::rate(options, &pattern, &mut job)?;
    load::cache(options, &mut job)?;
    let mut seen = BTreeSet::new();
    job.remarks.retain(|remark| seen.insert(remark.clone()));
    Ok(job)
}
