//! `syncline run`: resolve, check, conduct, report.

mod request;
mod share;

pub(crate) use request::Request;

use crate::arguments::RunArguments;
use crate::command::report::publish;
use crate::failure::Failure;
use crate::premises::DiskPremises;
use crate::progress::ProgressDisplay;
use crate::requirements::{require_direct, require_same_disk, require_same_machine};
use crate::servers;
use crate::standing::standing;
use crate::studies;
use lab::conduct::{Conducted, Laboratory};
use lab::looks::by_looks;
use lab::plan::Overrides;
use lab::run_directory::RunDirectory;
use lab::spent::Spent;
use model::plan::Plan;
use model::run::Run;
use model::study::Study;
use model::trial::TrialRecord;
use share::Account;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The studies of the answer, in the order in which their first looks are taken: what is asked most comes first.
pub(crate) const ANSWER: &[&str] = &[
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
pub(crate) const ANSWER_PROFILE: &str = "answer";
const ANSWER_BUDGET: Duration = Duration::from_mins(5);
/// Nothing needs longer for cleaning up and the report.
const AFTERWARDS_MAX: Duration = Duration::from_secs(10);

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
    let Ran { directory, closed, account } = ready.conduct(&interrupted)?;
    let reporting = Instant::now();
    let code = publish(directory.path(), directory.run());
    let (reporting_s, wall_s) = (reporting.elapsed().as_secs_f64(), started.elapsed().as_secs_f64());
    eprintln!("{}", share::sentences(&account, reporting_s, wall_s));
    closed.and(code)
}

/// Signals only raise a flag: everything that has to be cleaned up is, on the ordinary way out.
pub(crate) fn interrupted_by_signals() -> Result<Arc<AtomicBool>, Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    // Who starts it with nohup wants it to survive the terminal.
    let hangup = (!is_ignored(SIGHUP)).then_some(SIGHUP);
    for signal in [SIGINT, SIGTERM].into_iter().chain(hangup) {
        signal_hook::flag::register(signal, Arc::clone(&interrupted)).map_err(Failure::runtime)?;
    }
    Ok(interrupted)
}

/// Whether this process was started with the signal ignored: `SigIgn` of proc(5), a bit for each signal from 1.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// A run directory and the premises its trials take place on.
pub(crate) struct Ready {
    directory: RunDirectory,
    premises: DiskPremises,
    ends: Option<Instant>,
}

/// A run that has nothing due any more.
pub(crate) struct Ran {
    /// Its directory.
    pub(crate) directory: RunDirectory,
    /// Whether everything could be cleaned up: what was measured is worth reporting either way.
    pub(crate) closed: Result<(), Failure>,
    /// Where the time went.
    pub(crate) account: Account,
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
    Ok(Ready { directory, premises, ends: left.map(last_trial_ends) })
}

/// When the last trial of a budget that begins now should have ended: cleaning up and the report belong to the budget too.
fn last_trial_ends(budget: Duration) -> Instant {
    Instant::now() + budget.saturating_sub((budget / 30).min(AFTERWARDS_MAX))
}

/// What the recorded trials left of a run's budget; `None` where it has none.
fn budget_left(run: &Run) -> Option<Duration> {
    let used_s: f64 = run.records.iter().map(|record| record.wall_s + record.prepare_s).sum();
    let left_s = run.plan.budget_s? - used_s;
    Some(Duration::try_from_secs_f64(left_s).unwrap_or_default())
}

impl Ready {
    /// Runs every trial that is due.
    pub(crate) fn conduct(self, interrupted: &AtomicBool) -> Result<Ran, Failure> {
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
            spent: Spent::default(),
        };
        let conducted = lab.conduct(&mut directory);
        let spent = lab.spent;
        display.finish();
        let closing = Instant::now();
        let closed = premises.close();
        let ended = match conducted.map_err(Failure::runtime) {
            Ok(Conducted::Complete) => {
                let account = Account { spent, closing_s: closing.elapsed().as_secs_f64() };
                return Ok(Ran { directory, closed, account });
            }
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
