//! A session: what one command does of a run, from the first trial that is due to the last.

mod account;

use crate::failure::Failure;
use crate::output::{report_error, tell};
use crate::premises::DiskPremises;
use crate::progress::ProgressDisplay;
use crate::signals::watch_for_what_cannot_end;
use crate::standing::{OfStudy, SoFar, by_first_ask, standing};
use crate::tracing::KernelTracing;
use account::Account;
use lab::conduct::{Conducted, Laboratory};
use lab::interim::by_looks;
use lab::run_directory::{RunDirectory, RunFiles};
use lab::time_account::TimeAccount;
use lab::timeout::Timeout;
use lab::traced::Tracing;
use model::plan::Plan;
use model::trial::TrialRecord;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// A run directory and the premises its trials take place on.
pub(crate) struct Session {
    pub(crate) directory: RunDirectory,
    /// Made for this session, removed at its end.
    pub(crate) premises: DiskPremises,
    /// When the last trial should have ended, if there is a budget.
    pub(crate) ends: Option<Instant>,
}

/// A session after which nothing of the run is due any more.
pub(crate) struct Finished {
    pub(crate) directory: RunDirectory,
    /// Whether everything could be cleaned up: what was measured is worth reporting either way.
    pub(crate) closed: Result<(), Failure>,
    /// Where the time went.
    pub(crate) account: Account,
}

impl Session {
    /// Runs every trial that is due.
    pub(crate) fn conduct(self, interrupted: &AtomicBool) -> Result<Finished, Failure> {
        self.conduct_until(interrupted, &by_first_ask)
    }

    /// The same; under a budget, a study ends when `of_study` says that it is decided.
    pub(crate) fn conduct_until(
        self,
        interrupted: &AtomicBool,
        of_study: &OfStudy<'_>,
    ) -> Result<Finished, Failure> {
        self.conduct_traced(interrupted, of_study, &mut KernelTracing::default())
    }

    /// The same; what `tracing` records of the traced trials is the caller's.
    pub(crate) fn conduct_traced(
        self,
        interrupted: &AtomicBool,
        of_study: &OfStudy<'_>,
        tracing: &mut dyn Tracing,
    ) -> Result<Finished, Failure> {
        let Self { mut directory, mut premises, ends } = self;
        watch_for_what_cannot_end()?;
        for remark in &directory.run().remarks {
            tell(remark);
        }
        let mut display = ProgressDisplay::new(ends);
        let host = directory.run().host.clone();
        let files = RunFiles::open(directory.path()).map_err(Failure::runtime)?;
        let judge = |plan: &Plan, records: &[TrialRecord], study: usize| {
            let so_far = SoFar { plan, host: &host, records, sidecar: &|key| files.sidecar(key) };
            standing(&so_far, study, of_study)
        };
        let mut lab = Laboratory {
            premises: &mut premises,
            next: &|plan, records, time_left| by_looks(plan, records, time_left, &judge),
            takes_turns: &|run, study, round| {
                verdict::takes_turns(run, study, round, &|key| files.sidecar(key))
            },
            ends,
            observer: &mut display,
            interrupted,
            timeout: Timeout::default(),
            time: TimeAccount::default(),
        };
        let conducted = lab.conduct(&mut directory).and_then(|conducted| match conducted {
            Conducted::Complete => lab.trace(&mut directory, tracing),
            Conducted::Interrupted => Ok(conducted),
        });
        let time = lab.time;
        display.finish();
        let closing = Instant::now();
        let closed = premises.close();
        let ended = match conducted.map_err(Failure::runtime) {
            Ok(Conducted::Complete) => {
                let account = Account { time, closing_s: closing.elapsed().as_secs_f64() };
                return Ok(Finished { directory, closed, account });
            }
            Ok(Conducted::Interrupted) => Failure::Interrupted(format!(
                "continue with: syncline run --resume {}",
                directory.path().display()
            )),
            Err(failure) => failure,
        };
        // The first error is returned; a failed clean-up is reported too.
        if let Err(left) = &closed {
            report_error(left);
        }
        Err(ended)
    }
}
