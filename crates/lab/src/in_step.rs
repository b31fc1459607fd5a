//! Turns on many ranks: every rank takes the same turn at the same time.
//!
//! The order of turns follows from the plan, its seed and the round ([`crate::cycles`]), which all ranks have alike.
//! Whatever else decides about turns differs from rank to rank: how long an operation takes, whether a trial has been
//! measured for long enough, whether it has failed. So ranks meet at the beginning of a phase and after each turn, and
//! each goes on by what rank 0 decides:
//!
//! - An arm needs another turn if one of its ranks does, and none has failed or has no operations left.
//! - A slice is as long as the slowest rank needs it.
//! - A rank on which Syncline is interrupted takes the others with it, so none waits for it.
//!
//! An arm that fewer ranks measure than there are is there on the others too, where it only waits.

use crate::cycles::TakesTurns;
use model::turns::{Arm, Slice, Turn};
use peers::message::{read, written};
use peers::{Lost, Peers, ROOT, Transport, Wait};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// Why no arm takes a further turn on any rank.
#[derive(Debug)]
pub enum Stopped<S> {
    /// This rank's arm says so.
    Here(S),
    /// Another rank's does.
    Elsewhere,
    /// A rank is gone.
    Lost(Lost),
}

/// What a rank does in the turns of an arm.
#[derive(Debug)]
pub enum Part<A> {
    /// It waits while others measure.
    Waits,
    /// It should measure, and cannot.
    Failed,
    Measures(A),
}

impl<A> Part<A> {
    const fn measured(&self) -> Option<&A> {
        match self {
            Self::Measures(arm) => Some(arm),
            Self::Waits | Self::Failed => None,
        }
    }
}

/// An arm that takes its turns at the same time on several ranks.
pub struct InStep<'a, A, T> {
    arm: Arm,
    part: Part<A>,
    peers: &'a RefCell<Peers<T>>,
    waits: Waits,
    agreed: TurnNeeds,
}

/// How long ranks wait for each other, by what they do meanwhile.
#[derive(Clone, Copy, Debug)]
pub struct Waits {
    /// They make files, start workers, take a whole turn, or end a phase.
    pub phase: Wait,
    /// They take a turn.
    pub turn: Wait,
    pub other: Wait,
}

/// What decides about an arm's turns: of one rank, or of all.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct TurnNeeds {
    needs_turn: bool,
    is_counted: bool,
    threads_per_cpu: f64,
    slice_min_s: f64,
    settle_min_s: f64,
}

impl TurnNeeds {
    /// An arm in whose turns nobody does anything.
    const IDLE: Self = Self {
        needs_turn: false,
        is_counted: false,
        threads_per_cpu: 1.0,
        slice_min_s: 0.0,
        settle_min_s: 0.0,
    };

    fn of(arm: &impl TakesTurns) -> Self {
        Self {
            needs_turn: arm.needs_turn(),
            is_counted: arm.is_counted(),
            threads_per_cpu: arm.threads_per_cpu(),
            slice_min_s: arm.slice_min_s(),
            settle_min_s: arm.settle_min_s(),
        }
    }

    fn with(self, other: Self) -> Self {
        Self {
            needs_turn: self.needs_turn || other.needs_turn,
            is_counted: self.is_counted || other.is_counted,
            threads_per_cpu: self.threads_per_cpu.max(other.threads_per_cpu),
            slice_min_s: self.slice_min_s.max(other.slice_min_s),
            settle_min_s: self.settle_min_s.max(other.settle_min_s),
        }
    }
}

/// What a rank brings from a turn.
#[derive(Debug, Serialize, Deserialize)]
enum Brought {
    /// It only waited.
    Idle,
    /// It measured this, and whether it needs another turn.
    Slice { slice: Slice, needs_turn: bool },
    /// Its trial has failed.
    Failed,
    /// No arm of it takes a further turn.
    Stopped,
}

/// What rank 0 decides after a turn.
#[derive(Debug, Serialize, Deserialize)]
enum TurnDecision {
    /// The turns go on. Each rank takes this slice for its own when it chooses the length of the next ones; `None` if a
    /// rank failed.
    GoOn { slice: Option<Slice>, needs_turn: bool },
    /// Every rank stops.
    Stop,
}

