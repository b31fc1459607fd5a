//! The trials of a round that take turns: all of them are alive, and the lab hands the turn from one to the next.
//!
//! A phase begins when every worker waits for it; [`crate::cycles`] decides whose turn it is. A trial whose worker
//! fails leaves; the others go on.

use crate::clocks::Clocks;
use crate::cycles::{Cycles, TakesTurns};
use crate::in_step::{InStep, Part, Stopped, Waits};
use crate::timeout::Timeout;
use crate::under_way::{Interrupted, Means, Ready, TrialUnderWay};
use crate::worker::{Ended, Worker};
use model::plan::StudyPlan;
use model::trial::WorkerReply;
use model::turns::{Arm, Slice, Turn, TurnOrder};
use peers::{Peers, Transport};
use std::cell::RefCell;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Prepares every trial and starts its worker, one after another, until all wait for their first turn or have ended;
/// then hands the turn over until no trial waits any more. No worker outlives this call.
pub(crate) fn take_turns(
    trials: &mut [TrialUnderWay],
    study: &StudyPlan,
    seed: u64,
    means: &mut Means<'_>,
) -> Result<(), Interrupted> {
    let (round, block) = place(trials);
    let mut members = start(trials, means)?;
    let mut cycles = Cycles::of_block(study.turns, seed, &study.name, round, block);
    while members.iter().any(|member| member.is_waiting) {
        for member in &mut members {
            member.measured_s = 0.0;
        }
        cycles.phase(&mut members)?;
        let ends_together = members.iter().all(|member| member.trial.starts_together());
        let mut waiting: Vec<&mut Member<'_>> =
            members.iter_mut().filter(|member| member.is_waiting).collect();
        for member in &mut waiting {
            member.tell_end();
            if !ends_together {
                member.listen(Instant::now())?;
            }
        }
        if ends_together {
            waiting.into_iter().try_for_each(|member| member.listen(Instant::now()))?;
        }
    }
    Ok(())
}

/// The same, at the same time on every rank of a launch. `arms` are those of all ranks, in the same order on each; the
/// trials are those of this rank, which waits in the turns of the other arms. Clocks are compared right before the
/// first turn and right after the last, because those of two hosts drift apart while files are made; rank 0 gets them.
/// A trial that takes no turns is here alone, and has one whole turn in each phase.
pub(crate) fn take_turns_in_step<T: Transport>(
    trials: &mut [TrialUnderWay],
    arms: &[Arm],
    (study, seed, round, block): (&StudyPlan, u64, u32, u32),
    means: &mut Means<'_>,
    (peers, waits): (&RefCell<Peers<T>>, Waits),
) -> Result<Clocks, Stopped<Interrupted>> {
    let here: Vec<Arm> = trials.iter().map(|trial| trial.record.key.arm()).collect();
    let (mut members, mut ready) = match start(trials, means) {
        Ok(members) => (members, Ok(())),
        Err(interrupted) => (Vec::new(), Err(interrupted)),
    };
    let mut in_step: Vec<InStep<'_, Member<'_>, T>> = arms
        .iter()
        .map(|arm| {
            let part = match members.iter().position(|member| member.arm() == *arm) {
                Some(index) => Part::Measures(members.swap_remove(index)),
                // Its files could not be made.
                None if here.contains(arm) => Part::Failed,
                None => Part::Waits,
            };
            InStep::new(*arm, part, peers, waits)
        })
        .collect();
    let in_turns = arms.iter().all(|arm| study.takes_turns(arm.configuration));
    let mut cycles = Cycles::of_block(study.turns, seed, &study.name, round, block);
    let compare = || {
        let offsets = peers.borrow_mut().compare_clocks(waits.other).map_err(Stopped::Lost)?;
        Ok((peers.borrow().now(), offsets.unwrap_or_default()))
    };
    let mut before = None;
    loop {
        for member in in_step.iter_mut().filter_map(InStep::own_mut) {
            member.measured_s = 0.0;
        }
        InStep::begin_phase(&mut in_step, ready)?;
        if !in_step.iter().any(TakesTurns::needs_turn) {
            break;
        }
        if before.is_none() {
            before = Some(compare()?);
        }
        match &mut in_step[..] {
            [alone] if !in_turns => alone.take_turn(Turn::WHOLE).map(drop)?,
            together => cycles.phase(together)?,
        }
        let mut waiting = in_step.iter_mut().filter_map(InStep::own_mut).filter(|member| member.is_waiting);
        ready = waiting.try_for_each(Member::end_phase);
    }
    Ok(match before {
        Some(before) => Clocks::between(before, compare()?),
        None => Clocks::default(),
    })
}

/// Round and block of trials that take turns.
fn place(trials: &[TrialUnderWay]) -> (u32, u32) {
    trials.first().map_or((0, 0), |trial| (trial.record.key.round, trial.record.key.block))
}

/// Prepares every trial, and starts the workers of those that can go on.
fn start<'a, 'm: 'a>(
    trials: &'a mut [TrialUnderWay],
    means: &mut Means<'m>,
) -> Result<Vec<Member<'a>>, Interrupted> {
    let ready = trials.iter_mut().map(|trial| trial.prepare(means)).collect::<Result<Vec<_>, _>>()?;
    let starts_together = trials.iter().all(TrialUnderWay::starts_together);
    let mut members = Vec::new();
    for (trial, ready) in trials.iter_mut().zip(ready) {
        let Some(ready) = ready else { continue };
        let mut member = Member {
            has_queue: trial.has_queue(),
            phase_s: trial.phase_s(),
            is_counted: trial.is_counted(),
            trial,
            worker: None,
            is_waiting: false,
            measured_s: 0.0,
            deadline: ready.deadline,
            timeout: means.timeout,
            interrupted: means.interrupted,
        };
        member.start(&ready)?;
        if !starts_together {
            member.listen(Instant::now())?;
        }
        members.push(member);
    }
    if starts_together {
        // The time of all of them together is shared out: each has what passed after those before it waited.
        members.iter_mut().try_for_each(|member| member.listen(Instant::now()))?;
    }
    Ok(members)
}

