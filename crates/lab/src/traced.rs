//! Traced trials, after all others: each configuration of the studies that ask for them once more, while the kernel's
//! tracepoints are recorded.
//!
//! A traced trial waits for one turn in each phase, as if it took turns with others. The recording begins before the
//! turn and ends after it, so it has no preparation in it. It has a line in `traced.jsonl` and no record: a trace costs
//! time, so nothing else is made from such a trial.

use crate::conduct::{Conducted, Laboratory};
use crate::next::Due;
use crate::order::round_order;
use crate::run_directory::{RunDirectory, RunError};
use crate::under_way::{Interrupted, Means, Ready, TrialUnderWay};
use crate::worker::Ended;
use model::FORMAT_VERSION;
use model::plan::Plan;
use model::run::Run;
use model::traced::{Stamps, TracedKey, TracedOutcome, TracedPhase, TracedTrial};
use model::trial::{TrialKey, TrialOutcome, WorkerReply};
use model::turns::{Turn, TurnOrder};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Seconds of a phase that are traced, unless only its workload ends it.
pub const TRACED_S: f64 = 2.0;

/// Far more than a plan of Syncline has: a plan may come from a stranger.
const REPETITIONS_MAX: u32 = 1000;

/// What records the kernel's tracepoints.
pub trait Tracing {
    /// Records from now on. `measured_cpu` is the CPU of the thread that is measured, if it is pinned.
    ///
    /// # Errors
    /// Why nothing can be recorded here, and what would permit it.
    fn start(&mut self, measured_cpu: Option<usize>) -> Result<(), String>;

    /// Ends the recording, which was of this phase.
    fn stop(&mut self, phase: &str);

    /// What the operations of the recorded phases spent their time on; forgets the recordings.
    fn lay_out(&mut self, stamps: &[Stamps]) -> Vec<TracedPhase>;
}

/// A traced trial that is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedDue {
    pub key: TracedKey,
    due: Due,
}

/// The traced trials that have no line yet, in their order: study by study, each repetition in an order of its own.
pub fn due(plan: &Plan, recorded: &BTreeSet<TracedKey>) -> Vec<TracedDue> {
    let mut found = Vec::new();
    for (index, study) in plan.studies.iter().enumerate() {
        for repetition in 0..study.traced.min(REPETITIONS_MAX) {
            // The plan does not have this round.
            let round = study.rounds_total().saturating_add(repetition);
            let mut seen = BTreeSet::new();
            for slot in round_order(study, plan.seed, round) {
                let configuration = slot.arm.configuration;
                let key = TracedKey { study: study.name.clone(), configuration, repetition };
                if slot.arm.duplicate || !seen.insert(configuration) || recorded.contains(&key) {
                    continue;
                }
                let trial = TrialKey {
                    study: study.name.clone(),
                    round,
                    configuration,
                    duplicate: false,
                    block: slot.block,
                };
                found.push(TracedDue { key, due: Due { study: index, key: trial, position: 0 } });
            }
        }
    }
    found
}

impl Laboratory<'_> {
    /// Runs every traced trial that is due. If nothing can be recorded here, one line says so and none follows.
    ///
    /// # Errors
    /// The run directory cannot be read or written to.
    pub fn trace(
        &mut self,
        directory: &mut RunDirectory,
        tracing: &mut dyn Tracing,
    ) -> Result<Conducted, RunError> {
        let recorded = directory.files().traced()?;
        if recorded.values().any(|trial| matches!(trial.outcome, TracedOutcome::Unsupported(_))) {
            return Ok(Conducted::Complete);
        }
        let due = due(&directory.run().plan, &recorded.into_keys().collect());
        let of = due.len();
        let session = directory.next_session();
        for (number, traced) in (1..).zip(due) {
            if self.interrupted.load(Ordering::Relaxed) {
                return Ok(Conducted::Interrupted);
            }
            let began = Instant::now();
            self.observer.traced_trial_starts(&traced.key, number, of);
            let started_at = crate::host::now();
            let outcome = self.trace_one(directory.run(), &traced.due, session, tracing);
            self.time.tracing_s += began.elapsed().as_secs_f64();
            let Ok(outcome) = outcome else { return Ok(Conducted::Interrupted) };
            let ends = matches!(outcome, TracedOutcome::Unsupported(_));
            let trial = TracedTrial { format_version: FORMAT_VERSION, key: traced.key, started_at, outcome };
            directory.append_traced(&trial)?;
            if ends {
                break;
            }
        }
        Ok(Conducted::Complete)
    }

    fn trace_one(
        &mut self,
        run: &Run,
        due: &Due,
        session: u32,
        tracing: &mut dyn Tracing,
    ) -> Result<TracedOutcome, Interrupted> {
        let together = std::slice::from_ref(due);
        let mut trial = TrialUnderWay::new(run, due, together, session, None).traced();
        let mut means =
            Means { premises: &mut *self.premises, timeout: self.timeout, interrupted: self.interrupted };
        let outcome = match trial.prepare(&mut means) {
            Ok(Some(ready)) => perform(&mut trial, &ready, &means, tracing),
            Ok(None) => Ok(None),
            Err(interrupted) => Err(interrupted),
        };
        let why = trial.resources.take().and_then(|resources| self.premises.release(&resources));
        trial.explain(why);
        Ok(outcome?.unwrap_or_else(|| failure(&trial.record.outcome)))
    }
}

