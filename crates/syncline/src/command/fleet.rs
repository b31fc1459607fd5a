//! `syncline fleet RUN…`: the disks of many machines, compared.

mod again;
pub(super) mod directories;
mod runs;

use crate::analysis::judge;
use crate::arguments::{FleetArguments, ResultFormat};
use crate::document;
use crate::failure::{EXIT_DISK_SLOW, EXIT_UNDECIDED, Failure};
use crate::output;
use crate::page_file;
use crate::request::seed_from_clock;
use fleet::{DiskStatus, Fleet, Statement, Unread, Unused};
use lab::run_directory::RunFiles;
use model::printable;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use verdict::Status;

const WIDTH: usize = 110;

/// Reads the runs, prints the statement, writes the page and the list; the exit code says whether a disk is slow.
pub(crate) fn run(arguments: &FleetArguments) -> Result<ExitCode, Failure> {
    let found = directories::below_all(&arguments.runs)?;
    let mut fleet: Fleet = runs::read(found.runs);
    found.unread.into_iter().for_each(|unread| fleet.add_unread(unread));
    let mut judged = Judged::default();
    let statement = fleet.state(&mut |run, study| judged.failed_audits(run, study));
    match arguments.format {
        ResultFormat::Text => {
            let colour = output::appearance().colour;
            output::print_rendered(&report::fleet(&statement, output::width(WIDTH), colour)).map(drop)
        }
        ResultFormat::Json => document::print(&statement).map(drop),
    }?;
    if let Some(path) = &arguments.html {
        page_file::write(path, &report::fleet_html(&statement))?;
        say(arguments.format, "Page", path)?;
    }
    if let Some(path) = &arguments.remeasure_plan {
        let seed = arguments.seed.unwrap_or_else(seed_from_clock);
        page_file::write(path, &again::plan(&statement, seed)?)?;
        say(arguments.format, "To measure again", path)?;
    }
    ending(&statement)
}

/// Where something was written, if standard output is text.
fn say(format: ResultFormat, what: &str, path: &Path) -> Result<(), Failure> {
    match format {
        ResultFormat::Text => {
            output::print(&format!("\n{what}: {}\n", printable(&path.display().to_string()))).map(drop)
        }
        ResultFormat::Json => Ok(()),
    }
}

/// The verdicts of the runs that would name a disk, each made once.
#[derive(Default)]
struct Judged {
    /// By run, the failed audits of each study. A run that cannot be read any more fails by that.
    runs: BTreeMap<String, Result<BTreeMap<String, Vec<String>>, String>>,
}

impl Judged {
    fn failed_audits(&mut self, run: &str, study: &str) -> Vec<String> {
        match self.runs.entry(run.to_owned()).or_insert_with(|| audits(Path::new(run))) {
            Ok(failed) => failed.get(study).cloned().unwrap_or_default(),
            Err(why) => vec![why.clone()],
        }
    }
}

fn audits(path: &Path) -> Result<BTreeMap<String, Vec<String>>, String> {
    let files = RunFiles::open(path).map_err(|error| error.to_string())?;
    let run = files.run().map_err(|error| error.to_string())?;
    let failed = |study: &verdict::StudyVerdict| {
        let failed = study.audits.iter().filter(|audit| audit.status == Status::Fail);
        failed.map(|audit| audit.name.clone()).collect()
    };
    let studies = judge(&files, &run).studies;
    Ok(studies.iter().map(|study| (study.name.clone(), failed(study))).collect())
}

/// A slow disk comes first, then a run that cannot be read, then what is open.
fn ending(statement: &Statement) -> Result<ExitCode, Failure> {
    let is_any = |standing| statement.standing(standing).next().is_some();
    if is_any(DiskStatus::Slow) {
        return Ok(ExitCode::from(EXIT_DISK_SLOW));
    }
    let is_unreadable = |unread: &&Unread| matches!(unread.why, Unused::Unreadable { .. });
    let unreadable = statement.unread.iter().filter(is_unreadable).count();
    if unreadable > 0 {
        let of = statement.runs + statement.unread.len();
        return Err(Failure::Runtime(format!("{unreadable} of {of} run directories cannot be read")));
    }
    let is_open = is_any(DiskStatus::Suspect) || statement.is_incomplete() || statement.tests == 0;
    Ok(if is_open { ExitCode::from(EXIT_UNDECIDED) } else { ExitCode::SUCCESS })
}
