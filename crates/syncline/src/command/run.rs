//! `syncline run`: resolve, check, conduct, report.

use crate::analysis::shown;
use crate::arguments::RunArguments;
use crate::budget::{budget_left, last_trial_ends};
use crate::failure::Failure;
use crate::output::{tell, tell_lines};
use crate::premises::DiskPremises;
use crate::program;
use crate::publish::publish;
use crate::replicates::{self, Instrument};
use crate::request::Request;
use crate::requirements::{
    require_direct, require_place, require_real_time, require_same_disk, require_storage,
};
use crate::servers::{self, IfAbsent, Wanted};
use crate::session::{Finished, Session};
use crate::signals::interrupted_by_signals;
use crate::studies::{self, ANSWER, ANSWER_PROFILE};
use lab::plan::Overrides;
use lab::run_directory::RunDirectory;
use model::plan::Turns;
use model::study::Study;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

const ANSWER_BUDGET: Duration = Duration::from_mins(5);
/// Runs studies, or what is missing of them, and reports.
pub(crate) fn run(arguments: &RunArguments) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let interrupted = interrupted_by_signals()?;
    let session = match &arguments.resume {
        Some(path) => resume(path, arguments, &interrupted)?,
        None => {
            let is_answer = arguments.studies.is_empty();
            let studies = wanted_studies(arguments)?;
            let overrides = Overrides {
                profile: arguments.profile.clone().or(is_answer.then(|| ANSWER_PROFILE.to_owned())),
                vary: arguments.vary.clone(),
                fix: arguments.fix.clone(),
                rounds: arguments.rounds,
                cpu: arguments.cpu,
                turns: arguments.interleave.unwrap_or(Turns::Auto),
            };
            let request = Request {
                studies: &studies,
                database: arguments.database.as_deref(),
                overrides: &overrides,
                dir: arguments.dir.as_deref().unwrap_or(Path::new(".")),
                out: arguments.out.as_deref(),
                seed: arguments.seed,
                wanted: wanted(arguments),
                budget: arguments.budget.or(is_answer.then_some(ANSWER_BUDGET)),
                what_is_possible: is_answer,
                interrupted: &interrupted,
            };
            if arguments.dry_run {
                return request.rehearse()?.print(arguments.format);
            }
            request.begin()?
        }
    };
    let Finished { directory, closed, account } = session.conduct(&interrupted)?;
    let reporting = Instant::now();
    let code = shown(directory.run(), arguments.redact)
        .and_then(|run| publish(directory.files(), &run, arguments.format));
    let (reporting_s, wall_s) = (reporting.elapsed().as_secs_f64(), started.elapsed().as_secs_f64());
    tell_lines(account.sentences(reporting_s, wall_s));
    closed.and(code)
}

/// The studies that are named, those of a database's settings, or those of the answer.
fn wanted_studies(arguments: &RunArguments) -> Result<Vec<Study>, Failure> {
    if let Some(database) = &arguments.database {
        return studies::for_database(database);
    }
    let named = arguments.studies.iter().map(String::as_str);
    let names: Vec<&str> = if arguments.studies.is_empty() { ANSWER.to_vec() } else { named.collect() };
    names.into_iter().map(studies::find).collect()
}

/// The PostgreSQL server that the options name.
fn wanted(arguments: &RunArguments) -> Wanted<'_> {
    Wanted {
        programs: arguments.pg_bin.as_deref(),
        dsn: arguments.dsn.as_deref(),
        dsn_file: arguments.dsn_file.as_deref(),
    }
}

fn resume(path: &Path, arguments: &RunArguments, interrupted: &AtomicBool) -> Result<Session, Failure> {
    let directory = RunDirectory::resume(path).map_err(Failure::runtime)?;
    let run = directory.run();
    let own = program::identity()?;
    // Runs from before programs were recorded have only the version.
    let (begun_by, this) = match directory.files().program().map_err(Failure::runtime)? {
        Some(begun_by) => (begun_by.to_string(), own.to_string()),
        None => (run.plan.program_version.clone(), own.version),
    };
    let before = Instrument { host: &run.host, program: &begun_by };
    let here = lab::host::facts();
    let now = Instrument { host: &here, program: &this };
    replicates::require_same(before, now, &arguments.allow_different)?;
    let dir = arguments.dir.as_deref().unwrap_or(&run.plan.directory);
    let wanted = wanted(arguments);
    servers::require_named(run.plan.server.as_ref(), wanted)?;
    let server = servers::find(&run.plan.studies, wanted, IfAbsent::RecordUnsupported, dir, interrupted)?;
    servers::require_same(run.plan.server.as_ref(), &server)?;
    require_place(dir)?;
    require_storage(dir, &run.plan.studies)?;
    run.plan.studies.iter().try_for_each(require_real_time)?;
    let mut premises = DiskPremises::open(dir, &run.plan.studies)?;
    premises.serve(server.source);
    require_same_disk(run, premises.directory())?;
    require_direct(premises.directory(), &run.plan.studies)?;
    let left = arguments.budget.or_else(|| budget_left(run));
    if left.is_some_and(|left| left.is_zero()) {
        tell("the budget of this run is used up: to continue, add more with --budget");
    }
    Ok(Session { directory, premises, ends: left.map(last_trial_ends) })
}
