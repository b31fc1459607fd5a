//! `syncline run`: resolve, check, conduct, report.

use crate::arguments::RunArguments;
use crate::command::report::publish;
use crate::failure::Failure;
use crate::premises::{DiskPremises, require_caps};
use crate::progress::ProgressDisplay;
use crate::requirements::{
    require_cpus, require_direct, require_engines, require_same_disk, require_same_machine, without_io_uring,
};
use crate::servers::{self, Wanted};
use crate::standing::standing;
use crate::{studies, subject};
use lab::conduct::{Conducted, Laboratory};
use lab::looks::{by_looks, look_repeatedly};
use lab::plan::{Overrides, resolve};
use lab::run_directory::RunDirectory;
use model::FORMAT_VERSION;
use model::plan::{Plan, Skipped, StudyPlan};
use model::run::Run;
use model::study::Study;
use model::trial::TrialRecord;
use model::units::format_elapsed;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};

const RUNS: &str = "syncline-runs";
/// The studies of the answer, in the order in which their first looks are taken: what is asked most comes first.
const ANSWER: &[&str] = &[
    "commit-modes",
    "wal-layout",
    "depth",
    "device",
    "page-cost",
    "commit",
    "append",
    "kv",
    "memory",
    "pool",
    "scan",
];
/// The profile of that name, and what a run of all of them is called.
const ANSWER_PROFILE: &str = "answer";
const ANSWER_BUDGET: Duration = Duration::from_mins(5);

/// Runs studies, or what is missing of them, and reports.
pub(crate) fn run(arguments: &RunArguments) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let interrupted = interrupted_by_signals()?;
    let ready = match &arguments.resume {
        Some(path) => resume(path, arguments)?,
        None => {
            let is_answer = arguments.studies.is_empty();
            let named = || arguments.studies.iter().map(String::as_str);
            let names: Vec<&str> = if is_answer { ANSWER.to_vec() } else { named().collect() };
            let studies: Vec<Study> = names.into_iter().map(studies::find).collect::<Result<_, _>>()?;
            let overrides = Overrides {
                profile: arguments.profile.clone().or(is_answer.then(|| ANSWER_PROFILE.to_owned())),
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
                budget: arguments.budget.or(is_answer.then_some(ANSWER_BUDGET)),
                what_is_possible: is_answer,
            }
            .make_ready()?
        }
    };
    let (directory, closed) = ready.conduct(&interrupted)?;
    let wall_s = started.elapsed().as_secs_f64();
    let code = publish(directory.path(), directory.run());
    eprintln!("{}", share_at_work(directory.run(), wall_s));
    closed.and(code)
}

/// How much of this session's wall time went into what it is for.
fn share_at_work(run: &Run, wall_s: f64) -> String {
    let session = run.records.iter().map(|record| record.session).max();
    let own = run.records.iter().filter(|record| Some(record.session) == session);
    let (mut measuring_s, mut preparing_s) = (0.0, 0.0);
    for record in own {
        let phases = record.measurement.iter().flat_map(|measurement| &measurement.phases);
        measuring_s += phases.map(|phase| phase.duration_s).sum::<f64>();
        preparing_s += record.prepare_s;
    }
    let percent = |seconds: f64| 100.0 * seconds / wall_s.max(f64::MIN_POSITIVE);
    format!(
        "Measuring or preparing files: {:.0} % of {} ({:.0} % and {:.0} %).",
        percent(measuring_s + preparing_s),
        format_elapsed(wall_s),
        percent(measuring_s),
        percent(preparing_s)
    )
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
    /// Time that it all may take; without, every round is run.
    pub(crate) budget: Option<Duration>,
    /// Whether a study that the machine does not permit is skipped, and said, and is no failure.
    pub(crate) what_is_possible: bool,
}

/// A run directory and the premises its trials take place on.
pub(crate) struct Ready {
    directory: RunDirectory,
    premises: DiskPremises,
    ends: Option<Instant>,
}

