//! `syncline run`: resolve, check, conduct, report.

use crate::arguments::RunArguments;
use crate::command::report::publish;
use crate::failure::Failure;
use crate::premises::DiskPremises;
use crate::progress::ProgressDisplay;
use crate::studies;
use disk::backend::BackendKind;
use lab::conduct::{Conducted, Laboratory};
use lab::next::in_order;
use lab::plan::{Overrides, resolve};
use lab::run_directory::RunDirectory;
use model::parameter::Transfer;
use model::plan::{Plan, StudyPlan};
use model::units::format_bytes;
use model::{FORMAT_VERSION, IoMode, Value};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

const RUNS: &str = "syncline-runs";

/// Runs studies, or what is missing of them, and reports.
pub(crate) fn run(arguments: &RunArguments) -> Result<ExitCode, Failure> {
    // Signals only raise a flag: everything that has to be cleaned up is, on the ordinary way out.
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&interrupted)).map_err(Failure::runtime)?;
    }
    let (mut directory, mut premises) = match &arguments.resume {
        Some(path) => resume(path, arguments.dir.as_deref())?,
        None => start(arguments)?,
    };
    for remark in &directory.run().remarks {
        eprintln!("{remark}");
    }
    let mut display = ProgressDisplay::new();
    let mut lab = Laboratory {
        premises: &mut premises,
        next: &in_order,
        ends: None,
        observer: &mut display,
        interrupted: &interrupted,
    };
    let conducted = lab.conduct(&mut directory);
    display.finish();
    premises.close()?;
    match conducted.map_err(Failure::runtime)? {
        Conducted::Interrupted => Err(Failure::Interrupted(format!(
            "go on with: syncline run --resume {}",
            directory.path().display()
        ))),
        Conducted::Complete => publish(directory.path(), directory.run()),
    }
}

fn start(arguments: &RunArguments) -> Result<(RunDirectory, DiskPremises), Failure> {
    let overrides = Overrides {
        profile: arguments.profile.clone(),
        vary: arguments.vary.clone(),
        fix: arguments.fix.clone(),
        rounds: arguments.rounds,
        cpu: arguments.cpu,
    };
    let mut plans = Vec::new();
    for name in &arguments.studies {
        let study = studies::find(name)?;
        let schema = workload::schema(&study.workload).map_err(Failure::usage)?;
        let mut plan = resolve(&study, schema, &overrides).map_err(Failure::usage)?;
        if plans.iter().any(|other: &StudyPlan| other.name == plan.name) {
            return Err(Failure::Usage(format!("study {} is given twice", plan.name)));
        }
        without_io_uring(&mut plan)?;
        plans.push(plan);
    }
    let dir = arguments.dir.as_deref().unwrap_or(Path::new("."));
    let premises = DiskPremises::open(dir, &plans)?;
    require_direct(premises.directory(), &plans)?;
    let now = lab::host::now();
    let plan = Plan {
        format_version: FORMAT_VERSION,
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        created_at: now.clone(),
        directory: fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned()).display().to_string(),
        seed: arguments.seed.unwrap_or_else(seed_from_clock),
        studies: plans,
    };
    let path = arguments.out.clone().unwrap_or_else(|| default_path(&now, &plan));
    let directory = RunDirectory::create(&path, plan, lab::host::facts()).map_err(Failure::runtime)?;
    Ok((directory, premises))
}

fn resume(path: &Path, dir: Option<&Path>) -> Result<(RunDirectory, DiskPremises), Failure> {
    let directory = RunDirectory::resume(path).map_err(Failure::runtime)?;
    let plan = &directory.run().plan;
    let premises = DiskPremises::open(dir.unwrap_or(Path::new(&plan.directory)), &plan.studies)?;
    Ok((directory, premises))
}

/// A name that sorts by time and tells what was run: `syncline-runs/2026-11-21T10-16-30-commit`.
fn default_path(now: &str, plan: &Plan) -> PathBuf {
    let names: Vec<&str> = plan.studies.iter().map(|study| study.name.as_str()).collect();
    let time = now.trim_end_matches('Z').replace(':', "-");
    Path::new(RUNS).join(format!("{time}-{}", names.join("-")))
}

fn seed_from_clock() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos() as u64)
}

/// Without `io_uring` a study still runs where one operation is in flight at a time anyway; it says so.
fn without_io_uring(plan: &mut StudyPlan) -> Result<(), Failure> {
    let Err(why) = BackendKind::Uring.supported() else { return Ok(()) };
    let uses_ring = plan.configurations.iter().any(|values| values.is("submission", "uring"));
    if !uses_ring {
        return Ok(());
    }
    let deep =
        plan.configurations.iter().any(|values| values.count("read_depth").is_ok_and(|depth| depth > 0));
    if deep || plan.factor("submission").is_some() {
        return Err(Failure::Runtime(format!(
            "study {} needs io_uring, which this machine does not give: {why}; without it: --fix submission=psync --fix read_depth=0",
            plan.name
        )));
    }
    eprintln!("{}: no io_uring here ({why}); submission = psync instead", plan.name);
    for values in &mut plan.configurations {
        values.0.insert("submission".to_owned(), Value::Name("psync".to_owned()));
    }
    Ok(())
}

/// Says before the first trial, not after the last, that the directory has no direct I/O or that a size does not fit it.
fn require_direct(directory: &Path, plans: &[StudyPlan]) -> Result<(), Failure> {
    let direct = disk::files::direct_support(directory);
    for plan in plans {
        let schema = workload::schema(&plan.workload).map_err(Failure::usage)?;
        let on_host = plan.configurations.iter().filter(|values| values.is("filesystem", "host"));
        let transfers = on_host.flat_map(schema.transfers).filter(|transfer| transfer.mode == IoMode::Direct);
        for Transfer { parameter, bytes, .. } in transfers {
            let alignment = direct.as_ref().map_err(|why| {
                Failure::Runtime(format!(
                    "study {} needs direct I/O: {why}; choose a directory on a disk with --dir, or leave it out with --fix mode=buffered",
                    plan.name
                ))
            })?;
            if !bytes.is_multiple_of(alignment.offset_bytes) {
                return Err(Failure::Usage(format!(
                    "study {}: {parameter} = {} is no multiple of {}, which direct I/O needs on this device",
                    plan.name,
                    format_bytes(bytes),
                    format_bytes(alignment.offset_bytes)
                )));
            }
        }
    }
    Ok(())
}
