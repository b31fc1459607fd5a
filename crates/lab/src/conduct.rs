//! Conducts a run: takes the next trial, asks a worker, records what came of it, until nothing is due.

use crate::ensemble::take_turns;
use crate::next::{Due, NextTrial, TakesTurns, ensemble};
use crate::premises::Premises;
use crate::quiesce_budget::QuiesceBudget;
use crate::run_directory::{RunDirectory, RunError};
use crate::time_account::{Lap, TimeAccount};
use crate::timeout::Timeout;
use crate::under_way::{Means, TrialUnderWay};
use model::plan::StudyPlan;
use model::run::Run;
use model::traced::TracedKey;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Called at every step; the binary shows progress with it.
pub trait Observer {
    /// Trials are about to start: one, or those of a round that take turns.
    fn trials_start(&mut self, run: &Run, due: &[Due]);
    /// A trial has been recorded.
    fn trial_recorded(&mut self, run: &Run);
    /// A traced trial is about to start: its number, from 1, and how many there are.
    fn traced_trial_starts(&mut self, _key: &TracedKey, _number: usize, _of: usize) {}
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conducted {
    /// Nothing is due any more.
    Complete,
    /// It was asked to stop; what is recorded can be resumed.
    Interrupted,
}

/// Everything a run needs besides its directory.
pub struct Laboratory<'a> {
    /// Where trials take place.
    pub premises: &'a mut dyn Premises,
    /// Which trial comes next.
    pub next: &'a NextTrial<'a>,
    /// Whether a study's trials take turns in a round, if its plan lets them.
    pub takes_turns: &'a TakesTurns<'a>,
    /// When the run should have ended, if it has a time limit.
    pub ends: Option<Instant>,
    /// Called at every step.
    pub observer: &'a mut dyn Observer,
    /// Set from outside, by a signal handler, to stop.
    pub interrupted: &'a AtomicBool,
    /// When a worker is taken to hang.
    pub timeout: Timeout,
    /// How the time was spent, for the caller to print.
    pub time: TimeAccount,
}

impl Laboratory<'_> {
    /// Runs every trial that is due. Each is on the disk before the next starts.
    pub fn conduct(&mut self, directory: &mut RunDirectory) -> Result<Conducted, RunError> {
        let session = directory.next_session();
        let mut quiesce = directory.run().plan.budget_s.map(|_| QuiesceBudget::default());
        let mut lap = Lap::start();
        while !self.interrupted.load(Ordering::Relaxed) {
            let run = directory.run();
            let time_left = self.ends.map(|ends| ends.saturating_duration_since(Instant::now()));
            let due = (self.next)(&run.plan, &run.records, time_left);
            let Some(due) = due else {
                self.time.deciding_s += lap.seconds();
                return Ok(Conducted::Complete);
            };
            let study = &run.plan.studies[due.study];
            let goes_on = (self.takes_turns)(run, study, due.key.round);
            let together = if goes_on { ensemble(&run.plan, &due) } else { vec![due] };
            self.observer.trials_start(run, &together);
            self.time.deciding_s += lap.seconds();
            let wait_max_s = quiesce.map(QuiesceBudget::seconds);
            // The first of those that take turns waits for the device: by then the files of all are made, and the
            // others, which start while those before them wait for their turns, leave nothing on it.
            let waits = std::iter::once(wait_max_s).chain(std::iter::repeat(Some(0.0)));
            let trials: Vec<_> = together
                .iter()
                .zip(waits)
                .map(|(due, wait_max_s)| TrialUnderWay::new(run, due, &together, session, wait_max_s))
                .collect();
            let Some(trials) = self.perform(trials, study, run.plan.seed) else { break };
            let records: Vec<_> = trials.into_iter().map(|trial| trial.record).collect();
            self.time.add_trials(&records, lap.seconds());
            let waited = records.first().and_then(|record| record.measurement.as_ref());
            if let (Some(quiesce), Some(measured)) = (&mut quiesce, waited) {
                quiesce.learn(measured.quiesce_s);
            }
            for mut record in records {
                let measurement = record.measurement.as_mut();
                if let Some(log) = measurement.and_then(|measurement| measurement.operation_log.as_mut()) {
                    let written = self.premises.work_directory().join(&log.name);
                    log.name = directory.files().keep_operation_log(&record.key, &written)?;
                }
                let sidecar = record.measurement.as_mut().and_then(|measurement| measurement.sidecar.take());
                directory.append(record, sidecar.as_ref())?;
                self.observer.trial_recorded(directory.run());
            }
            self.time.recording_s += lap.seconds();
        }
        Ok(Conducted::Interrupted)
    }

    /// Runs trials that are due together; `None` if they were interrupted and must not be recorded.
    fn perform(
        &mut self,
        mut trials: Vec<TrialUnderWay>,
        study: &StudyPlan,
        seed: u64,
    ) -> Option<Vec<TrialUnderWay>> {
        let mut means =
            Means { premises: &mut *self.premises, timeout: self.timeout, interrupted: self.interrupted };
        let finished = match &mut trials[..] {
            [alone] => alone.perform(&mut means).then_some(()),
            together => take_turns(together, study, seed, &mut means).ok(),
        };
        for trial in &mut trials {
            let why = trial.resources.take().and_then(|resources| self.premises.release(&resources));
            trial.explain(why);
        }
        finished.map(|()| trials)
    }
}