/// How a trial without a trace ended.
fn failure(outcome: &TrialOutcome) -> TracedOutcome {
    match outcome {
        TrialOutcome::Failed(why) | TrialOutcome::Unsupported(why) => TracedOutcome::Failed(why.clone()),
        TrialOutcome::Killed(seconds) => {
            TracedOutcome::Failed(format!("it was killed at its deadline, after {seconds:.0} s"))
        }
        TrialOutcome::Ok => TracedOutcome::Failed(
            "its phases do not wait for the lab's order to begin, so they cannot be traced".to_owned(),
        ),
    }
}

/// Runs a trial whose files are there; `None` if it has no trace, and its record says why.
fn perform(
    trial: &mut TrialUnderWay,
    ready: &Ready,
    means: &Means<'_>,
    tracing: &mut dyn Tracing,
) -> Result<Option<TracedOutcome>, Interrupted> {
    let turn = turn(trial);
    let deadline = if turn.is_whole() { ready.deadline } else { means.timeout.turn_deadline(turn.slice_s) };
    let mut worker = match ready.start() {
        Ok(worker) => worker,
        Err(ended) => return conclude(trial, ended, ready, tracing),
    };
    let mut is_traced = false;
    loop {
        let phase = match worker.hear(ready.deadline, means.interrupted) {
            Ok(WorkerReply::Waiting { phase }) => phase,
            Ok(reply) => {
                let ended = worker.end(reply, ready.deadline, means.interrupted).ended;
                let none = conclude(trial, ended, ready, tracing)?;
                return Ok(if is_traced { laid_out(trial, tracing) } else { none });
            }
            Err(ended) => return conclude(trial, ended, ready, tracing),
        };
        if let Err(why) = tracing.start(trial.cpu()) {
            return Ok(Some(TracedOutcome::Unsupported(why)));
        }
        is_traced = true;
        worker.tell(&TurnOrder::Turn(turn));
        let heard = worker.hear(deadline, means.interrupted);
        tracing.stop(&phase);
        match heard {
            Ok(WorkerReply::Turned(_)) => worker.tell(&TurnOrder::End),
            Ok(reply) => {
                let ended = worker.end(reply, ready.deadline, means.interrupted).ended;
                return conclude(trial, ended, ready, tracing);
            }
            Err(ended) => return conclude(trial, ended, ready, tracing),
        }
    }
}

/// A phase of two seconds; one that only its workload can end is traced whole.
fn turn(trial: &TrialUnderWay) -> Turn {
    if trial.ends_only_by_itself() { Turn::WHOLE } else { Turn { slice_s: TRACED_S, ..Turn::WHOLE } }
}

fn conclude(
    trial: &mut TrialUnderWay,
    ended: Ended,
    ready: &Ready,
    tracing: &mut dyn Tracing,
) -> Result<Option<TracedOutcome>, Interrupted> {
    let is_over = trial.conclude(ended, ready.deadline);
    if trial.record.outcome != TrialOutcome::Ok {
        // A recording without stamps says nothing.
        tracing.lay_out(&[]);
    }
    if is_over { Ok(None) } else { Err(Interrupted) }
}

fn laid_out(trial: &mut TrialUnderWay, tracing: &mut dyn Tracing) -> Option<TracedOutcome> {
    let measurement = trial.record.measurement.as_mut()?;
    let stamps = measurement.sidecar.take().map(|sidecar| sidecar.stamps).unwrap_or_default();
    Some(TracedOutcome::Traced(tracing.lay_out(&stamps)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Configuration;
    use model::plan::StudyPlan;

    fn plan(traced: u32) -> Plan {
        let study = StudyPlan {
            name: "commit".to_owned(),
            configurations: vec![Configuration::default(); 3],
            rounds: 6,
            traced,
            ..StudyPlan::default()
        };
        Plan { seed: 7, studies: vec![study], ..Plan::default() }
    }

    #[test]
    fn every_configuration_is_traced_as_often_as_the_study_asks() {
        assert!(due(&plan(0), &BTreeSet::new()).is_empty());
        let all = due(&plan(2), &BTreeSet::new());
        let keys: BTreeSet<TracedKey> = all.iter().map(|due| due.key.clone()).collect();
        assert_eq!((all.len(), keys.len()), (6, 6));
        assert!(all.iter().all(|due| due.due.key.round >= 6), "no round of the plan");
        let first: BTreeSet<TracedKey> = all[..4].iter().map(|due| due.key.clone()).collect();
        assert_eq!(due(&plan(2), &first), all[4..]);
    }
}
