//! `syncline run`: resolve, check, conduct, report.

mod request;
mod share;

pub(crate) use request::Request;

use crate::arguments::RunArguments;
use crate::command::report::publish;
use crate::failure::Failure;
use crate::output::{tell, tell_lines};
use crate::premises::DiskPremises;
use crate::program;
use crate::progress::ProgressDisplay;
use crate::replicates::{self, Instrument};
use crate::requirements::{
    require_direct, require_place, require_real_time, require_same_disk, require_storage,
};
use crate::servers;
use crate::signals::{interrupted_by_signals, watch_for_what_cannot_end};
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
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The studies of the answer, in the order of their first looks: the most common questions come first.
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
/// Cleaning up and the report take this part of a budget …
const AFTERWARDS_PART: u32 = 30;
/// … and never longer than this.
const AFTERWARDS_MAX: Duration = Duration::from_secs(10);

/// Runs studies, or what is missing of them, and reports.
pub(crate) fn run(arguments: &RunArguments) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let interrupted = interrupted_by_signals()?;
    let ready = match &arguments.resume {
        Some(path) => resume(path, arguments, &interrupted)?,
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
                interrupted: &interrupted,
            }
            .make_ready()?
        }
    };
    let Ran { directory, closed, account } = ready.conduct(&interrupted)?;
    let reporting = Instant::now();
    let code = publish(directory.files(), directory.run());
    let (reporting_s, wall_s) = (reporting.elapsed().as_secs_f64(), started.elapsed().as_secs_f64());
    tell_lines(share::sentences(&account, reporting_s, wall_s));
    closed.and(code)
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

fn resume(path: &Path, arguments: &RunArguments, interrupted: &AtomicBool) -> Result<Ready, Failure> {
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
    let wanted = arguments.wanted();
    servers::require_named(run.plan.server.as_ref(), wanted)?;
    let server = servers::find(&run.plan.studies, wanted, dir, interrupted)?;
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
    Ok(Ready { directory, premises, ends: left.map(last_trial_ends) })
}

/// When the last trial of a budget that begins now should have ended.
fn last_trial_ends(budget: Duration) -> Instant {
    Instant::now() + time_for_trials(budget)
}

/// What a budget leaves to its trials: cleaning up and the report belong to it too.
fn time_for_trials(budget: Duration) -> Duration {
    budget.saturating_sub((budget / AFTERWARDS_PART).min(AFTERWARDS_MAX))
}

/// The least budget, in whole seconds, that leaves this time to its trials.
fn budget_for(trials: Duration) -> Duration {
    let budget = trials.saturating_add((trials / (AFTERWARDS_PART - 1)).min(AFTERWARDS_MAX));
    Duration::from_secs(budget.as_secs() + u64::from(budget.subsec_nanos() > 0))
}

/// What the recorded trials left of a run's budget; `None` if it has none.
fn budget_left(run: &Run) -> Option<Duration> {
    let used_s: f64 = run.records.iter().map(|record| record.wall_s + record.prepare_s).sum();
    let left_s = run.plan.budget_s? - used_s;
    Some(Duration::try_from_secs_f64(left_s).unwrap_or_default())
}

impl Ready {
    /// Runs every trial that is due.
    pub(crate) fn conduct(self, interrupted: &AtomicBool) -> Result<Ran, Failure> {
        let Self { mut directory, mut premises, ends } = self;
        watch_for_what_cannot_end()?;
        for remark in &directory.run().remarks {
            tell(remark);
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
                "continue with: syncline run --resume {}",
                directory.path().display()
            )),
            Err(failure) => failure,
        };
        // What went wrong first is what is reported; what could not be cleaned up is reported all the same.
        if let Err(left) = &closed {
            tell(left);
        }
        Err(ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_budget_leaves_the_time_that_it_was_made_for() {
        for seconds in [1, 7, 29, 60, 289, 290, 3600] {
            let wanted = Duration::from_secs(seconds);
            let budget = budget_for(wanted);
            assert!(time_for_trials(budget) >= wanted, "{seconds} s: {budget:?}");
            assert!(time_for_trials(budget.saturating_sub(Duration::from_secs(2))) < wanted, "{seconds} s");
        }
    }
}
