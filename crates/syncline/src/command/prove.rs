//! `syncline prove`: settings on a real database against what runs there now, stage by stage.

mod asked;
mod needs;
mod outcome;
mod stages;
mod users_server;

use crate::arguments::{ProveArguments, ResultFormat};
use crate::authorship::require_own;
use crate::failure::Failure;
use crate::latest::PROOF;
use crate::output::tell;
use crate::proofs::{self, ProofDirectory};
use crate::request::dated_path;
use crate::servers::{self, Wanted};
use crate::signals::interrupted_by_signals;
use asked::SERVER;
use lab::plan::Overrides;
use model::plan::Turns;
use outcome::publish;
use proof::Design;
use stages::Conductor;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Designs a proof, or continues one, and reports.
pub(crate) fn run(arguments: &ProveArguments) -> Result<ExitCode, Failure> {
    let interrupted = interrupted_by_signals()?;
    let wanted = Wanted {
        programs: arguments.pg_bin.as_deref(),
        dsn: arguments.dsn.as_deref(),
        dsn_file: arguments.dsn_file.as_deref(),
        journal: None,
        is_shared: arguments.allow_busy,
    };
    if let Some(path) = &arguments.undo {
        return users_server::undo(path, wanted).map(|()| ExitCode::SUCCESS);
    }
    if wanted.is_named() && arguments.resume.is_none() && arguments.database.id != SERVER {
        let name = arguments.database.name;
        return Err(Failure::Usage(format!(
            "--dsn, --dsn-file and --pg-bin are for PostgreSQL, not for {name}"
        )));
    }
    let mut users = users_server::connect(wanted)?;
    let current = users.as_mut().map(users_server::UsersServer::current).transpose()?;
    let (design, existing) = match &arguments.resume {
        Some(path) => {
            let directory = ProofDirectory::open(path)?;
            require_own(path, directory.design().named_place().as_deref())?;
            users_server::require_same_place(&directory, users.is_some())?;
            (directory.design().clone(), Some(directory))
        }
        None => {
            let version = match &mut users {
                Some(users) => Some(users.version()),
                None if arguments.database.id == SERVER => servers::version(wanted)?,
                None if asked::names_all_programs(arguments) => None,
                None => arguments.database.server.map_or(Ok(None), servers::version_of)?,
            };
            (asked::design(arguments, current, version)?, None)
        }
    };
    let before = || existing.as_ref().and_then(ProofDirectory::measured);
    let dir = arguments.dir.clone().or_else(before).or_else(|| run_directory(arguments));
    let dir = dir.unwrap_or_else(|| PathBuf::from("."));
    // The arms share the user's server, which has one value of a setting at a time.
    let turns = if users.is_some() { Turns::Off } else { Turns::Auto };
    let overrides = Overrides { turns, ..Overrides::default() };
    let conductor = Conductor {
        dir: &dir,
        overrides: &overrides,
        wanted,
        allow_different: &arguments.allow_different,
        more: arguments.budget.filter(|_| arguments.resume.is_some()),
        interrupted: &interrupted,
    };
    let rights = users_server::Rights {
        settings: arguments.allow_settings,
        busy: arguments.allow_busy,
        resumes: arguments.resume.as_deref(),
    };
    let design = match (&existing, &mut users) {
        (Some(_), _) => design,
        (None, Some(users)) => {
            let limits = users.limits(&design)?;
            possible(design.within(&limits), "server")?
        }
        (None, None) => possible(conductor.fitting(design)?, "machine")?,
    };
    let design = match (&existing, arguments.runtime) {
        (None, None) => Design { runtime_s: conductor.fitting_runtime_s(&design)?, ..design },
        (Some(_), _) | (None, Some(_)) => design,
    };
    let lent = users.map(|users| users.survey(&design, &rights)).transpose()?;
    let allowed = lent.as_ref().map_or(Ok(()), |lent| lent.require_allowed(&rights));
    if arguments.dry_run {
        conductor.require_time(&design)?;
        let planned = conductor.rehearse(&design)?;
        if let Err(why) = allowed {
            tell(why.to_string());
        }
        return planned.print(arguments.format);
    }
    allowed?;
    let directory = match existing {
        Some(directory) => directory,
        None => {
            // A budget that is too short makes nothing.
            conductor.require_time(&design)?;
            if lent.is_none() {
                conductor.tell_needs(&design)?;
            }
            ProofDirectory::create(&path_for(arguments, &design), design)?
        }
    };
    match lent {
        None => conductor.conduct(&directory)?,
        Some(lent) => lent.during(directory.path(), |journal| {
            let wanted = Wanted { journal: Some(journal), ..conductor.wanted };
            Conductor { wanted, ..conductor }.conduct(&directory)
        })?,
    }
    publish(&directory, arguments.format)
}

/// Prints what of a question cannot be measured. Something has to be left.
fn possible(design: Design, place: &str) -> Result<Design, Failure> {
    for unmeasured in &design.unmeasured {
        tell(unmeasured.text());
    }
    if design.unmeasured.is_empty() || design.has_question() {
        return Ok(design);
    }
    Err(Failure::Usage(format!("nothing of this question can be measured on this {place}")))
}

/// Analyses a proof again: `syncline report` of its directory. `None` if the directory holds no proof.
pub(crate) fn report(path: &Path, format: ResultFormat) -> Option<Result<ExitCode, Failure>> {
    proofs::is_proof(path)
        .then(|| ProofDirectory::open(path).and_then(|directory| publish(&directory, format)))
}

/// Where the run whose advice is proven was measured: the proof is about the same disk.
fn run_directory(arguments: &ProveArguments) -> Option<PathBuf> {
    let run = lab::run_directory::read(arguments.run.as_deref()?).ok()?;
    let directory = run.plan.directory;
    if directory.is_dir() {
        return Some(directory);
    }
    tell(format!(
        "{} is not here: the proof uses the current directory; --dir names another",
        directory.display()
    ));
    None
}

fn path_for(arguments: &ProveArguments, design: &Design) -> PathBuf {
    if let Some(path) = &arguments.out {
        return path.clone();
    }
    let Some(run) = &arguments.run else { return dated_path(&design.created_at, "prove") };
    let candidates = (2..).map(|number| format!("{PROOF}-{number}"));
    let mut paths = std::iter::once(PROOF.to_owned()).chain(candidates).map(|name| run.join(name));
    // The candidates do not end before one is free.
    paths.find(|path| !path.exists()).unwrap_or_else(|| run.join(PROOF))
}