impl<'a, A: TakesTurns, T: Transport> InStep<'a, A, T> {
    /// An arm of the ranks, and the part of this rank in it.
    pub fn new(arm: Arm, part: Part<A>, peers: &'a RefCell<Peers<T>>, waits: Waits) -> Self {
        Self { arm, part, peers, waits, agreed: TurnNeeds::IDLE }
    }

    /// The beginning of a phase: the ranks agree on which of these arms take turns. Every rank has the same arms, in
    /// the same order. A rank that is not ready comes too, so that none waits for it, and all stop.
    ///
    /// # Errors
    /// [`Stopped`] if a rank is not ready, or does not come.
    pub fn begin_phase(arms: &mut [Self], ready: Result<(), A::Stopped>) -> Result<(), Stopped<A::Stopped>> {
        let Some(first) = arms.first() else { return ready.map_err(Stopped::Here) };
        let standing = |arm: &Self| arm.part.measured().map_or(TurnNeeds::IDLE, TurnNeeds::of);
        let own: Option<Vec<TurnNeeds>> = ready.is_ok().then(|| arms.iter().map(standing).collect());
        let decided = first
            .peers
            .borrow_mut()
            .meet(written(&own), first.waits.phase, |brought| written(&agree(&brought)));
        // Its own reason is the better one, also if rank 0 is gone meanwhile.
        ready.map_err(Stopped::Here)?;
        let agreed: Option<Vec<TurnNeeds>> =
            read(&decided.map_err(Stopped::Lost)?, ROOT).map_err(Stopped::Lost)?;
        let agreed = agreed.ok_or(Stopped::Elsewhere)?;
        for (arm, agreed) in arms.iter_mut().zip(agreed) {
            arm.agreed = agreed;
        }
        Ok(())
    }

    /// What this rank measures in its turns.
    pub fn own_mut(&mut self) -> Option<&mut A> {
        match &mut self.part {
            Part::Measures(arm) => Some(arm),
            Part::Waits | Part::Failed => None,
        }
    }
}

impl<A: TakesTurns, T: Transport> TakesTurns for InStep<'_, A, T> {
    type Stopped = Stopped<A::Stopped>;

    fn arm(&self) -> Arm {
        self.arm
    }

    fn needs_turn(&self) -> bool {
        self.agreed.needs_turn
    }

    fn is_counted(&self) -> bool {
        self.agreed.is_counted
    }

    fn threads_per_cpu(&self) -> f64 {
        self.agreed.threads_per_cpu
    }

    fn slice_min_s(&self) -> f64 {
        self.agreed.slice_min_s
    }

    fn settle_min_s(&self) -> f64 {
        self.agreed.settle_min_s
    }

    fn take_turn(&mut self, turn: Turn) -> Result<Option<Slice>, Self::Stopped> {
        let mut peers = self.peers.borrow_mut();
        peers.release(self.waits.turn).map_err(Stopped::Lost)?;
        let wait = if turn.is_whole() { self.waits.phase } else { self.waits.turn };
        let mut stopped = None;
        let brought = match &mut self.part {
            Part::Waits => Brought::Idle,
            Part::Failed => Brought::Failed,
            Part::Measures(own) => match own.take_turn(turn) {
                Ok(Some(slice)) => Brought::Slice { slice, needs_turn: own.needs_turn() },
                Ok(None) => Brought::Failed,
                Err(why) => {
                    stopped = Some(why);
                    Brought::Stopped
                }
            },
        };
        let decided =
            peers.meet(written(&brought), wait, |brought| written(&decide(&brought))).map_err(Stopped::Lost);
        // Its own reason is the better one, also if rank 0 is gone meanwhile.
        if let Some(why) = stopped {
            return Err(Stopped::Here(why));
        }
        match read(&decided?, ROOT).map_err(Stopped::Lost)? {
            TurnDecision::GoOn { slice, needs_turn } => {
                self.agreed.needs_turn = needs_turn;
                Ok(slice)
            }
            TurnDecision::Stop => Err(Stopped::Elsewhere),
        }
    }
}

