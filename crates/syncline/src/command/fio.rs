//! `syncline fio JOB.fio`: a fio job file as a study of named arms.

use crate::arguments::{FioArguments, ResultFormat};
use crate::failure::Failure;
use crate::fio_results;
use crate::input_file;
use crate::output::tell;
use crate::publish::publish;
use crate::request::Request;
use crate::servers::Wanted;
use crate::session::Finished;
use crate::signals::interrupted_by_signals;
use fio::translate::{Existing, Job};
use lab::plan::Overrides;
use model::study::{Profile, Study};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The one profile of such a study.
const PROFILE: &str = "job";
/// What a job is looked at for.
const RESPONSES: [&str; 4] =
    ["iops", "bandwidth_bytes_per_s", "completion_latency_p50_us", "completion_latency_p99_us"];
/// A job file is a page of text.
const JOB_BYTES_MAX: u64 = 2 << 20;

/// Translates the job file, runs it, reports.
pub(crate) fn run(arguments: &FioArguments) -> Result<ExitCode, Failure> {
    let jobs = read(&arguments.job)?;
    for job in &jobs {
        for remark in &job.remarks {
            tell(format!("[{}] {remark}", job.name));
        }
    }
    let dir = match &arguments.dir {
        Some(dir) => dir.clone(),
        None => directory(&jobs)?,
    };
    let study = study(&arguments.job, &jobs, arguments.rounds);
    let interrupted = interrupted_by_signals()?;
    let request = Request {
        studies: &[study],
        database: None,
        overrides: &Overrides { profile: Some(PROFILE.to_owned()), ..Overrides::default() },
        dir: &dir,
        out: arguments.out.as_deref(),
        rank: None,
        seed: arguments.seed,
        wanted: Wanted::default(),
        budget: None,
        what_is_possible: false,
        interrupted: &interrupted,
    };
    if arguments.dry_run {
        return request.rehearse()?.print(arguments.format);
    }
    let session = request.begin()?;
    let Finished { directory: run_directory, closed, account: _ } = session.conduct(&interrupted)?;
    let code = match arguments.format {
        ResultFormat::Text => publish(run_directory.files(), run_directory.run(), ResultFormat::Text),
        ResultFormat::Json => fio_results::print(run_directory.files(), run_directory.run()),
    };
    closed.and(code)
}

fn read(path: &Path) -> Result<Vec<Job>, Failure> {
    let name = path.display().to_string();
    let bytes = input_file::read(path, JOB_BYTES_MAX)
        .map_err(|error| Failure::Usage(format!("{name}: cannot read the job file: {error}")))?;
    let file = fio::job::parse(&name, &bytes).map_err(Failure::usage)?;
    fio::translate::translate(&file, existing)
        .map_err(|errors| Failure::Several(errors.0.iter().map(ToString::to_string).collect()))
}

/// What a path that the job names is; it is looked at, never opened.
fn existing(path: &Path) -> Existing {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Existing::File,
        Ok(metadata) if metadata.is_dir() => Existing::Directory,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Existing::Nothing,
        // What cannot be looked at may be anything.
        Ok(_) | Err(_) => Existing::Other,
    }
}

/// The one directory that the jobs name, or the current one.
fn directory(jobs: &[Job]) -> Result<PathBuf, Failure> {
    let mut named = jobs.iter().filter_map(|job| job.directory.as_ref());
    let Some(first) = named.next() else { return Ok(PathBuf::from(".")) };
    match named.find(|other| *other != first) {
        None => Ok(first.clone()),
        Some(other) => Err(Failure::Usage(format!(
            "the jobs name the directories {} and {}, but a run measures one disk: name it with --dir",
            first.display(),
            other.display()
        ))),
    }
}

/// Every job is an arm. fio's order is not kept: like every study's, each round has its own.
fn study(path: &Path, jobs: &[Job], rounds: u32) -> Study {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let arm = |job: &Job| -> BTreeMap<String, String> {
        job.values.iter().cloned().chain([("name".to_owned(), job.name.clone())]).collect()
    };
    Study {
        name: stem.replace(|c: char| !c.is_ascii_alphanumeric(), "-").to_lowercase(),
        question: format!("What does the fio job file {stem} measure on this disk?"),
        workload: workload::device::SCHEMA.workload().to_owned(),
        arms: jobs.iter().map(arm).collect(),
        responses: RESPONSES.map(str::to_owned).to_vec(),
        baseline: jobs.first().map(|job| ("arm".to_owned(), job.name.clone())).into_iter().collect(),
        profiles: BTreeMap::from([(
            PROFILE.to_owned(),
            Profile { rounds: Some(rounds), warmup_rounds: Some(0), ..Profile::default() },
        )]),
        ..Study::default()
    }
}
