//! Conducts a run: takes the next trial, asks a worker, records what came of it, until nothing is due.

use crate::next::{Due, NextTrial};
use crate::order::trial_seed;
use crate::patience::Patience;
use crate::run_directory::{RunDirectory, RunError};
use crate::spent::{Lap, Spent};
use crate::worker::{Ended, WorkerCommand};
use model::plan::StudyPlan;
use model::run::Run;
use model::trial::{Outcome, ServerSource, TrialRecord, TrialSpec, WorkerReply, WorkerRequest};
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
    /// Called when the trial has ended, however it ended. Returns what happened to its processes that they could not tell
    /// themselves, in one sentence.
    fn release(&mut self) -> Option<String>;
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
    /// A trial is about to start.
    fn trial_starts(&mut self, run: &Run, due: &Due);
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

/// A commit, a read or a write that takes longer than this, on average, is a hang.
const OPERATION_MAX_S: f64 = 0.1;
/// Nor does a key of a load take longer, on average, whatever its put waits for; compaction included.
const LOADED_KEY_MAX_S: f64 = 0.02;
/// Slower than this nobody reads or evicts a file, bytes per second.
const FILE_RATE_MIN: f64 = 20e6;
/// A worker that hangs is killed after this long beyond what its parameters take; preparing files may take longer.
const TRIAL_GRACE: Duration = Duration::from_mins(5);
const PREPARE_DEADLINE: Duration = Duration::from_hours(1);

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
    /// How the time was spent, for the caller to print.
    pub spent: Spent,
}

impl Laboratory<'_> {
    /// Runs every trial that is due. Each is on the disk before the next starts.
    pub fn conduct(&mut self, directory: &mut RunDirectory) -> Result<Conducted, RunError> {
        let sessions = directory.run().records.iter().map(|record| record.session);
        // A record may hold any number.
        let session = sessions.max().unwrap_or(0).saturating_add(1);
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
            self.observer.trial_starts(run, &due);
            self.spent.deciding_s += lap.seconds();
            let mut trial = TrialUnderWay::new(run, &due, session, patience.map(Patience::seconds));
            let finished = trial.perform(self);
            trial.explain(self.premises.release());
            self.spent.add_trial(&trial.record, lap.seconds());
            if !finished {
                break;
            }
            if let (Some(patience), Some(measured)) = (&mut patience, &trial.record.measurement) {
                patience.learn(measured.quiesce_s);
            }
            let sidecar =
                trial.record.measurement.as_mut().and_then(|measurement| measurement.sidecar.take());
            directory.append(trial.record, sidecar.as_ref())?;
            self.spent.recording_s += lap.seconds();
            self.observer.trial_recorded(directory.run());
        }
        Ok(Conducted::Interrupted)
    }
}

/// One trial while it happens: its record takes shape.
struct TrialUnderWay {
    workload: String,
    description: Option<Description>,
    placement_round: Option<u32>,
    quiesce_max_s: Option<f64>,
    record: TrialRecord,
}

impl TrialUnderWay {
    fn new(run: &Run, due: &Due, session: u32, quiesce_max_s: Option<f64>) -> Self {
        let study: &StudyPlan = &run.plan.studies[due.study];
        Self {
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
        let (spec, worker, deadline) = match self.specify(lab.premises) {
            Ok(ready) => ready,
            Err(why) => {
                self.record.outcome = Outcome::Failed(why);
                return true;
            }
        };
        let started = Instant::now();
        let prepared = worker.ask(&WorkerRequest::Prepare(spec.clone()), PREPARE_DEADLINE, lab.interrupted);
        self.record.prepare_s = started.elapsed().as_secs_f64();
        match prepared.ended {
            Ended::Replied(reply) => match *reply {
                WorkerReply::Prepared { canary, .. } => self.record.canary = canary,
                other => return self.conclude(Ended::Replied(Box::new(other)), PREPARE_DEADLINE),
            },
            other => return self.conclude(other, PREPARE_DEADLINE),
        }
        let started = Instant::now();
        let measured = worker.ask(&WorkerRequest::Trial(spec), deadline, lab.interrupted);
        self.record.wall_s = started.elapsed().as_secs_f64();
        self.record.pauses = Some(measured.pauses);
        self.conclude(measured.ended, deadline)
    }

    fn specify(&self, premises: &mut dyn Premises) -> Result<(TrialSpec, WorkerCommand, Duration), String> {
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
            memory_group: resources.memory_group,
            parent_process: std::process::id(),
            quiesce_max_s: self.quiesce_max_s,
            server: resources.server,
        };
        Ok((spec, resources.worker, trial_deadline(description)))
    }

    /// A worker that was killed says nothing; why it was is known outside.
    fn explain(&mut self, why: Option<String>) {
        if let (Outcome::Failed(said), Some(why)) = (&mut self.record.outcome, why) {
            *said = format!("{why}; {said}");
        }
    }

    fn conclude(&mut self, ended: Ended, deadline: Duration) -> bool {
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
                WorkerReply::Prepared { .. } | WorkerReply::Recovered { .. } => {
                    Outcome::Failed("the worker answered another question".to_owned())
                }
            },
        };
        true
    }
}

/// When a worker hangs. A phase that counts operations ends with the last of them, or with its time if that comes first.
fn trial_deadline(description: &Description) -> Duration {
    let asked = &description.duration;
    let counted = if asked.phase_s > 0.0 { 0.0 } else { asked.operations as f64 * OPERATION_MAX_S };
    let timed = 2.0 * asked.phase_s * f64::from(asked.phases) + asked.ramp_s + 2.0 * asked.steady_max_s;
    let waited = asked.idle_s + asked.age_s;
    let moved = asked.loaded as f64 * LOADED_KEY_MAX_S + asked.moved_bytes as f64 / FILE_RATE_MIN;
    let expected = counted + timed + waited + moved;
    TRIAL_GRACE + Duration::try_from_secs_f64(expected).unwrap_or(PREPARE_DEADLINE)
}
