//! The trials of a round that take turns: all of them are alive, and the lab hands the turn from one to the next.
//!
//! A phase begins when every worker waits for it. Its first cycle is a pilot that measures nothing and finds how long a slice has to
//! be. Each cycle gives every trial one turn, in a fresh random order. A trial whose worker fails leaves; the others go on.

use crate::conduct::{Laboratory, TrialUnderWay};
use crate::order::{shuffle, turns_random};
use crate::worker::{Ended, Worker};
use model::plan::{StudyPlan, Turns};
use model::trial::WorkerReply;
use model::turns::{Arm, Slice, Turn, TurnOrder};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A slice is at least this long, seconds.
const SLICE_MIN_S: f64 = 0.025;
/// It holds this number of typical operations, one after another.
const SLICE_OPERATIONS: f64 = 20.0;
/// It is at most this long, seconds: beyond, turns are too few to meet the same noise.
const SLICE_MAX_S: f64 = 1.0;
/// The part of a slice that no figure counts.
const SETTLE_SHARE: f64 = 0.1;
/// A turn that takes this much longer than its slice is a hang.
const TURN_GRACE: Duration = Duration::from_secs(60);

/// A trial of the ensemble.
struct Member {
    trial: TrialUnderWay,
    /// `None` once it has ended.
    worker: Option<Worker>,
    /// Whether it waits for turns of a phase.
    is_waiting: bool,
    /// Seconds measured in this phase.
    measured_s: f64,
    /// Seconds after which it needs no further turn; 0 if only its own end tells.
    phase_s: f64,
    deadline: Duration,
}

/// Trials that take turns, while they do.
pub(crate) struct Ensemble<'a> {
    members: Vec<Member>,
    random: Xoshiro256PlusPlus,
    turns: Turns,
    predecessor: Option<Arm>,
    interrupted: &'a AtomicBool,
}

/// The lab was asked to stop: nothing of the ensemble is recorded.
pub(crate) struct Interrupted;

impl<'a> Ensemble<'a> {
    /// Prepares every trial and starts its worker, one after another, until all wait for their first turn or have ended.
    pub(crate) fn assemble(
        trials: Vec<TrialUnderWay>,
        study: &StudyPlan,
        seed: u64,
        lab: &mut Laboratory<'a>,
    ) -> Result<Self, Interrupted> {
        let round = trials.first().map_or(0, |trial| trial.record.key.round);
        let mut ensemble = Self {
            members: Vec::new(),
            random: turns_random(seed, &study.name, round),
            turns: study.turns,
            predecessor: None,
            interrupted: lab.interrupted,
        };
        let mut ready = Vec::new();
        for mut trial in trials {
            ready.push(trial.prepare(lab).map_err(|_| Interrupted)?.map(|ready| (trial.phase_s(), ready)));
            ensemble.members.push(Member {
                trial,
                worker: None,
                is_waiting: false,
                measured_s: 0.0,
                phase_s: 0.0,
                deadline: Duration::ZERO,
            });
        }
        for (member, ready) in ensemble.members.iter_mut().zip(ready) {
            if let Some((phase_s, ready)) = ready {
                (member.phase_s, member.deadline) = (phase_s, ready.deadline);
                member.start(&ready, lab.interrupted)?;
            }
        }
        Ok(ensemble)
    }

    /// Hands the turn over until no trial waits any more, and returns the trials.
    pub(crate) fn run(mut self) -> Result<Vec<TrialUnderWay>, Interrupted> {
        while self.members.iter().any(|member| member.is_waiting) {
            self.phase()?;
            for member in self.members.iter_mut().filter(|member| member.is_waiting) {
                member.end_phase(self.interrupted)?;
            }
        }
        Ok(self.members.into_iter().map(|member| member.trial).collect())
    }

