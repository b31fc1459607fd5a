//! Teams that take turns: all members work during a turn and none between two, and nobody waits for one that has
//! failed.

use driver::{
    Backend, DriveError, MonotonicClock, Next, Recorder, Slice, SliceLength, Turns, Workload, run_team,
};
use model::{BlockKind, BlockOp, Completion, Nanos};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Reads one after another until the end of each turn, or until it has read this number.
#[derive(Debug)]
struct Reads {
    left: u64,
    is_free: bool,
}

impl Workload for Reads {
    type Op = BlockOp;

    fn poll(&mut self, _now: Nanos, out: &mut Vec<BlockOp>) -> Next {
        if self.left == 0 {
            return Next::Done;
        }
        if std::mem::take(&mut self.is_free) {
            self.left -= 1;
            out.push(BlockOp { id: 0, kind: BlockKind::Read, file: 0, offset: 0, length: 1, buffer: 0 });
        }
        Next::Wait
    }

    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        recorder.latency(0, completion.began(), completion.ended());
        self.is_free = true;
    }

    fn in_flight_max(&self) -> usize {
        1
    }

    fn families(&self) -> &'static [&'static str] {
        &["read_latency"]
    }
}

/// What the members have in common.
#[derive(Default)]
struct Shared {
    /// Whether a turn is under way.
    is_turn: AtomicBool,
    /// Operations that came between turns.
    out_of_turn: AtomicU64,
    slices: Mutex<Vec<Slice>>,
    asked: AtomicU64,
}

/// Completes everything at once; fails after this number of operations.
struct Null<'a> {
    shared: &'a Shared,
    queue: Vec<u32>,
    left: u64,
    /// Whether it panics then, instead of failing.
    panics: bool,
}

impl Backend for Null<'_> {
    type Op = BlockOp;

    fn submit(&mut self, operations: &[BlockOp]) -> io::Result<usize> {
        if !self.shared.is_turn.load(Ordering::SeqCst) {
            self.shared.out_of_turn.fetch_add(1, Ordering::SeqCst);
        }
        self.queue.extend(operations.iter().map(|operation| operation.id));
        Ok(operations.len())
    }

    fn reap(&mut self, _: usize, _: Option<Nanos>, out: &mut Vec<Completion>) -> io::Result<()> {
        assert!(self.left > 0 || !self.panics, "on purpose");
        for id in self.queue.drain(..) {
            let result = if self.left == 0 { -5 } else { 1 };
            self.left = self.left.saturating_sub(1);
            out.push(Completion { id, result, stamps: None });
        }
        Ok(())
    }

    fn system_calls(&self) -> u64 {
        0
    }
}

/// Orders this number of turns, and may fail itself.
struct Orders<'a> {
    shared: &'a Shared,
    turns: u64,
    fails: Option<Failure>,
}

#[derive(Clone, Copy, PartialEq)]
enum Failure {
    Next,
    Taken,
}

impl Turns for Orders<'_> {
    fn next(&self) -> io::Result<Option<SliceLength>> {
        let asked = self.shared.asked.fetch_add(1, Ordering::SeqCst);
        if self.fails == Some(Failure::Next) && asked == 1 {
            return Err(io::Error::other("the lab has ended"));
        }
        if asked == self.turns {
            return Ok(None);
        }
        self.shared.is_turn.store(true, Ordering::SeqCst);
        Ok(Some(SliceLength { slice: Nanos(200_000), settle: Nanos(20_000) }))
    }

    fn taken(&self, slice: Slice) -> io::Result<()> {
        self.shared.is_turn.store(false, Ordering::SeqCst);
        self.shared.slices.lock().unwrap().push(slice);
        if self.fails == Some(Failure::Taken) { Err(io::Error::other("the lab has ended")) } else { Ok(()) }
    }
}

/// What one member is like.
#[derive(Clone, Copy)]
struct Member {
    reads: u64,
    fails_after: u64,
    panics: bool,
    can_start: bool,
}

const STEADY: Member = Member { reads: u64::MAX, fails_after: u64::MAX, panics: false, can_start: true };

type Ran = Result<(driver::Driven<Vec<Reads>>, Vec<()>), DriveError>;

