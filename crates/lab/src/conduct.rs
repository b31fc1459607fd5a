//! Conducts a run: takes the next trial, asks a worker, records what came of it, until nothing is due.

use crate::ensemble::{Interrupted, take_turns};
use crate::grace::{Grace, PREPARE_DEADLINE};
use crate::next::{Due, NextTrial, ensemble};
use crate::order::trial_seed;
use crate::patience::{self, Patience};
use crate::run_directory::{RunDirectory, RunError};
use crate::seats::seats;
use crate::spent::{Lap, Spent};
use crate::worker::{Ended, Worker, WorkerCommand};
use model::plan::StudyPlan;
use model::run::Run;
use model::trial::{Outcome, Pause, ServerSource, TrialRecord, TrialSpec, WorkerReply, WorkerRequest};
use model::turns::Arm;
use model::{Configuration, Description, FORMAT_VERSION};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Where trials take place: made and cleaned up by the binary, which knows the disk.
pub trait Premises {
    /// Directory that Syncline made for the trials' files.
    fn work_directory(&self) -> &Path;
    /// What a trial of this configuration needs; the error is one sentence and fails the trial.
    fn allocate(&mut self, description: &Description, values: &Configuration) -> Result<Resources, String>;
    /// Called when the trial with these resources has ended, however it ended. Returns what happened to its processes that they could
    /// not tell themselves, in one sentence.
    fn release(&mut self, resources: &Resources) -> Option<String>;
}

/// What a trial is given.
#[derive(Clone, Debug)]
pub struct Resources {
    /// What its worker is started with: program, prefix, pinning.
    pub worker: WorkerCommand,
    /// A memory control group to enter, if the trial is capped and the prefix does not cap it.
    pub memory_group: Option<PathBuf>,
    /// Bytes of the loop image that holds the plan's files on the trial's file system.
    pub image_bytes: u64,
    /// Where a server comes from, for trials that drive one.
    pub server: Option<ServerSource>,
}

/// Called at every step; the binary shows progress with it.
pub trait Observer {
    /// Trials are about to start: one, or those of a round that take turns.
    fn trials_start(&mut self, run: &Run, due: &[Due]);
    /// A trial has been recorded.
    fn trial_recorded(&mut self, run: &Run);
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
    /// When the run should have ended, if it has a time limit.
    pub ends: Option<Instant>,
    /// Called at every step.
    pub observer: &'a mut dyn Observer,
    /// Set from outside, by a signal handler, to stop.
    pub interrupted: &'a AtomicBool,
    /// When a worker is taken to hang.
    pub grace: Grace,
    /// How the time was spent, for the caller to print.
    pub spent: Spent,
}

impl Laboratory<'_> {
    /// Runs every trial that is due. Each is on the disk before the next starts.
    pub fn conduct(&mut self, directory: &mut RunDirectory) -> Result<Conducted, RunError> {
        let session = directory.next_session();
        let mut patience = directory.run().plan.budget_s.map(|_| Patience::default());
        let mut lap = Lap::start();
        while !self.interrupted.load(Ordering::Relaxed) {
            let run = directory.run();
            let time_left = self.ends.map(|ends| ends.saturating_duration_since(Instant::now()));
            let due = (self.next)(&run.plan, &run.records, time_left);
            let Some(due) = due else {
                self.spent.deciding_s += lap.seconds();
                return Ok(Conducted::Complete);
            };
            let study = &run.plan.studies[due.study];
            let together = ensemble(&run.plan, &due);
            self.observer.trials_start(run, &together);
            self.spent.deciding_s += lap.seconds();
            let wait_max_s = patience.map(Patience::seconds);
            // The first of those that take turns waits for the device; by then the files of all are made.
            let waits = std::iter::once(wait_max_s).chain(std::iter::repeat(Some(patience::LEAST_S)));
            let trials: Vec<_> = together
                .iter()
                .zip(waits)
                .map(|(due, wait_max_s)| TrialUnderWay::new(run, due, &together, session, wait_max_s))
                .collect();
            let Some(trials) = self.perform(trials, study, run.plan.seed) else { break };
            let records: Vec<_> = trials.into_iter().map(|trial| trial.record).collect();
            self.spent.add_trials(&records, lap.seconds());
            for mut record in records {
                if let (Some(patience), Some(measured)) = (&mut patience, &record.measurement) {
                    patience.learn(measured.quiesce_s);
                }
                let sidecar = record.measurement.as_mut().and_then(|measurement| measurement.sidecar.take());
                directory.append(record, sidecar.as_ref())?;
                self.observer.trial_recorded(directory.run());
            }
            self.spent.recording_s += lap.seconds();
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
        let finished = match &mut trials[..] {
            [alone] => alone.perform(self).then_some(()),
            together => take_turns(together, study, seed, self).ok(),
        };
        for trial in &mut trials {
            let why = trial.resources.take().and_then(|resources| self.premises.release(&resources));
            trial.explain(why);
        }
        finished.map(|()| trials)
    }
}