    /// All turns of one phase.
    fn phase(&mut self) -> Result<(), Interrupted> {
        for member in &mut self.members {
            member.measured_s = 0.0;
        }
        let pilot_s = match self.turns {
            Turns::Every(slice_s) => slice_s,
            Turns::Auto | Turns::Off | Turns::DoNotFit { .. } => SLICE_MIN_S,
        };
        let pilot = self.cycle(0, pilot_s, pilot_s)?;
        let longest_s = pilot.iter().map(|slice| slice.latency_mean_s).fold(0.0, f64::max);
        let slice_s = match self.turns {
            Turns::Every(slice_s) => slice_s,
            Turns::Auto | Turns::Off | Turns::DoNotFit { .. } => {
                (longest_s * SLICE_OPERATIONS).clamp(SLICE_MIN_S, SLICE_MAX_S)
            }
        };
        for cycle in 1.. {
            if self.cycle(cycle, slice_s, slice_s * SETTLE_SHARE)?.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// One turn for every trial that needs one, in random order.
    fn cycle(&mut self, cycle: u32, slice_s: f64, settle_s: f64) -> Result<Vec<Slice>, Interrupted> {
        let mut due: Vec<usize> =
            (0..self.members.len()).filter(|index| self.members[*index].needs_turn()).collect();
        shuffle(&mut due, &mut self.random);
        let mut slices = Vec::new();
        for index in due {
            let turn = Turn { cycle, predecessor: self.predecessor, slice_s, settle_s };
            let member = &mut self.members[index];
            slices.extend(member.take_turn(turn, self.interrupted)?);
            self.predecessor = Some(member.trial.record.key.arm());
        }
        Ok(slices)
    }
}

impl Member {
    /// Starts the worker and waits until it waits.
    fn start(&mut self, ready: &crate::conduct::Ready, interrupted: &AtomicBool) -> Result<(), Interrupted> {
        let began = Instant::now();
        match ready.start() {
            Ok(worker) => self.worker = Some(worker),
            Err(ended) => return self.conclude(ended),
        }
        self.listen(self.deadline, began, interrupted)
    }

    fn needs_turn(&self) -> bool {
        let is_measured = self.phase_s > 0.0 && self.measured_s >= self.phase_s;
        self.is_waiting && !is_measured && self.measured_s.is_finite()
    }

    fn take_turn(&mut self, turn: Turn, interrupted: &AtomicBool) -> Result<Option<Slice>, Interrupted> {
        let began = Instant::now();
        let Some(worker) = &mut self.worker else { return Ok(None) };
        worker.tell(&TurnOrder::Turn(turn));
        let slice_max = Duration::try_from_secs_f64(turn.slice_s).unwrap_or(TURN_GRACE) + TURN_GRACE;
        match worker.hear(slice_max, interrupted) {
            Ok(WorkerReply::Turned(slice)) => {
                self.trial.record.wall_s += began.elapsed().as_secs_f64();
                // What has ended by itself is never given another turn.
                self.measured_s =
                    if slice.is_over { f64::INFINITY } else { self.measured_s + slice.window_s };
                Ok(Some(slice))
            }
            heard => self.heard(heard, slice_max, began, interrupted).map(|()| None),
        }
    }

    /// Ends a phase; the worker comes to its next one, or to its end.
    fn end_phase(&mut self, interrupted: &AtomicBool) -> Result<(), Interrupted> {
        let began = Instant::now();
        if let Some(worker) = &mut self.worker {
            worker.tell(&TurnOrder::End);
        }
        self.is_waiting = false;
        self.listen(self.deadline, began, interrupted)
    }

    fn listen(
        &mut self,
        deadline: Duration,
        began: Instant,
        interrupted: &AtomicBool,
    ) -> Result<(), Interrupted> {
        let Some(worker) = &mut self.worker else { return Ok(()) };
        let heard = worker.hear(deadline, interrupted);
        self.heard(heard, deadline, began, interrupted)
    }

    fn heard(
        &mut self,
        heard: Result<WorkerReply, Ended>,
        deadline: Duration,
        began: Instant,
        interrupted: &AtomicBool,
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
                    let asked = worker.end(reply, deadline, interrupted);
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
        self.conclude(ended)
    }

    fn conclude(&mut self, ended: Ended) -> Result<(), Interrupted> {
        self.is_waiting = false;
        if self.trial.conclude(ended, self.deadline) { Ok(()) } else { Err(Interrupted) }
    }
}