impl Request<'_> {
    /// Plans, checks that the machine can do it, makes the run directory and the work directory.
    pub(crate) fn make_ready(&self) -> Result<Ready, Failure> {
        let ends = self.budget.map(|budget| Instant::now() + budget);
        let mut skipped = Vec::new();
        let mut plans: Vec<StudyPlan> = Vec::new();
        for study in self.studies {
            if plans.iter().any(|other| other.name == study.name) {
                return Err(Failure::Usage(format!("study {} is given twice", study.name)));
            }
            plans.extend(self.or_skip(&study.name, self.permitted(study), &mut skipped)?);
        }
        let server = servers::find(&plans, self.wanted, self.dir)?;
        let mut premises = DiskPremises::open(self.dir, &plans)?;
        premises.serve(server);
        let direct = |plan: &StudyPlan| require_direct(premises.directory(), std::slice::from_ref(plan));
        let mut kept = Vec::new();
        for plan in plans {
            let done = direct(&plan);
            let name = plan.name.clone();
            kept.extend(self.or_skip(&name, done.map(|()| plan), &mut skipped)?);
        }
        if let (true, Some(first)) = (kept.is_empty(), skipped.first()) {
            return Err(Failure::Runtime(format!(
                "nothing can be measured here; {}: {}",
                first.study, first.why
            )));
        }
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
            budget_s: self.budget.map(|budget| budget.as_secs_f64()),
            studies: kept,
            skipped,
        };
        let name = if self.what_is_possible { self.overrides.profile.clone() } else { None };
        let path = self.out.map_or_else(|| default_path(&now, &plan, name), Path::to_owned);
        let directory = RunDirectory::create(&path, plan, lab::host::facts()).map_err(Failure::runtime)?;
        Ok(Ready { directory, premises, ends })
    }

    /// The plan of a study, or why this machine cannot run it.
    fn permitted(&self, study: &Study) -> Result<StudyPlan, Failure> {
        let schema = workload::schema(&study.workload).map_err(Failure::usage)?;
        let mut plan = resolve(study, schema, self.overrides).map_err(Failure::usage)?;
        without_io_uring(&mut plan, schema)?;
        require_cpus(&plan)?;
        require_engines(&plan)?;
        subject::scan::settle(&mut plan)?;
        require_caps(std::slice::from_ref(&plan))?;
        if self.budget.is_some() {
            look_repeatedly(&mut plan);
        }
        Ok(plan)
    }

    /// What cannot be had is skipped, where whatever is possible is wanted.
    fn or_skip(
        &self,
        study: &str,
        plan: Result<StudyPlan, Failure>,
        skipped: &mut Vec<Skipped>,
    ) -> Result<Option<StudyPlan>, Failure> {
        match plan {
            Ok(plan) => Ok(Some(plan)),
            Err(Failure::Runtime(why) | Failure::Usage(why)) if self.what_is_possible => {
                let why = why
                    .trim_start_matches(&format!("study {study}"))
                    .trim_start_matches([':', ' '])
                    .to_owned();
                eprintln!("skipped: {study}: {why}");
                skipped.push(Skipped { study: study.to_owned(), why });
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
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
    let left = arguments.budget.or_else(|| budget_left(run));
    if left.is_some_and(|left| left.is_zero()) {
        eprintln!("the budget of this run is used up: to go on, give it more with --budget");
    }
    Ok(Ready { directory, premises, ends: left.map(|left| Instant::now() + left) })
}

/// What the recorded trials left of a run's budget; `None` where it has none.
fn budget_left(run: &Run) -> Option<Duration> {
    let used_s: f64 = run.records.iter().map(|record| record.wall_s + record.prepare_s).sum();
    let left_s = run.plan.budget_s? - used_s;
    Some(Duration::try_from_secs_f64(left_s).unwrap_or_default())
}

impl Ready {
    /// Runs every trial that is due. Beside the directory comes whether everything could be cleaned up: what was
    /// measured is worth reporting either way.
    pub(crate) fn conduct(
        self,
        interrupted: &AtomicBool,
    ) -> Result<(RunDirectory, Result<(), Failure>), Failure> {
        let Self { mut directory, mut premises, ends } = self;
        for remark in &directory.run().remarks {
            eprintln!("{remark}");
        }
        let mut display = ProgressDisplay::new(ends);
        let host = directory.run().host.clone();
        let judge =
            |plan: &Plan, records: &[TrialRecord], study: usize| standing(plan, &host, records, study);
        let mut lab = Laboratory {
            premises: &mut premises,
            next: &|plan, records, time_left| by_looks(plan, records, time_left, &judge),
            ends,
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
fn default_path(now: &str, plan: &Plan, name: Option<String>) -> PathBuf {
    let names: Vec<&str> = plan.studies.iter().map(|study| study.name.as_str()).collect();
    let what = name.unwrap_or_else(|| names.join("-"));
    let time = now.trim_end_matches('Z').replace(':', "-");
    let name = format!("{time}-{what}");
    let candidates = (2..).map(|number| format!("{name}-{number}"));
    let mut paths = std::iter::once(name.clone()).chain(candidates).map(|name| Path::new(RUNS).join(name));
    // The candidates do not end before one is free.
    paths.find(|path| !path.exists()).unwrap_or_else(|| Path::new(RUNS).join(&name))
}

fn seed_from_clock() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos() as u64)
}
