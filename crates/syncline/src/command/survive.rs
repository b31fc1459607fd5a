//! `syncline survive`: what an acknowledged write survives on each database, and what that costs.

mod series_file;
mod session;

use crate::arguments::SurviveArguments;
use crate::document;
use crate::failure::{EXIT_REFUTED, EXIT_UNDECIDED, Failure};
use crate::output::{self, tell};
use crate::request::seed_from_clock;
use crate::requirements::{require_place, require_storage};
use crate::signals;
use disk::kernel::scheduling::private_mounts;
use disk::work_directory::WorkDirectory;
use series_file::SeriesFile;
use server::Home;
use session::{Session, Steps};
use std::path::Path;
use std::process::ExitCode;
use survive::{Limits, Report, SeriesSettings, Standing, unsupported};

/// Crashes every promise, measures what each costs, and prints both side by side.
pub(crate) fn run(arguments: &SurviveArguments) -> Result<ExitCode, Failure> {
    let interrupted = signals::interrupted_by_signals()?;
    let folder = arguments.dir.as_deref().unwrap_or(Path::new("."));
    require_place(folder)?;
    if let Some(trees) = arguments.server_trees.as_deref().filter(|trees| !trees.is_dir()) {
        return Err(Failure::Usage(format!("--server-trees {}: no such directory", trees.display())));
    }
    if arguments.rounds > 0 {
        require_storage(folder, &[])?;
    }
    WorkDirectory::clean_abandoned_of_this_host(folder).map_err(Failure::runtime)?;
    Home::clean_abandoned().map_err(Failure::runtime)?;
    let file = arguments.out.as_deref().map(SeriesFile::open).transpose()?;
    let of_file = file.as_ref().and_then(SeriesFile::seed);
    let seed = arguments.seed.or(of_file).unwrap_or_else(seed_from_clock);
    if let Some(file) = &file {
        let (file_system, limits) = (arguments.file_system, Limits::default());
        file.begin(&SeriesSettings::new(file_system, arguments.create, &limits, seed))?;
    }
    let work = WorkDirectory::create(folder).map_err(Failure::runtime)?;
    let no_crashes = unsupported(arguments.file_system, &Limits::default()).map(|why| why.to_string());
    // What this process mounts ends with it, also if it is killed. Left to the next start, a dead disk keeps mkfs.btrfs
    // of everybody from working: it looks at every loop device that is mounted.
    let no_crashes = no_crashes.or_else(|| private_mounts().err().map(|why| why.to_string()));
    if let Some(why) = &no_crashes {
        tell(format!("no crashes: {why}"));
    }
    let session = Session {
        arguments,
        no_crashes,
        work: &work,
        file: file.as_ref(),
        seed,
        interrupted: &interrupted,
        steps: Steps::default(),
    };
    let report = session.report(folder);
    // Whatever has ended the crashes, and whether or not it also keeps the directory from being removed.
    let removed = work.remove().map_err(Failure::runtime);
    let is_removed = removed.is_ok();
    removed.unwrap_or_else(output::report_error);
    let report = report?;
    document::publish(&report, &report.document(), arguments.format, arguments.html.as_deref())?;
    finish(arguments, &report, is_removed)
}

/// Says why something is missing; the exit code says the most important of it.
fn finish(arguments: &SurviveArguments, report: &Report, is_removed: bool) -> Result<ExitCode, Failure> {
    let next = match &arguments.out {
        Some(_) => "the same command goes on where the file of --out ends",
        None => "with --out FILE a series can go on where it was stopped",
    };
    let code = ending(report, !arguments.servers.is_empty());
    match &report.ended {
        None if code == ExitCode::SUCCESS && !is_removed => Ok(ExitCode::FAILURE),
        None => Ok(code),
        Some(ended) if ended.is_interrupted && code != ExitCode::from(EXIT_REFUTED) => {
            Err(Failure::Interrupted(next.to_owned()))
        }
        Some(ended) => {
            output::report_error(format_args!("syncline: ended early: {}; {next}", ended.why));
            Ok(code)
        }
    }
}

/// A broken promise comes first, then what was not checked.
fn ending(report: &Report, are_named: bool) -> ExitCode {
    let is_any = |standing| report.subjects.iter().any(|of| of.standing() == standing);
    if is_any(Standing::Broken) {
        ExitCode::from(EXIT_REFUTED)
    } else if is_any(Standing::NotChecked)
        || report.ended.is_some()
        || report.subjects.is_empty()
        || are_named && !report.absent.is_empty()
    {
        ExitCode::from(EXIT_UNDECIDED)
    } else {
        ExitCode::SUCCESS
    }
}