/// One trial while it happens: its record takes shape.
pub(crate) struct TrialUnderWay {
    workload: String,
    description: Option<Description>,
    placement_round: Option<u32>,
    quiesce_max_s: Option<f64>,
    seat: Option<u32>,
    resources: Option<Resources>,
    pub(crate) record: TrialRecord,
}

/// A trial whose files are there.
pub(crate) struct Ready {
    spec: TrialSpec,
    worker: WorkerCommand,
    pub(crate) deadline: Duration,
}

impl Ready {
    /// Starts its worker.
    pub(crate) fn start(&self) -> Result<Worker, Ended> {
        self.worker.start(&WorkerRequest::Trial(self.spec.clone()))
    }
}

impl TrialUnderWay {
    fn new(run: &Run, due: &Due, together: &[Due], session: u32, quiesce_max_s: Option<f64>) -> Self {
        let study: &StudyPlan = &run.plan.studies[due.study];
        let ensemble: Vec<Arm> = match together {
            [_] => Vec::new(),
            _ => together.iter().map(|due| due.key.arm()).collect(),
        };
        let seats = seats(study, run.plan.seed, due.key.round, &ensemble);
        Self {
            seat: seats.get(&due.key.arm()).copied(),
            resources: None,
            workload: study.workload.clone(),
            description: study.description(due.key.configuration).cloned(),
            placement_round: study.fresh_placement.then_some(due.key.round),
            quiesce_max_s,
            record: TrialRecord {
                format_version: FORMAT_VERSION,
                key: due.key.clone(),
                position: due.position,
                warmup: due.key.round < study.warmup_rounds,
                session,
                values: study.configurations[due.key.configuration].clone(),
                seed: trial_seed(run.plan.seed, &study.name, due.key.round),
                started_at: crate::host::now(),
                ensemble,
                wall_s: 0.0,
                prepare_s: 0.0,
                canary: None,
                pauses: None,
                outcome: Outcome::Ok,
                measurement: None,
            },
        }
    }

    /// Prepares and measures; `false` if it was interrupted and must not be recorded.
    fn perform(&mut self, lab: &mut Laboratory<'_>) -> bool {
        let ready = match self.prepare(lab) {
            Ok(Some(ready)) => ready,
            Ok(None) => return true,
            Err(Interrupted) => return false,
        };
        let started = Instant::now();
        let request = WorkerRequest::Trial(ready.spec);
        let measured = ready.worker.ask(&request, ready.deadline, lab.interrupted);
        self.record.wall_s = started.elapsed().as_secs_f64();
        self.add_pauses(measured.pauses);
        self.conclude(measured.ended, ready.deadline)
    }