fn run(members: &[Member], turns: u64, fails: Option<Failure>) -> (Ran, Shared) {
    let shared = Shared::default();
    let begin = |index: usize, _: &Reads| {
        let Member { fails_after, can_start, panics, .. } = members[index];
        assert!(can_start || !panics, "on purpose");
        let backend = Null { shared: &shared, queue: Vec::new(), left: fails_after, panics };
        if can_start { Ok((backend, ())) } else { Err(io::Error::other("no ring")) }
    };
    let orders = Orders { shared: &shared, turns, fails };
    let workloads = members.iter().map(|member| Reads { left: member.reads, is_free: true }).collect();
    let ran = run_team(workloads, &MonotonicClock::start(), begin, |()| (), Some(&orders));
    (ran, shared)
}

#[test]
fn every_member_works_in_every_turn_and_none_between_two() {
    for members in 1..=3 {
        let (ran, shared) = run(&vec![STEADY; members], 5, None);
        let (team, _) = ran.unwrap();
        let slices = shared.slices.into_inner().unwrap();
        assert_eq!(slices.len(), 5);
        assert_eq!(shared.out_of_turn.into_inner(), 0);
        assert_eq!(team.performed, slices.iter().map(|slice| slice.operations).sum::<u64>());
        assert_eq!(team.operations, slices.iter().flat_map(|slice| slice.quarters).sum::<u64>());
        assert_eq!(team.elapsed(), Nanos(5 * 180_000), "five windows, whatever the number of members");
        assert_eq!(team.workload.len(), members);
    }
}

#[test]
fn a_member_that_cannot_start_ends_the_team_before_its_first_turn() {
    for failing in 0..3 {
        let mut members = [STEADY; 3];
        members[failing].can_start = false;
        let (ran, shared) = run(&members, 5, None);
        assert_eq!(ran.unwrap_err().to_string(), "backend: no ring");
        assert_eq!(
            shared.asked.into_inner(),
            0,
            "the lab is told of the failure, not that it waits for turns"
        );
    }
}

/// The others waited for it until the lab's deadline.
#[test]
fn a_member_that_panics_ends_the_team_at_once() {
    for members in 1..=3 {
        for (panicking, can_start) in (0..members).flat_map(|member| [(member, true), (member, false)]) {
            let mut team = vec![STEADY; members];
            team[panicking] = Member { fails_after: 0, panics: true, can_start, ..STEADY };
            let ran = catch_unwind(AssertUnwindSafe(|| run(&team, 5, None)));
            assert_eq!(ran.err().unwrap().downcast_ref(), Some(&"on purpose"), "{panicking} of {members}");
        }
    }
}

#[test]
fn a_member_that_fails_in_a_turn_ends_the_team_after_it() {
    for members in 1..=3 {
        for failing in 0..members {
            let mut team = vec![STEADY; members];
            team[failing].fails_after = 0;
            let (ran, shared) = run(&team, 5, None);
            assert!(matches!(ran.unwrap_err(), DriveError::Operation { .. }));
            assert_eq!(shared.asked.into_inner(), 1);
            assert!(
                shared.slices.into_inner().unwrap().is_empty(),
                "a turn that failed is not reported as taken"
            );
        }
    }
}

#[test]
fn a_lab_that_has_ended_ends_the_team() {
    for members in 1..=3 {
        for (fails, turns) in [(Failure::Next, 1), (Failure::Taken, 1)] {
            let (ran, shared) = run(&vec![STEADY; members], 5, Some(fails));
            assert_eq!(ran.unwrap_err().to_string(), "backend: the lab has ended");
            assert_eq!(shared.slices.into_inner().unwrap().len(), turns);
        }
    }
}

#[test]
fn a_team_is_over_when_its_last_member_is() {
    let short = Member { reads: 3, ..STEADY };
    let (ran, shared) = run(&[short, STEADY], 3, None);
    let (team, _) = ran.unwrap();
    assert_eq!(team.elapsed(), Nanos(3 * 180_000));
    assert!(shared.slices.into_inner().unwrap().iter().all(|slice| !slice.is_over));
    // However late a thread runs, it reads once a turn.
    let (ran, shared) = run(&[short, short], 5, None);
    let (team, _) = ran.unwrap();
    assert_eq!(team.performed, 6);
    assert!(shared.slices.into_inner().unwrap()[4].is_over);
}
