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
//! | `filename`, in order | the same: each job goes through the whole file (parameter `whole_file`) |
//! | `filename`, random, `offset_increment` = `size` | each job draws from all of `size` × `numjobs`, with a remark |
//! | no `filename`: a file for each job | one file of `size` × `numjobs`, with a remark |
//!
//! # Several sections
//! fio runs sections beside each other unless `stonewall` or `wait_for` separates them. See `together`: equal sections
//! are jobs of one, readers run beside writers, and others are kinds of jobs that end together.
//!
//! # Mixes with a rate
//! `rate_iops=N` lets fio's reads and writes each have N a second: 2 N in all. `rate_iops=R,W` becomes R + W if that
//! agrees with `rwmixread`.

mod beside;
mod block;
mod depths;
mod engine;
mod extent;
mod job;
mod load;
mod order;
mod pause;
mod rate;
mod read;
mod refusal;
mod section;
mod submission;
mod syncs;
mod teams;
mod together;
mod verification;

pub use extent::Existing;
pub use job::Job;

use crate::job::{JobError, JobFile, PROBLEMS_MAX, Problem};
use crate::options;
use read::Options;
use refusal::Refusal;
use std::path::Path;

/// Everything that is wrong with a job file, in the order of lines; one line each when printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobErrors(pub Vec<JobError>);

impl std::fmt::Display for JobErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            write!(f, "{}{error}", if index == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for JobErrors {}

/// Translates every section, in file order; `exists` looks at paths that the job file names. The error has every
/// problem of the file: lines that cannot be read, options that are not supported, and values that make no sense.
pub fn translate(file: &JobFile, exists: impl Fn(&Path) -> Existing) -> Result<Vec<Job>, JobErrors> {
    let mut refusals = unread(file);
    let (groups, out_of_order) = together::groups(file);
    let mut jobs = Vec::new();
    let engines = engines_without_equal(&groups);
    if engines.is_empty() {
        let mut found = refused_options(file);
        found.extend(out_of_order);
        for group in groups {
            let translated = together::translate(&group, &exists)
                .and_then(|job| depths::depths(&group, job).map_err(|refusal| vec![refusal]));
            match translated {
                Ok(of_group) => jobs.extend(of_group),
                Err(of_group) => found.extend(of_group),
            }
        }
        // Nothing is judged on a line whose value could not be put in its place.
        found.retain(|refusal| file.problems.iter().all(|problem| problem.line != refusal.line));
        refusals.extend(found);
    } else {
        refusals = engines;
    }
    if refusals.is_empty() {
        name_apart(&mut jobs);
        return Ok(jobs);
    }
    refusals.sort_by_key(|refusal| refusal.line);
    // A mistake in [global] is found once for each section.
    refusals.dedup_by(|a, b| a.line == b.line && a.what == b.what);
    refusals.truncate(PROBLEMS_MAX);
    let error = |refusal: Refusal| file.error(refusal.line, refusal.what);
    Err(JobErrors(refusals.into_iter().map(error).collect()))
}

fn unread(file: &JobFile) -> Vec<Refusal> {
    let refusal = |problem: &Problem| Refusal { line: problem.line, what: problem.what.clone() };
    file.problems.iter().map(refusal).collect()
}

/// Each engine once, at its first line.
fn engines_without_equal(groups: &[Vec<Options<'_>>]) -> Vec<Refusal> {
    let mut refusals: Vec<Refusal> = Vec::new();
    for refusal in groups.iter().flatten().filter_map(engine::refusal) {
        if refusals.iter().all(|known| known.what != refusal.what) {
            refusals.push(refusal);
        }
    }
    refusals
}

fn refused_options(file: &JobFile) -> Vec<Refusal> {
    let settings = file.globals.iter().chain(file.sections.iter().flat_map(|section| &section.settings));
    let refused = settings.filter_map(|setting| {
        let what = options::check(&setting.name, setting.value.as_deref()).err()?;
        Some(Refusal { line: setting.line, what })
    });
    refused.take(PROBLEMS_MAX).collect()
}

/// A run distinguishes jobs by their names, and fio does not: `name` in [global] names all of them.
fn name_apart(jobs: &mut [Job]) {
    let choices: [fn(&Job) -> String; 2] =
        [|job| job.section.clone(), |job| format!("{} {}", job.section, job.line)];
    for chosen in choices {
        let names: Vec<String> = jobs.iter().map(|job| job.name.clone()).collect();
        for job in jobs.iter_mut() {
            if names.iter().filter(|name| **name == job.name).count() > 1 {
                job.name = chosen(job);
            }
        }
    }
}