/// The ranks' decision about a turn that they have taken.
fn decide(brought: &[Vec<u8>]) -> TurnDecision {
    let mut slowest: Option<Slice> = None;
    let (mut is_needed, mut is_whole, mut is_over) = (false, true, false);
    for (rank, message) in (0..).zip(brought) {
        match read(message, rank) {
            Ok(Brought::Idle) => {}
            Ok(Brought::Slice { slice, needs_turn }) => {
                is_needed |= needs_turn;
                is_over |= slice.is_over;
                if slowest.as_ref().is_none_or(|slowest| slowest.latency_mean_s <= slice.latency_mean_s) {
                    slowest = Some(slice);
                }
            }
            Ok(Brought::Failed) => is_whole = false,
            // What cannot be read is of another program: all stop.
            Ok(Brought::Stopped) | Err(_) => return TurnDecision::Stop,
        }
    }
    TurnDecision::GoOn { slice: slowest.filter(|_| is_whole), needs_turn: is_needed && is_whole && !is_over }
}

/// What decides about each arm, on all ranks together; `None` if a rank is not ready, or of another program.
fn agree(brought: &[Vec<u8>]) -> Option<Vec<TurnNeeds>> {
    let standings = |(rank, message): (u32, &Vec<u8>)| read::<Option<Vec<TurnNeeds>>>(message, rank).ok()?;
    let ranks: Option<Vec<Vec<TurnNeeds>>> = (0..).zip(brought).map(standings).collect();
    ranks?.into_iter().reduce(|one, other| one.into_iter().zip(other).map(|(a, b)| a.with(b)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cycles::Cycles;
    use crate::quick::{INTERRUPTED, Quick, arm, quick};
    use model::plan::Turns;
    use peers::simulated::{Network, SimulatedRank, launch};
    use std::time::Duration;

    const WAIT: Wait = Wait { most: Duration::from_hours(1), slack: Duration::from_mins(1) };
    const WAITS: Waits = Waits { phase: WAIT, turn: WAIT, other: WAIT };

    /// What a rank did: the turns of each arm, and how it ended.
    struct Took {
        turns: Vec<Option<Vec<Turn>>>,
        ended: Result<(), Stopped<&'static str>>,
    }

    /// One phase of the arms that `arms` has for each rank, which waits in the turns of those that it lacks.
    fn phase(ranks: u32, arms: impl Fn(u32) -> Vec<Option<Quick>> + Sync) -> Vec<Took> {
        launch(ranks, &Network::default(), |transport: SimulatedRank| {
            let arms = arms(transport.rank());
            let peers = RefCell::new(Peers::new(transport));
            let in_step = |(index, own): (usize, Option<Quick>)| {
                InStep::new(arm(index), own.map_or(Part::Waits, Part::Measures), &peers, WAITS)
            };
            let mut arms: Vec<_> = arms.into_iter().enumerate().map(in_step).collect();
            let ended = InStep::begin_phase(&mut arms, Ok(()))
                .and_then(|()| Cycles::of_block(Turns::Auto, 7, "toy", 0, 0).phase(&mut arms));
            Took {
                turns: arms.iter().map(|arm| arm.part.measured().map(|own| own.turns.clone())).collect(),
                ended,
            }
        })
    }

    #[test]
    fn all_ranks_take_the_same_turns_however_unlike_they_are() {
        let took = phase(3, |rank| {
            let mut arms = [quick(0, 4), quick(1, 4)];
            // One rank is slow, another has enough earlier.
            arms[0].latency_s = if rank == 1 { 4e-3 } else { 1e-4 };
            arms[1].left = if rank == 2 { 1 } else { 4 };
            arms.map(Some).into()
        });
        for rank in &took {
            assert!(rank.ended.is_ok());
            assert_eq!(rank.turns, took[0].turns);
        }
        let turns = took[0].turns[0].as_ref().unwrap();
        assert_eq!(turns.len(), 5, "a pilot and four");
        assert!(
            (turns[1].slice_s - turns[1].settle_s - 0.068).abs() < 1e-6,
            "20 operations of the slow rank"
        );
    }

    #[test]
    fn an_arm_of_fewer_ranks_makes_the_others_wait() {
        let took = phase(4, |rank| {
            vec![(rank < 1).then(|| quick(0, 3)), (rank < 2).then(|| quick(1, 3)), Some(quick(2, 3))]
        });
        let counts = |took: &Took| -> Vec<Option<usize>> {
            took.turns.iter().map(|turns| turns.as_ref().map(Vec::len)).collect()
        };
        assert_eq!(counts(&took[0]), [Some(4), Some(4), Some(4)]);
        assert_eq!(counts(&took[1]), [None, Some(4), Some(4)]);
        assert_eq!(counts(&took[3]), [None, None, Some(4)]);
        assert!(took.iter().all(|took| took.ended.is_ok()));
    }

    #[test]
    fn an_arm_that_fails_on_one_rank_ends_on_all_and_the_others_go_on() {
        let took = phase(3, |rank| {
            let mut arms = [quick(0, 5), quick(1, 5)];
            arms[0].fails_at = (rank == 2).then_some(3);
            arms.map(Some).into()
        });
        for rank in &took {
            assert!(rank.ended.is_ok());
            let counts: Vec<_> = rank.turns.iter().flatten().map(Vec::len).collect();
            assert_eq!(counts, [3, 6]);
        }
    }

    #[test]
    fn an_arm_whose_files_one_rank_could_not_make_is_given_up_by_all() {
        let ended = launch(2, &Network::default(), |transport: SimulatedRank| {
            let part = if transport.rank() == 0 { Part::Measures(quick(0, 5)) } else { Part::Failed };
            let peers = RefCell::new(Peers::new(transport));
            let mut arms = [InStep::new(arm(0), part, &peers, WAITS)];
            InStep::begin_phase(&mut arms, Ok(())).unwrap();
            Cycles::of_block(Turns::Auto, 7, "toy", 0, 0).phase(&mut arms).unwrap();
            arms[0].own_mut().map_or(0, |own| own.turns.len())
        });
        assert_eq!(ended, [1, 0], "rank 0 takes the turn in which it hears of it");
    }

    /// Ctrl-C reaches one rank before the others.
    #[test]
    fn an_interrupted_rank_stops_all() {
        let took = phase(3, |rank| {
            let mut arms = [quick(0, 5), quick(1, 5)];
            arms[1].is_interrupted_at = (rank == 1).then_some(2);
            arms.map(Some).into()
        });
        assert!(matches!(took[0].ended, Err(Stopped::Elsewhere)), "{:?}", took[0].ended);
        assert!(matches!(took[1].ended, Err(Stopped::Here(INTERRUPTED))), "{:?}", took[1].ended);
        assert!(matches!(took[2].ended, Err(Stopped::Elsewhere)), "{:?}", took[2].ended);
    }

    /// The others would wait for it for a minute, and for rank 0 an hour.
    #[test]
    fn a_rank_that_is_interrupted_before_a_phase_stops_all_at_once() {
        for interrupted in [0, 2] {
            let ended = launch(3, &Network::default(), |transport: SimulatedRank| {
                let rank = transport.rank();
                let peers = RefCell::new(Peers::new(transport));
                let mut arms = [InStep::new(arm(0), Part::Measures(quick(0, 5)), &peers, WAITS)];
                let ready = if rank == interrupted { Err(INTERRUPTED) } else { Ok(()) };
                let ended = InStep::begin_phase(&mut arms, ready);
                drop(arms);
                (ended.unwrap_err(), peers.into_inner().into_transport().now())
            });
            for (rank, (ended, now)) in (0..).zip(ended) {
                assert_eq!(matches!(ended, Stopped::Here(_)), rank == interrupted, "{ended:?}");
                assert_eq!(matches!(ended, Stopped::Elsewhere), rank != interrupted, "{ended:?}");
                assert_eq!(now, model::Nanos::ZERO);
            }
        }
    }

    #[test]
    fn a_rank_that_dies_in_a_turn_is_named() {
        let ended = launch(3, &Network::default(), |transport: SimulatedRank| {
            let rank = transport.rank();
            let peers = RefCell::new(Peers::new(transport));
            let mut arms = [InStep::new(arm(0), Part::Measures(quick(0, 5)), &peers, WAITS)];
            InStep::begin_phase(&mut arms, Ok(())).unwrap();
            if rank == 2 {
                // It is released, and then it is gone.
                peers.borrow_mut().release(WAIT).unwrap();
                return None;
            }
            Cycles::of_block(Turns::Auto, 7, "toy", 0, 0).phase(&mut arms).err()
        });
        for ended in [&ended[0], &ended[1]] {
            let Some(Stopped::Lost(Lost::Missing { ranks, .. })) = ended else { panic!("{ended:?}") };
            assert_eq!(ranks, &[2]);
        }
    }
}
