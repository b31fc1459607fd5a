//! `syncline run`: resolve, check, conduct, report.

use crate::arguments::RunArguments;
use crate::command::report::publish;
use crate::failure::Failure;
use crate::premises::DiskPremises;
use crate::progress::ProgressDisplay;
use crate::studies;
use disk::backend::BackendKind;
use disk::files::Alignment;
use lab::conduct::{Conducted, Laboratory};
use lab::next::in_order;
use lab::plan::{Overrides, resolve};
use lab::run_directory::RunDirectory;
use model::host::Placement;
use model::parameter::Transfer;
use model::plan::{Plan, StudyPlan};
use model::run::Run;
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
/// A loop device has blocks of this size unless it is told otherwise.
const LOOP_ALIGNMENT_BYTES: u64 = 512;

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
    let closed = premises.close();
    let ended = conducted.map_err(Failure::runtime);
    // What went wrong first is what is told; what could not be cleaned up is told all the same.
    if let (Err(_), Err(left)) = (&ended, &closed) {
        eprintln!("{left}");
    }
    let code = match ended? {
        Conducted::Interrupted => Err(Failure::Interrupted(format!(
            "go on with: syncline run --resume {}",
            directory.path().display()
        ))),
        Conducted::Complete => publish(directory.path(), directory.run()),
    };
    closed.and(code)
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
        require_cpus(&plan)?;
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
    let run = directory.run();
    require_same_machine(run)?;
    let premises = DiskPremises::open(dir.unwrap_or(Path::new(&run.plan.directory)), &run.plan.studies)?;
    require_same_disk(run, premises.directory())?;
    require_direct(premises.directory(), &run.plan.studies)?;
    Ok((directory, premises))
}

/// Trials of two machines are no replicates of each other.
fn require_same_machine(run: &Run) -> Result<(), Failure> {
    let here = lab::host::facts();
    let there = &run.host;
    let same = here.name == there.name && here.kernel == there.kernel && here.processor == there.processor;
    if same {
        return Ok(());
    }
    Err(Failure::Runtime(format!(
        "this run was begun on {} ({}, Linux {}), and this is {} ({}, Linux {}): start a new run here",
        there.name, there.processor, there.kernel, here.name, here.processor, here.kernel
    )))
}

/// Nor are trials of two disks.
fn require_same_disk(run: &Run, directory: &Path) -> Result<(), Failure> {
    let mut measured = run.records.iter().filter(|record| record.values.is("filesystem", "host"));
    let Some(there) = measured.find_map(|record| record.measurement.as_ref()).map(|m| &m.placement) else {
        return Ok(());
    };
    let here = disk::placement::placement(directory);
    if here.filesystem == there.filesystem && here.device == there.device {
        return Ok(());
    }
    let device =
        |placement: &Placement| placement.device.value().cloned().unwrap_or_else(|| "no device".to_owned());
    Err(Failure::Runtime(format!(
        "this run was begun on {} ({}), and this directory is on {} ({}): give the --dir it was begun with, or start a new run",
        device(there),
        there.filesystem,
        device(&here),
        here.filesystem
    )))
}

/// A CPU that the program may not use is a mistake in the command, not in every trial.
fn require_cpus(plan: &StudyPlan) -> Result<(), Failure> {
    let allowed = rustix::thread::sched_getaffinity(None).map_err(Failure::runtime)?;
    for cpu in plan.configurations.iter().filter_map(|values| values.count("cpu").ok()) {
        let cpu = cpu as usize;
        if cpu >= rustix::thread::CpuSet::MAX_CPU || !allowed.is_set(cpu) {
            return Err(Failure::Usage(format!(
                "study {}: cpu = {cpu} is not one that this program may use",
                plan.name
            )));
        }
    }
    Ok(())
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
    let uses_ring = plan.configurations.iter().any(|values| values.is("ioengine", "uring"));
    if !uses_ring {
        return Ok(());
    }
    let deep =
        plan.configurations.iter().any(|values| values.count("read_depth").is_ok_and(|depth| depth > 0));
    if deep || plan.factor("ioengine").is_some() {
        return Err(Failure::Runtime(format!(
            "study {} needs io_uring, which this machine does not give: {why}; without it: --fix ioengine=psync --fix read_depth=0",
            plan.name
        )));
    }
    eprintln!("{}: no io_uring here ({why}); ioengine = psync instead", plan.name);
    for values in &mut plan.configurations {
        values.0.insert("ioengine".to_owned(), Value::Name("psync".to_owned()));
    }
    Ok(())
}

/// Says before the first trial, not after the last, that the directory has no direct I/O or that a size does not fit it.
fn require_direct(directory: &Path, plans: &[StudyPlan]) -> Result<(), Failure> {
    let direct = disk::files::direct_support(directory);
    for plan in plans {
        let schema = workload::schema(&plan.workload).map_err(Failure::usage)?;
        for values in &plan.configurations {
            let on_host = values.is("filesystem", "host");
            for transfer in
                (schema.transfers)(values).iter().filter(|transfer| transfer.mode == IoMode::Direct)
            {
                let alignment = if on_host { host_alignment(plan, &direct)? } else { LOOP_ALIGNMENT_BYTES };
                check_multiple(plan, transfer, alignment)?;
            }
        }
    }
    Ok(())
}

fn host_alignment(plan: &StudyPlan, direct: &Result<Alignment, String>) -> Result<u64, Failure> {
    let alignment = direct.as_ref().map_err(|why| {
        Failure::Runtime(format!(
            "study {} needs direct I/O: {why}; choose a directory on a disk with --dir, or leave it out with --fix mode=buffered",
            plan.name
        ))
    })?;
    Ok(alignment.offset_bytes)
}

fn check_multiple(plan: &StudyPlan, transfer: &Transfer, alignment: u64) -> Result<(), Failure> {
    if transfer.bytes.is_multiple_of(alignment) {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "study {}: {} = {} is no multiple of {}, which direct I/O needs on this device",
        plan.name,
        transfer.parameter,
        format_bytes(transfer.bytes),
        format_bytes(alignment)
    )))
}