/// A trial of the ensemble.
struct Member<'a> {
    trial: &'a mut TrialUnderWay,
    /// `None` once it has ended.
    worker: Option<Worker>,
    /// Whether it waits for turns of a phase.
    is_waiting: bool,
    /// Seconds measured in this phase.
    measured_s: f64,
    /// Seconds after which it needs no further turn; 0 if it ends by a count alone.
    phase_s: f64,
    /// Whether a phase ends after a number of operations.
    is_counted: bool,
    has_queue: bool,
    deadline: Duration,
    timeout: Timeout,
    interrupted: &'a AtomicBool,
}

impl TakesTurns for Member<'_> {
    type Stopped = Interrupted;

    fn arm(&self) -> Arm {
        self.trial.record.key.arm()
    }

    fn needs_turn(&self) -> bool {
        let is_measured = self.phase_s > 0.0 && self.measured_s >= self.phase_s;
        self.is_waiting && !is_measured && self.measured_s.is_finite()
    }

    fn is_counted(&self) -> bool {
        self.is_counted
    }

    fn threads_per_cpu(&self) -> f64 {
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        (self.trial.threads() as f64 / cpus as f64).max(1.0)
    }

    fn has_queue(&self) -> bool {
        self.has_queue
    }

    fn slice_min_s(&self) -> f64 {
        self.trial.slice_min_s()
    }

    fn settle_min_s(&self) -> f64 {
        self.trial.settle_min_s()
    }

    fn take_turn(&mut self, turn: Turn) -> Result<Option<Slice>, Interrupted> {
        let began = Instant::now();
        let deadline = if turn.is_whole() { self.deadline } else { self.timeout.turn_deadline(turn.slice_s) };
        let Some(worker) = &mut self.worker else { return Ok(None) };
        worker.tell(&TurnOrder::Turn(turn));
        let heard = worker.hear(deadline, self.interrupted);
        match heard {
            Ok(WorkerReply::Turned(slice)) => {
                self.trial.record.wall_s += began.elapsed().as_secs_f64();
                // What has ended by itself is never given another turn.
                self.measured_s =
                    if slice.is_over { f64::INFINITY } else { self.measured_s + slice.window_s };
                self.end_if_late()?;
                Ok(Some(slice))
            }
            Ok(WorkerReply::Waiting { .. }) => {
                self.worker = None;
                self.conclude(Ended::Died(OUT_OF_STEP.to_owned()), deadline).map(|()| None)
            }
            heard => self.heard(heard, deadline, began).map(|()| None),
        }
    }
}

impl Member<'_> {
    /// Starts the worker, which is ready when it waits.
    fn start(&mut self, ready: &Ready) -> Result<(), Interrupted> {
        let began = Instant::now();
        match ready.start() {
            Ok(worker) => self.worker = Some(worker),
            Err(ended) => return self.conclude(ended, self.deadline),
        }
        self.trial.record.wall_s += began.elapsed().as_secs_f64();
        Ok(())
    }

    /// Ends a phase; the worker comes to its next one, or to its end.
    fn end_phase(&mut self) -> Result<(), Interrupted> {
        self.tell_end();
        self.listen(Instant::now())
    }

    fn tell_end(&mut self) {
        if let Some(worker) = &mut self.worker {
            worker.tell(&TurnOrder::End);
        }
        self.is_waiting = false;
    }

    /// A worker whose turns come to nothing is not given turns for ever.
    fn end_if_late(&mut self) -> Result<(), Interrupted> {
        if self.trial.record.wall_s <= self.deadline.as_secs_f64() {
            return Ok(());
        }
        self.worker = None;
        self.conclude(Ended::Killed, self.deadline)
    }

    fn listen(&mut self, began: Instant) -> Result<(), Interrupted> {
        let Some(worker) = &mut self.worker else { return Ok(()) };
        worker.attend();
        let heard = worker.hear(self.deadline, self.interrupted);
        self.heard(heard, self.deadline, began)
    }

    fn heard(
        &mut self,
        heard: Result<WorkerReply, Ended>,
        deadline: Duration,
        began: Instant,
    ) -> Result<(), Interrupted> {
        let wall_s = || began.elapsed().as_secs_f64();
        let ended = match heard {
            Ok(WorkerReply::Waiting { .. }) => {
                self.is_waiting = true;
                self.trial.record.wall_s += wall_s();
                return Ok(());
            }
            Ok(reply) => match self.worker.take() {
                Some(worker) => {
                    let asked = worker.end(reply, deadline, self.interrupted);
                    self.trial.add_pauses(asked.pauses);
                    asked.ended
                }
                None => return Ok(()),
            },
            Err(ended) => {
                let pauses = self.worker.take().map(|mut worker| worker.pauses());
                self.trial.add_pauses(pauses.unwrap_or_default());
                ended
            }
        };
        self.trial.record.wall_s += wall_s();
        self.conclude(ended, deadline)
    }

    fn conclude(&mut self, ended: Ended, deadline: Duration) -> Result<(), Interrupted> {
        self.is_waiting = false;
        if self.trial.conclude(ended, deadline) { Ok(()) } else { Err(Interrupted) }
    }
}

const OUT_OF_STEP: &str = "the worker waited for a phase in the middle of a turn: it was ended";
