//! One trial while it happens.

use crate::next::Due;
use crate::order::{self, Slot, trial_seed, turns_random};
use crate::premises::{Premises, Resources};
use crate::seats::seats;
use crate::timeout::{PREPARE_DEADLINE, Timeout};
use crate::worker::{Ended, Worker, WorkerCommand};
use model::plan::StudyPlan;
use model::run::Run;
use model::trial::{Pause, TrialKey, TrialOutcome, TrialRecord, TrialSpec, WorkerReply, WorkerRequest};
use model::turns::Arm;
use model::{Description, FORMAT_VERSION};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// What trials are run with.
pub(crate) struct Means<'a> {
    pub(crate) premises: &'a mut dyn Premises,
    pub(crate) timeout: Timeout,
    pub(crate) interrupted: &'a AtomicBool,
}

/// The lab was asked to stop: nothing of the trial is recorded, nor of those that take turns with it.
pub(crate) struct Interrupted;

/// One trial while it happens: its record takes shape.
pub(crate) struct TrialUnderWay {
    workload: String,
    description: Option<Description>,
    placement_round: Option<u32>,
    quiesce_max_s: Option<f64>,
    seat: Option<u32>,
    is_traced: bool,
    /// Whether it takes slices with others, if it takes turns.
    takes_slices: bool,
    rank: u32,
    pub(crate) resources: Option<Resources>,
    pub(crate) record: TrialRecord,
}

/// A trial whose files are there.
pub(crate) struct Ready {
    spec: TrialSpec,
    worker: WorkerCommand,
    pub(crate) deadline: Duration,
}

impl Ready {
    pub(crate) fn start(&self) -> Result<Worker, Ended> {
        self.worker.start(&WorkerRequest::Trial(self.spec.clone()))
    }
}

