//! `syncline fio JOB.fio`: a fio job file as a study of named arms.

use crate::arguments::{FioArguments, ResultFormat};
use crate::failure::Failure;
use crate::fio_results::{self, PROFILE};
use crate::input_file;
use crate::output::{self, tell};
use crate::publish::{WIDTH, publish_session};
use crate::request::{Request, TracedTrials};
use crate::servers::Wanted;
use crate::session::Finished;
use crate::signals::interrupted_by_signals;
use advice::Advice;
use fio::job::Reader;
use fio::translate::{Existing, Job};
use lab::plan::Overrides;
use model::run::Run;
use model::study::{Profile, Study};
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use verdict::Verdict;
use verdict::explanation::Explanation;

/// What a job is looked at for.
const RESPONSES: [&str; 4] =
    ["iops", "bandwidth_bytes_per_s", "completion_latency_p50_us", "completion_latency_p99_us"];
/// The same of a job that syncs: the time of a sync is in no completion latency.
const SYNC_RESPONSES: [&str; 2] = ["sync_latency_p50_us", "sync_latency_p99_us"];
/// A job file is a page of text.
const JOB_BYTES_MAX: u64 = 2 << 20;

/// Translates the job file, runs it, reports.
pub(crate) fn run(arguments: &FioArguments) -> Result<ExitCode, Failure> {
    let jobs = read(arguments)?;
    for line in remarks(&jobs) {
        tell(line);
    }
    let dir = match &arguments.dir {
        Some(dir) => dir.clone(),
        None => directory(&jobs)?,
    };
    let study = study(arguments.job.as_deref(), &jobs, arguments.rounds);
    let interrupted = interrupted_by_signals()?;
    let request = Request {
        studies: &[study],
        database: None,
        overrides: &Overrides { profile: Some(PROFILE.to_owned()), ..Overrides::default() },
        dir: &dir,
        out: arguments.out.as_deref(),
        rank: None,
        sharers: 1,
        again: false,
        seed: arguments.seed,
        wanted: Wanted::default(),
        budget: None,
        what_is_possible: false,
        traced: TracedTrials::None,
        interrupted: &interrupted,
    };
    if arguments.dry_run {
        return request.rehearse()?.print(arguments.format);
    }
    let session = request.begin()?;
    let Finished { directory: run_directory, closed, account: _ } = session.conduct(&interrupted)?;
    let code = match arguments.format {
        ResultFormat::Text => {
            let (files, run) = (run_directory.files(), run_directory.run());
            let figures = fio_results::figures(files, run);
            let text = |run: &Run, verdict: &Verdict, _: &[Advice], _: &[Explanation]| {
                report::job(run, verdict, figures.clone(), output::width(WIDTH), output::appearance().colour)
            };
            publish_session(files, run, ResultFormat::Text, text)
        }
        ResultFormat::Json => fio_results::print(run_directory.files(), run_directory.run()),
    };
    closed.and(code)
}

/// What the arguments describe: options behind `--`, then the job file, then what overrules both.
fn read(arguments: &FioArguments) -> Result<Vec<Job>, Failure> {
    let mut reader = Reader::new(&include);
    reader.read_arguments(&arguments.options);
    let mut name = "command line".to_owned();
    if let Some(path) = &arguments.job {
        name = path.display().to_string();
        let bytes = input_file::read(path, JOB_BYTES_MAX)
            .map_err(|error| Failure::Usage(format!("{name}: cannot read the job file: {error}")))?;
        reader.read_file(&name, &bytes);
    }
    let mut file = reader.finish(&name);
    if let Some(size) = &arguments.size {
        file.overrule("size", size, &["filesize", "io_size", "io_limit"]);
    }
    if let Some(runtime) = &arguments.runtime {
        file.overrule("runtime", runtime, &["timeout", "number_ios", "loops"]);
        file.overrule("time_based", "1", &[]);
    }
    if arguments.stonewall {
        file.overrule("stonewall", "1", &[]);
    }
    let overruled: &[&str] = if arguments.dir.is_some() { &["directory"] } else { &[] };
    for variable in fio::expand(&mut file, overruled, |variable| env::var(variable).ok()) {
        tell(format!("${{{variable}}} is taken from the environment"));
    }
    fio::translate::translate(&file, existing)
        .map_err(|errors| Failure::Several(errors.0.iter().map(ToString::to_string).collect()))
}

/// An included file: as fio does, by its name as it stands, else beside the file that includes it.
fn include(name: &str, from: &str) -> Result<(String, Vec<u8>), String> {
    let as_named = PathBuf::from(name);
    let path = match Path::new(from).parent() {
        Some(directory) if !as_named.exists() => directory.join(name),
        Some(_) | None => as_named,
    };
    let bytes = input_file::read(&path, JOB_BYTES_MAX).map_err(|error| error.to_string())?;
    Ok((path.display().to_string(), bytes))
}

/// Where jobs mean something other than in fio, each remark once with the jobs that it is about.
fn remarks(jobs: &[Job]) -> Vec<String> {
    let mut told: Vec<(&str, Vec<&str>)> = Vec::new();
    for (remark, job) in jobs.iter().flat_map(|job| job.remarks.iter().map(move |remark| (remark, job))) {
        match told.iter_mut().find(|(known, _)| known == remark) {
            Some((_, names)) => names.push(&job.name),
            None => told.push((remark, vec![&job.name])),
        }
    }
    let line = |(remark, names): (&str, Vec<&str>)| match names[..] {
        [_, _, ..] if names.len() == jobs.len() => format!("[every job] {remark}"),
        [first, second, third, _, ..] => {
            format!("[{first}, {second}, {third} and {} more] {remark}", names.len() - 3)
        }
        _ => format!("[{}] {remark}", names.join(", ")),
    };
    told.into_iter().map(line).collect()
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
fn study(path: Option<&Path>, jobs: &[Job], rounds: u32) -> Study {
    let stem = path.and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
    let stem = stem.unwrap_or_else(|| jobs.first().map(|job| job.name.clone()).unwrap_or_default());
    let arm = |job: &Job| -> BTreeMap<String, String> {
        job.values.iter().cloned().chain([("name".to_owned(), job.name.clone())]).collect()
    };
    let sync_responses: &[&str] = if jobs.iter().any(Job::syncs) { &SYNC_RESPONSES } else { &[] };
    let responses = RESPONSES.iter().chain(sync_responses).copied();
    Study {
        name: stem.replace(|c: char| !c.is_ascii_alphanumeric(), "-").to_lowercase(),
        question: format!("What does the fio job {stem} measure on this disk?"),
        workload: workload::device::SCHEMA.workload().to_owned(),
        arms: jobs.iter().map(arm).collect(),
        responses: responses.map(str::to_owned).collect(),
        baseline: jobs.first().map(|job| ("arm".to_owned(), job.name.clone())).into_iter().collect(),
        profiles: BTreeMap::from([(
            PROFILE.to_owned(),
            Profile { rounds: Some(rounds), warmup_rounds: Some(0), ..Profile::default() },
        )]),
        ..Study::default()
    }
}
