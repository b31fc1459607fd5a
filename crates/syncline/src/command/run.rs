//! `syncline run`: resolve, check, conduct, report.

use crate::arguments::RunArguments;
use crate::command::report::publish;
use crate::failure::Failure;
use crate::premises::DiskPremises;
use crate::progress::ProgressDisplay;
use crate::requirements::{
    require_cpus, require_direct, require_engines, require_same_disk, require_same_machine, without_io_uring,
};
use crate::servers::{self, Wanted};
use crate::{studies, subject};
use lab::conduct::{Conducted, Laboratory};
use lab::next::in_order;
use lab::plan::{Overrides, resolve};
use lab::run_directory::RunDirectory;
use model::FORMAT_VERSION;
use model::plan::{Plan, StudyPlan};
use model::study::Study;
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
    let interrupted = interrupted_by_signals()?;
    let ready = match &arguments.resume {
        Some(path) => resume(path, arguments)?,
        None => {
            let studies: Vec<Study> =
                arguments.studies.iter().map(|name| studies::find(name)).collect::<Result<_, _>>()?;
            let overrides = Overrides {
                profile: arguments.profile.clone(),
                vary: arguments.vary.clone(),
                fix: arguments.fix.clone(),
                rounds: arguments.rounds,
                cpu: arguments.cpu,
            };
            Request {
                studies: &studies,
                overrides: &overrides,
                dir: arguments.dir.as_deref().unwrap_or(Path::new(".")),
                out: arguments.out.as_deref(),
                seed: arguments.seed,
                wanted: arguments.wanted(),
            }
            .make_ready()?
        }
    };
    let (directory, closed) = ready.conduct(&interrupted)?;
    let code = publish(directory.path(), directory.run());
    closed.and(code)
}

/// Signals only raise a flag: everything that has to be cleaned up is, on the ordinary way out.
pub(crate) fn interrupted_by_signals() -> Result<Arc<AtomicBool>, Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&interrupted)).map_err(Failure::runtime)?;
    }
    Ok(interrupted)
}

/// A new run, as asked.
pub(crate) struct Request<'a> {
    /// What to run.
    pub(crate) studies: &'a [Study],
    /// What the command line changes in it.
    pub(crate) overrides: &'a Overrides,
    /// A directory on the disk to measure.
    pub(crate) dir: &'a Path,
    /// The run directory to make; one named after the time and the studies where there is none.
    pub(crate) out: Option<&'a Path>,
    /// Seed of every random order.
    pub(crate) seed: Option<u64>,
    /// Which PostgreSQL server to drive, where a study drives one.
    pub(crate) wanted: Wanted<'a>,
}

/// A run directory and the premises its trials take place on.
pub(crate) struct Ready {
    directory: RunDirectory,
    premises: DiskPremises,
}

impl Request<'_> {
    /// Plans, checks that the machine can do it, makes the run directory and the work directory.
    pub(crate) fn make_ready(&self) -> Result<Ready, Failure> {
        let mut plans: Vec<StudyPlan> = Vec::new();
        for study in self.studies {
            let schema = workload::schema(&study.workload).map_err(Failure::usage)?;
            let mut plan = resolve(study, schema, self.overrides).map_err(Failure::usage)?;
            if plans.iter().any(|other| other.name == plan.name) {
                return Err(Failure::Usage(format!("study {} is given twice", plan.name)));
            }
            without_io_uring(&mut plan, schema)?;
            require_cpus(&plan)?;
            require_engines(&plan)?;
            subject::scan::settle(&mut plan)?;
            plans.push(plan);
        }
        let server = servers::find(&plans, self.wanted, self.dir)?;
        let mut premises = DiskPremises::open(self.dir, &plans)?;
        premises.serve(server);
        require_direct(premises.directory(), &plans)?;
        let now = lab::host::now();
        let plan = Plan {
            format_version: FORMAT_VERSION,
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
            created_at: now.clone(),
            directory: fs::canonicalize(self.dir)
                .unwrap_or_else(|_| self.dir.to_owned())
                .display()
                .to_string(),
            seed: self.seed.unwrap_or_else(seed_from_clock),
            studies: plans,
        };
        let path = self.out.map_or_else(|| default_path(&now, &plan), Path::to_owned);
        let directory = RunDirectory::create(&path, plan, lab::host::facts()).map_err(Failure::runtime)?;
        Ok(Ready { directory, premises })
    }
}

fn resume(path: &Path, arguments: &RunArguments) -> Result<Ready, Failure> {
    let directory = RunDirectory::resume(path).map_err(Failure::runtime)?;
    let run = directory.run();
    require_same_machine(run)?;
    let dir = arguments.dir.as_deref().unwrap_or(Path::new(&run.plan.directory));
    let server = servers::find(&run.plan.studies, arguments.wanted(), dir)?;
    let mut premises = DiskPremises::open(dir, &run.plan.studies)?;
    premises.serve(server);
    require_same_disk(run, premises.directory())?;
    require_direct(premises.directory(), &run.plan.studies)?;
    Ok(Ready { directory, premises })
}

impl Ready {
    /// Runs every trial that is due. Beside the directory comes whether everything could be cleaned up: what was
    /// measured is worth reporting either way.
    pub(crate) fn conduct(
        self,
        interrupted: &AtomicBool,
    ) -> Result<(RunDirectory, Result<(), Failure>), Failure> {
        let Self { mut directory, mut premises } = self;
        for remark in &directory.run().remarks {
            eprintln!("{remark}");
        }
        let mut display = ProgressDisplay::new();
        let mut lab = Laboratory {
            premises: &mut premises,
            next: &in_order,
            ends: None,
            observer: &mut display,
            interrupted,
        };
        let conducted = lab.conduct(&mut directory);
        display.finish();
        let closed = premises.close();
        let ended = match conducted.map_err(Failure::runtime) {
            Ok(Conducted::Complete) => return Ok((directory, closed)),
            Ok(Conducted::Interrupted) => Failure::Interrupted(format!(
                "go on with: syncline run --resume {}",
                directory.path().display()
            )),
            Err(failure) => failure,
        };
        // What went wrong first is what is told; what could not be cleaned up is told all the same.
        if let Err(left) = &closed {
            eprintln!("{left}");
        }
        Err(ended)
    }
}

/// A name that sorts by time and tells what was run: `syncline-runs/2026-11-21T10-16-30-commit`, with a number behind it
/// where a run of the same second has that name.
fn default_path(now: &str, plan: &Plan) -> PathBuf {
    let names: Vec<&str> = plan.studies.iter().map(|study| study.name.as_str()).collect();
    let time = now.trim_end_matches('Z').replace(':', "-");
    let name = format!("{time}-{}", names.join("-"));
    let candidates = (2..).map(|number| format!("{name}-{number}"));
    let mut paths = std::iter::once(name.clone()).chain(candidates).map(|name| Path::new(RUNS).join(name));
    // The candidates do not end before one is free.
    paths.find(|path| !path.exists()).unwrap_or_else(|| Path::new(RUNS).join(&name))
}

fn seed_from_clock() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos() as u64)
}