    /// Makes its files; `None` if it has failed.
    pub(crate) fn prepare(&mut self, lab: &mut Laboratory<'_>) -> Result<Option<Ready>, Interrupted> {
        let ready = match self.specify(lab.premises, lab.grace) {
            Ok(ready) => ready,
            Err(why) => {
                self.record.outcome = Outcome::Failed(why);
                return Ok(None);
            }
        };
        let started = Instant::now();
        let request = WorkerRequest::Prepare(ready.spec.clone());
        let prepared = ready.worker.ask(&request, PREPARE_DEADLINE, lab.interrupted);
        self.record.prepare_s = started.elapsed().as_secs_f64();
        let ended = match prepared.ended {
            Ended::Replied(reply) => match *reply {
                WorkerReply::Prepared { canary, .. } => {
                    self.record.canary = canary;
                    return Ok(Some(ready));
                }
                other => Ended::Replied(Box::new(other)),
            },
            other => other,
        };
        if self.conclude(ended, PREPARE_DEADLINE) { Ok(None) } else { Err(Interrupted) }
    }

    /// Seconds that its phases take, each; 0 if they end by a count.
    pub(crate) fn phase_s(&self) -> f64 {
        self.description.as_ref().map_or(0.0, |description| description.duration.phase_s)
    }

    /// Whether its phases end after a number of operations, if not by time before.
    pub(crate) fn is_counted(&self) -> bool {
        let duration = self.description.as_ref().map(|description| &description.duration);
        duration.is_some_and(|duration| duration.phase_s <= 0.0 || duration.operations > 0)
    }

    pub(crate) fn add_pauses(&mut self, pauses: Vec<Pause>) {
        self.record.pauses.get_or_insert_default().extend(pauses);
    }

    fn specify(&mut self, premises: &mut dyn Premises, grace: Grace) -> Result<Ready, String> {
        let values = &self.record.values;
        let unknown = || format!("the plan does not describe this configuration of {}", self.workload);
        let description = self.description.as_ref().ok_or_else(unknown)?;
        let resources = premises.allocate(description, values)?;
        let spec = TrialSpec {
            format_version: FORMAT_VERSION,
            workload: self.workload.clone(),
            configuration: values.clone(),
            seed: self.record.seed,
            work_directory: premises.work_directory().to_owned(),
            placement_round: self.placement_round,
            image_bytes: resources.image_bytes,
            memory_group: resources.memory_group.clone(),
            parent_process: std::process::id(),
            quiesce_max_s: self.quiesce_max_s,
            server: resources.server.clone(),
            seat: self.seat,
        };
        let worker = resources.worker.clone();
        let deadline = grace.trial_deadline(description);
        self.resources = Some(resources);
        Ok(Ready { spec, worker, deadline })
    }

    /// A worker that was killed says nothing; why it was is known outside.
    fn explain(&mut self, why: Option<String>) {
        if let (Outcome::Failed(said), Some(why)) = (&mut self.record.outcome, why) {
            *said = format!("{why}; {said}");
        }
    }

    /// How it ended; `false` if it was interrupted and must not be recorded.
    pub(crate) fn conclude(&mut self, ended: Ended, deadline: Duration) -> bool {
        self.record.outcome = match ended {
            Ended::Interrupted => return false,
            Ended::Killed => Outcome::Killed(deadline.as_secs_f64()),
            Ended::Died(why) => Outcome::Failed(why),
            Ended::Replied(reply) => match *reply {
                WorkerReply::Measured(measurement) => {
                    self.record.measurement = Some(*measurement);
                    Outcome::Ok
                }
                WorkerReply::Failed { why } => Outcome::Failed(why),
                WorkerReply::Unsupported { why } => Outcome::Unsupported(why),
                WorkerReply::Prepared { .. }
                | WorkerReply::Recovered { .. }
                | WorkerReply::Waiting { .. }
                | WorkerReply::Turned(_) => {
                    Outcome::Failed("the worker answered another question".to_owned())
                }
            },
        };
        true
    }
}
