//! `syncline run`: resolve, check, conduct, report.

use crate::analysis::shown;
use crate::arguments::RunArguments;
use crate::failure::Failure;
use crate::launched;
use crate::output::tell_lines;
use crate::publish::{outcome, publish_session};
use crate::request::{Request, TracedTrials};
use crate::resumption::Resumption;
use crate::servers::Wanted;
use crate::session::Finished;
use crate::signals::interrupted_by_signals;
use crate::studies::{self, ANSWER, ANSWER_PROFILE, TRACED_TRIALS};
use crate::tracing;
use lab::plan::Overrides;
use model::plan::Turns;
use model::study::Study;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// Runs studies, or what is missing of them, and reports.
pub(crate) fn run(arguments: &RunArguments) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let interrupted = interrupted_by_signals()?;
    let session = match &arguments.resume {
        Some(path) => Resumption {
            path,
            allow_different: &arguments.allow_different,
            dir: arguments.dir.as_deref(),
            wanted: wanted(arguments),
            budget: arguments.budget,
            interrupted: &interrupted,
        }
        .open()?,
        None => {
            let database = wanted_database(arguments)?;
            let is_answer = arguments.studies.is_empty() || database.is_some();
            let studies = wanted_studies(arguments, database)?;
            let overrides = Overrides {
                profile: arguments.profile.clone().or(is_answer.then(|| ANSWER_PROFILE.to_owned())),
                vary: arguments.vary.clone(),
                fix: fixed(arguments),
                rounds: arguments.rounds,
                cpu: arguments.cpu,
                turns: arguments.interleave.unwrap_or(Turns::Auto),
            };
            let rank = launched::rank(&arguments.rank)?;
            let request = Request {
                studies: &studies,
                database,
                overrides: &overrides,
                dir: arguments.dir.as_deref().unwrap_or(Path::new(".")),
                out: arguments.out.as_deref(),
                rank,
                sharers: 1,
                again: arguments.rank.again,
                seed: arguments.seed,
                wanted: wanted(arguments),
                budget: arguments.budget.or(studies::usual_budget(&arguments.studies, database)),
                what_is_possible: is_answer,
                traced: traced(arguments)?,
                interrupted: &interrupted,
            };
            if arguments.shared {
                return shared(&request, arguments);
            }
            if arguments.dry_run {
                return request.rehearse()?.print(arguments.format);
            }
            request.begin()?
        }
    };
    let Finished { directory, closed, account } = session.conduct(&interrupted)?;
    let reporting = Instant::now();
    let code = shown(directory.run(), arguments.redact)
        .and_then(|run| publish_session(directory.files(), &run, arguments.format, outcome));
    let (reporting_s, wall_s) = (reporting.elapsed().as_secs_f64(), started.elapsed().as_secs_f64());
    if launched::reports_progress(&directory.run().plan) {
        tell_lines(account.sentences(reporting_s, wall_s));
    }
    closed.and(code)
}

/// Three trials of each configuration if they are wanted, which has to be possible.
fn traced(arguments: &RunArguments) -> Result<TracedTrials, Failure> {
    if !arguments.explain {
        return Ok(TracedTrials::None);
    }
    match tracing::unsupported().filter(|_| !arguments.dry_run) {
        Some(why) => Err(Failure::Runtime(format!("--explain: {why}"))),
        None => Ok(TracedTrials::OfEach(TRACED_TRIALS)),
    }
}

/// Measures with all ranks of the launch; rank 0 reports its own run, and what all did together.
#[cfg(feature = "mpi")]
fn shared(request: &Request<'_>, arguments: &RunArguments) -> Result<ExitCode, Failure> {
    crate::shared::conduct(request, |directory| {
        shown(directory.run(), arguments.redact)
            .and_then(|run| crate::publish::publish(directory.files(), &run, arguments.format))
    })
}

#[cfg(not(feature = "mpi"))]
fn shared(_: &Request<'_>, _: &RunArguments) -> Result<ExitCode, Failure> {
    Err(Failure::Usage("MPI is not built in, which --shared needs: build with `make build WITH=mpi` or `cargo build --features mpi`".to_owned()))
}

/// The parameters that have one value, the dataset among them.
fn fixed(arguments: &RunArguments) -> Vec<(String, String)> {
    let target =
        arguments.target.clone().map(|target| (workload::scan::PARAMETERS.target.name().to_owned(), target));
    arguments.fix.iter().cloned().chain(target).collect()
}

/// The database that `--for` names, or that stands alone in the place of a study.
fn wanted_database(arguments: &RunArguments) -> Result<Option<&str>, Failure> {
    let named = match arguments.studies.as_slice() {
        [name] => studies::database_in_place_of_study(name),
        _ => None,
    };
    if named.is_some() && (arguments.profile.is_some() || arguments.shared) {
        return Err(Failure::Usage("a run for a database takes neither --profile nor --shared".to_owned()));
    }
    Ok(arguments.database.as_deref().or(named))
}

/// The studies that are named, those of a database's settings, or those of the answer.
fn wanted_studies(arguments: &RunArguments, database: Option<&str>) -> Result<Vec<Study>, Failure> {
    if let Some(database) = database {
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
        journal: None,
        is_shared: false,
    }
}