impl TrialUnderWay {
    pub(crate) fn new(
        run: &Run,
        due: &Due,
        together: &[Due],
        session: u32,
        quiesce_max_s: Option<f64>,
    ) -> Self {
        let study: &StudyPlan = &run.plan.studies[due.study];
        let ensemble: Vec<Arm> = match together {
            [_] => Vec::new(),
            _ => together.iter().map(|due| due.key.arm()).collect(),
        };
        // Whether it takes turns or not: a study that leaves its turns keeps the files of its seats.
        let TrialKey { round, block, .. } = due.key;
        let slot = Slot { arm: due.key.arm(), block };
        let seated: Vec<Arm> =
            order::ensemble(study, run.plan.seed, round, slot).into_iter().map(|slot| slot.arm).collect();
        let seats = match &seated[..] {
            [_] => BTreeMap::new(),
            _ => seats(study, turns_random(run.plan.seed, &study.name, round, block), &seated),
        };
        Self {
            seat: seats.get(&due.key.arm()).copied(),
            resources: None,
            is_traced: false,
            takes_slices: study.takes_turns(due.key.configuration),
            rank: run.plan.rank.map_or(0, |rank| rank.rank),
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
                outcome: TrialOutcome::Ok,
                measurement: None,
            },
        }
    }

    /// The same trial, traced: each of its phases waits for the lab's order to begin.
    pub(crate) fn traced(self) -> Self {
        Self { is_traced: true, ..self }
    }

    /// The CPU that its worker is pinned to.
    pub(crate) fn cpu(&self) -> Option<usize> {
        self.resources.as_ref()?.worker.cpu
    }

    /// Whether a phase ends with its workload alone.
    pub(crate) fn ends_only_by_itself(&self) -> bool {
        let turns = self.description.as_ref().map(|description| &description.turns);
        turns.is_some_and(|turns| turns.begins_when_told && !turns.interleavable)
    }

    /// Prepares and measures; `false` if it was interrupted and must not be recorded.
    pub(crate) fn perform(&mut self, means: &mut Means<'_>) -> bool {
        let ready = match self.prepare(means) {
            Ok(Some(ready)) => ready,
            Ok(None) => return true,
            Err(Interrupted) => return false,
        };
        let started = Instant::now();
        let request = WorkerRequest::Trial(ready.spec);
        let measured = ready.worker.ask(&request, ready.deadline, means.interrupted);
        self.record.wall_s = started.elapsed().as_secs_f64();
        self.add_pauses(measured.pauses);
        self.conclude(measured.ended, ready.deadline)
    }

    /// Makes its files; `None` if it has failed.
    pub(crate) fn prepare(&mut self, means: &mut Means<'_>) -> Result<Option<Ready>, Interrupted> {
        let ready = match self.specify(means.premises, means.timeout) {
            Ok(ready) => ready,
            Err(why) => {
                self.record.outcome = TrialOutcome::Failed(why);
                return Ok(None);
            }
        };
        let started = Instant::now();
        let request = WorkerRequest::Prepare(ready.spec.clone());
        let prepared = ready.worker.ask(&request, PREPARE_DEADLINE, means.interrupted);
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

    /// Seconds that its phases take, each, unless the worker ends them earlier; 0 if they end by a count.
    pub(crate) fn phase_s(&self) -> f64 {
        let duration = self.description.as_ref().map(|description| description.duration);
        duration.map_or(0.0, |duration| duration.phase_s + duration.extension_max_s)
    }

    /// Threads that drive its operations.
    pub(crate) fn threads(&self) -> u64 {
        self.description.as_ref().map_or(1, |description| description.threads)
    }

    /// Seconds that a slice lasts at least.
    pub(crate) fn slice_min_s(&self) -> f64 {
        self.description.as_ref().map_or(0.0, |description| description.turns.slice_min_s)
    }

    /// Seconds of a slice that no figure counts at least.
    pub(crate) fn settle_min_s(&self) -> f64 {
        self.description.as_ref().map_or(0.0, |description| description.turns.settle_min_s)
    }

    /// Whether more than one operation is in flight, so that a queue has to fill.
    pub(crate) fn has_queue(&self) -> bool {
        self.description.as_ref().is_none_or(|description| description.in_flight_max > 1)
    }

    /// Whether it gets ready, and ends, at the same time as those that take turns with it.
    pub(crate) fn starts_together(&self) -> bool {
        self.description.as_ref().is_some_and(|description| description.turns.starts_together)
    }

    /// Whether its phases may end after a number of operations.
    pub(crate) fn is_counted(&self) -> bool {
        self.description.as_ref().is_some_and(|description| description.duration.ends_by_count())
    }

    pub(crate) fn add_pauses(&mut self, pauses: Vec<Pause>) {
        self.record.pauses.get_or_insert_default().extend(pauses);
    }

    fn specify(&mut self, premises: &mut dyn Premises, timeout: Timeout) -> Result<Ready, String> {
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
            io_group: resources.io_group.clone(),
            parent_process: std::process::id(),
            quiesce_max_s: self.quiesce_max_s,
            other_work_directory: resources.other_work_directory.clone(),
            server: resources.server.clone(),
            seat: self.seat,
            takes_turns: !self.record.ensemble.is_empty() || self.is_traced,
            is_traced: self.is_traced,
            // A traced phase is as long as the lab says.
            has_whole_turns: !self.record.ensemble.is_empty() && !self.takes_slices && !self.is_traced,
            rank: self.rank,
        };
        let worker = resources.worker.clone();
        let deadline = timeout.trial_deadline(description);
        self.resources = Some(resources);
        Ok(Ready { spec, worker, deadline })
    }

    /// A worker that was killed says nothing; why it was is known outside.
    pub(crate) fn explain(&mut self, why: Option<String>) {
        if let (TrialOutcome::Failed(said), Some(why)) = (&mut self.record.outcome, why) {
            *said = format!("{why}; {said}");
        }
    }

    /// How it ended; `false` if it was interrupted and must not be recorded.
    pub(crate) fn conclude(&mut self, ended: Ended, deadline: Duration) -> bool {
        self.record.outcome = match ended {
            Ended::Interrupted => return false,
            Ended::Killed => TrialOutcome::Killed(deadline.as_secs_f64()),
            Ended::Died(why) => TrialOutcome::Failed(why),
            Ended::Replied(reply) => match *reply {
                WorkerReply::Measured(measurement) => {
                    self.record.measurement = Some(*measurement);
                    TrialOutcome::Ok
                }
                WorkerReply::Failed { why } => TrialOutcome::Failed(why),
                WorkerReply::Unsupported { why } => TrialOutcome::Unsupported(why),
                WorkerReply::Prepared { .. }
                | WorkerReply::Recovered { .. }
                | WorkerReply::Waiting { .. }
                | WorkerReply::Turned(_) => {
                    TrialOutcome::Failed("the worker answered another question".to_owned())
                }
            },
        };
        true
    }
}
