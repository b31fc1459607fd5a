//! Cycles of turns: who works when, and for how long. The same code hands turns to workers and, in the simulation that
//! proves the method, to drivers in virtual time.
//!
//! A phase's first cycle finds how long a slice has to be. It is a pilot that measures nothing, unless a phase ends
//! after a number of operations. Each cycle gives every arm one turn, in a fresh random order.
//!
//! A window begins at another place of its slice in each cycle. Operations begin with the turn, so on a device that
//! always takes the same time they would end at the same places of every window: of 20 operations one more or less
//! would be counted each time, and a difference of 5 % would be off by 1.6 %, with a narrow interval around it (`make
//! bench`, bench `turns`).

use crate::order::turns_random;
use model::plan::Turns;
use model::turns::{Arm, Slice, Turn};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;
use stats::shuffle;

/// A cycle lasts about this long, seconds, if its operations permit it: noise that lasts longer meets all arms alike,
/// however many they are. On a shared virtual disk, 6 rounds of 7 arms that commit and of 5 that read gave noise floors
/// of 3.2 % and 5.7 % with slices of 25 ms, and of 1.9 % and 2.9 % with slices of 10 ms, in the same time.
const CYCLE_S: f64 = 0.05;
/// A slice is at least this long, seconds: handing over 5 to 7 turns then costs about 4 % of the time.
pub const SLICE_MIN_S: f64 = 0.01;
/// It is no longer than this, seconds, unless its operations need it.
const SLICE_USUAL_MAX_S: f64 = 0.025;
/// It holds this number of typical operations of an arm.
pub const SLICE_OPERATIONS: f64 = 20.0;
/// Or this number, if no arm has more than one operation in flight. An operation that a window's edge cuts counts by
/// its share there (`in_windows` of the crate `driver`), so slices of few operations cost nothing, and their noise is
/// that of their neighbours. With 20 instead of 8, queries of 60 ms would have two slices of a second in the time of
/// four.
const SLICE_OPERATIONS_WITHOUT_QUEUE: f64 = 8.0;
/// It is at most this long, seconds: beyond, turns are too few to meet the same noise.
pub const SLICE_MAX_S: f64 = 1.0;
/// The part of a slice that is measured.
pub const WINDOW_SHARE: f64 = 0.85;
/// The part of it, at the beginning, that no figure counts: at least this, at most up to where the window just fits.
pub const SETTLE_SHARE_MIN: f64 = 0.05;
/// An arm settles for this number of its own typical operations more: a queue that is filled at once completes its
/// first operations sooner than later ones. In slices of 26 ms without it, random reads at depth 128 had a median of
/// 1,170 to 1,300 us and the same mean as without turns, where the median was 1,410 to 1,480 us.
const SETTLE_OPERATIONS: f64 = 8.0;
/// But for no more than this part of a slice.
const SETTLE_SHARE_MAX: f64 = 0.5;
/// Steps whose multiples' fractional parts fill the unit square evenly (Roberts 2018, the sequence R2).
const STEPS: [f64; 2] = [0.754_877_666_246_692_7, 0.569_840_290_998_053_2];
/// The cycle that measures nothing.
const PILOT: u32 = 0;
/// The first one that measures.
const FIRST: u32 = 1;

/// One arm of a round: a worker, or a simulated one.
pub trait TakesTurns {
    /// Why no arm takes a further turn.
    type Stopped;

    /// Which arm of the round it is.
    fn arm(&self) -> Arm;

    /// Whether it waits for turns and has not been measured for long enough.
    fn needs_turn(&self) -> bool;

    /// Whether its phase ends after a number of operations: none of them may be spent on a pilot.
    fn is_counted(&self) -> bool;

    /// Threads that work in its turn for each CPU, at least 1: those that wait for a CPU need a slice in which each
    /// gets its share.
    fn threads_per_cpu(&self) -> f64 {
        1.0
    }

    /// Seconds that a slice lasts at least, because of what it drives; 0 if it does not matter.
    fn slice_min_s(&self) -> f64 {
        0.0
    }

    /// Seconds of a slice that no figure counts at least, before the window; 0 if the queue's filling decides.
    fn settle_min_s(&self) -> f64 {
        0.0
    }

    /// Whether more than one operation is in flight: a queue that is filled at once settles for longer.
    fn has_queue(&self) -> bool {
        true
    }

    /// Works for one turn, alone; `None` if it has failed, which ends its trial and no other.
    ///
    /// # Errors
    /// All arms are to stop.
    fn take_turn(&mut self, turn: Turn) -> Result<Option<Slice>, Self::Stopped>;
}

/// The cycles of the trials that are alive together: those of a round, or of a block of it.
#[derive(Debug)]
pub struct Cycles {
    turns: Turns,
    random: Xoshiro256PlusPlus,
    /// Where the windows begin within their slices: the mean of two numbers from 0 to 1, which go on by [`STEPS`].
    offsets: [f64; 2],
    predecessor: Option<Arm>,
}

impl Cycles {
    /// Those of a block of a round: the same plan, seed, round and block give the same orders.
    pub fn of_block(turns: Turns, seed: u64, study: &str, round: u32, block: u32) -> Self {
        let mut random = turns_random(seed, study, round, block);
        let mut unit = || (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let offsets = [unit(), unit()];
        Self { turns, random, offsets, predecessor: None }
    }

    /// All turns of one phase: until no arm needs another.
    ///
    /// # Errors
    /// What the arm said that stopped all of them.
    pub fn phase<A: TakesTurns>(&mut self, arms: &mut [A]) -> Result<(), A::Stopped> {
        let is_counted = arms.iter().any(|arm| arm.needs_turn() && arm.is_counted());
        let first = if is_counted { FIRST } else { PILOT };
        let due = || arms.iter().filter(|arm| arm.needs_turn());
        let usual_s = (CYCLE_S / due().count().max(1) as f64).clamp(SLICE_MIN_S, SLICE_USUAL_MAX_S);
        let operations =
            if due().any(TakesTurns::has_queue) { SLICE_OPERATIONS } else { SLICE_OPERATIONS_WITHOUT_QUEUE };
        let crowding = due().map(TakesTurns::threads_per_cpu).fold(1.0, f64::max);
        // Threads that wait for a CPU get it in turns too, of some milliseconds.
        let for_threads_s = if crowding > 1.0 { SLICE_USUAL_MAX_S * crowding } else { usual_s };
        let least_s = due().map(TakesTurns::slice_min_s).fold(for_threads_s, f64::max);
        let unknown = vec![0.0; arms.len()];
        let slices = self.cycle(arms, first, self.slice_s(least_s, &unknown, operations), &unknown)?;
        let mut latencies_s = unknown;
        for (index, slice) in slices {
            latencies_s[index] = slice.latency_mean_s;
        }
        let slice_s = self.slice_s(least_s, &latencies_s, operations);
        // One operation at a time fills no queue: the first one of a slice is left out.
        let settled = latencies_s.iter().zip(arms.iter()).map(|(latency_s, arm)| {
            if arm.has_queue() { *latency_s * SETTLE_OPERATIONS } else { *latency_s }
        });
        let mut fills_s = self.fills_s(slice_s, &settled.collect::<Vec<f64>>());
        if !matches!(self.turns, Turns::Every(_)) {
            for (fill_s, arm) in fills_s.iter_mut().zip(arms.iter()) {
                *fill_s = fill_s.max(arm.settle_min_s());
            }
        }
        for cycle in first + 1.. {
            if self.cycle(arms, cycle, slice_s, &fills_s)?.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// How long a slice is, if operations take the arms this long on average.
    fn slice_s(&self, least_s: f64, latencies_s: &[f64], operations: f64) -> f64 {
        match self.turns {
            Turns::Every(slice_s) => slice_s,
            Turns::Auto | Turns::Off | Turns::DoNotFit(_) => {
                let longest_s = latencies_s.iter().copied().fold(0.0, f64::max);
                (longest_s * operations).max(least_s).min(SLICE_MAX_S)
            }
        }
    }

    /// How long each arm's queue fills before its slice begins. A slice of an ordered length includes it.
    fn fills_s(&self, slice_s: f64, settled_s: &[f64]) -> Vec<f64> {
        let fill_s = |settled_s: &f64| match self.turns {
            Turns::Every(_) => 0.0,
            Turns::Auto | Turns::Off | Turns::DoNotFit(_) => settled_s.min(slice_s * SETTLE_SHARE_MAX),
        };
        settled_s.iter().map(fill_s).collect()
    }

    /// Beginning and end of the window, as shares of the slice. A phase that ends by a count may be over in its first
    /// slice, and begins as it does without turns: all of that slice counts.
    fn window(&self, cycle: u32, is_counted: bool) -> (f64, f64) {
        match cycle {
            PILOT => (1.0, 1.0),
            FIRST if is_counted => (0.0, 1.0),
            _ => {
                // A mean of two is rarely at an end, so what a window cuts at its edges averages out for any period of
                // the device: exactly if the range of each is a multiple of the period, and between two multiples to a
                // twentieth (sinc²): a bias of at most 0.05 % in the simulation if nothing scatters.
                let places =
                    self.offsets.iter().zip(STEPS).map(|(at, step)| (at + f64::from(cycle) * step).fract());
                let place = places.sum::<f64>() / 2.0;
                let settle = SETTLE_SHARE_MIN + place * (1.0 - WINDOW_SHARE - SETTLE_SHARE_MIN);
                (settle, settle + WINDOW_SHARE)
            }
        }
    }

    /// One turn for every arm that needs one, in random order.
    fn cycle<A: TakesTurns>(
        &mut self,
        arms: &mut [A],
        cycle: u32,
        slice_s: f64,
        fills_s: &[f64],
    ) -> Result<Vec<(usize, Slice)>, A::Stopped> {
        let mut due: Vec<usize> = (0..arms.len()).filter(|index| arms[*index].needs_turn()).collect();
        shuffle(&mut due, &mut self.random);
        let mut slices = Vec::new();
        for index in due {
            let arm = &mut arms[index];
            let (settle, end) = self.window(cycle, arm.is_counted());
            let (settle_s, slice_s) = (fills_s[index] + slice_s * settle, fills_s[index] + slice_s * end);
            let slice = arm.take_turn(Turn { cycle, predecessor: self.predecessor, slice_s, settle_s })?;
            slices.extend(slice.map(|slice| (index, slice)));
            self.predecessor = Some(arm.arm());
        }
        Ok(slices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quick::{Quick, quick};

    fn cycles(turns: Turns, round: u32) -> Cycles {
        Cycles::of_block(turns, 7, "toy", round, 0)
    }

    /// Lengths of the windows of an arm, by cycle.
    fn windows(arm: &Quick) -> Vec<(u32, f64)> {
        let window_s = |turn: &Turn| ((turn.slice_s - turn.settle_s) * 1e9).round() / 1e9;
        arm.turns.iter().map(|turn| (turn.cycle, window_s(turn))).collect()
    }

    #[test]
    fn a_pilot_decides_how_long_slices_are() {
        for (latency_s, window_s) in [(1e-4, 0.021_25), (0.004, 0.068), (3.0, 0.85)] {
            let mut arms = [quick(0, 2), quick(1, 2)];
            arms[1].latency_s = latency_s;
            cycles(Turns::Auto, 0).phase(&mut arms).unwrap();
            assert_eq!(windows(&arms[0]), [(0, 0.0), (1, window_s), (2, window_s)]);
            assert!((arms[0].turns[0].slice_s - SLICE_USUAL_MAX_S).abs() < 1e-9);
        }
        // More arms take shorter turns, so that none waits long for its next one.
        let mut arms = [quick(0, 1), quick(1, 1), quick(2, 1), quick(3, 1)];
        cycles(Turns::Auto, 0).phase(&mut arms).unwrap();
        assert!((arms[0].turns[0].slice_s - CYCLE_S / 4.0).abs() < 1e-9);
        // One operation at a time fills no queue: it settles for one, and a slice holds fewer.
        let mut arms = [quick(0, 1), quick(1, 1)];
        for arm in &mut arms {
            (arm.latency_s, arm.has_queue) = (0.03, false);
        }
        cycles(Turns::Auto, 0).phase(&mut arms).unwrap();
        let turn = arms[0].turns[1];
        assert!((turn.slice_s - turn.settle_s - 8.0 * 0.03 * WINDOW_SHARE).abs() < 1e-9, "{turn:?}");
        assert!(turn.settle_s > 0.03 && turn.settle_s < 0.03 + 8.0 * 0.03 * 0.15, "{turn:?}");
        // A server needs longer ones than a disk.
        let mut arms = [quick(0, 1), quick(1, 1)];
        arms[1].slice_min_s = 0.1;
        cycles(Turns::Auto, 0).phase(&mut arms).unwrap();
        assert_eq!(windows(&arms[0]), [(0, 0.0), (1, 0.085)]);
        let mut arms = [quick(0, 1)];
        arms[0].latency_s = 3.0;
        cycles(Turns::Every(0.05), 0).phase(&mut arms).unwrap();
        assert_eq!(windows(&arms[0]), [(0, 0.0), (1, 0.0425)]);
    }

    /// The deep queue's turn is longer, the windows are alike.
    #[test]
    fn an_arm_settles_until_its_own_queue_has_filled() {
        let settle_s = |arm: &Quick| arm.turns[1].settle_s;
        let mut arms = [quick(0, 1), quick(1, 1)];
        arms[1].latency_s = 1.4e-3;
        cycles(Turns::Auto, 0).phase(&mut arms).unwrap();
        assert_eq!(windows(&arms[0]), windows(&arms[1]));
        assert!((settle_s(&arms[1]) - settle_s(&arms[0]) - 8.0 * 1.3e-3).abs() < 1e-9);
        let mut arms = [quick(0, 1), quick(1, 1)];
        arms[1].latency_s = 3.0;
        cycles(Turns::Auto, 0).phase(&mut arms).unwrap();
        assert!(
            (settle_s(&arms[1]) - settle_s(&arms[0]) - (0.5 - 8e-4)).abs() < 1e-9,
            "half a slice at most"
        );
        let mut arms = [quick(0, 1), quick(1, 1)];
        arms[1].latency_s = 1.4e-3;
        cycles(Turns::Every(0.025), 0).phase(&mut arms).unwrap();
        assert!(arms.iter().all(|arm| arm.turns[1].slice_s <= 0.025), "an ordered slice stays as it is");
        // Caches that fill take longer than a queue.
        let mut arms = [quick(0, 1), quick(1, 1)];
        arms[1].settle_min_s = 0.02;
        cycles(Turns::Auto, 0).phase(&mut arms).unwrap();
        assert_eq!(windows(&arms[0]), windows(&arms[1]));
        assert!((settle_s(&arms[1]) - settle_s(&arms[0]) - (0.02 - 8e-4)).abs() < 1e-9);
    }

    /// Forty commits end within the pilot: nothing was measured.
    #[test]
    fn what_ends_by_a_count_is_measured_from_its_first_operation() {
        let mut arms = [quick(0, 2), quick(1, 2)];
        arms[0].is_counted = true;
        cycles(Turns::Auto, 0).phase(&mut arms).unwrap();
        assert_eq!(windows(&arms[0]), [(1, 0.025), (2, 0.021_25)]);
        assert_eq!(windows(&arms[1]), [(1, 0.021_25), (2, 0.021_25)]);
    }

    #[test]
    fn windows_begin_everywhere_in_the_part_that_is_left() {
        let mut arms = [quick(0, 40), quick(1, 40)];
        cycles(Turns::Every(1.0), 3).phase(&mut arms).unwrap();
        let mut settles: Vec<f64> = arms[0].turns[1..].iter().map(|turn| turn.settle_s).collect();
        settles.sort_by(f64::total_cmp);
        assert!((0.05..0.075).contains(&settles[0]) && (0.125..0.15).contains(&settles[39]), "{settles:?}");
        assert!(settles.is_sorted_by(|a, b| b - a < 0.02), "evenly: {settles:?}");
        assert!(arms[0].turns.iter().all(|turn| turn.slice_s <= 1.0));
        let settle_of = |turn: &Turn| turn.settle_s;
        let both = arms[0].turns.iter().map(settle_of).eq(arms[1].turns.iter().map(settle_of));
        assert!(both, "the arms of a cycle are measured alike");
    }

    #[test]
    fn one_that_fails_leaves_and_the_others_go_on() {
        let mut arms = [quick(0, 5), quick(1, 5), quick(2, 3)];
        arms[0].fails_at = Some(2);
        cycles(Turns::Auto, 0).phase(&mut arms).unwrap();
        assert_eq!(arms.each_ref().map(|arm| arm.turns.len()), [2, 6, 4]);
    }

    #[test]
    fn each_cycle_has_an_order_of_its_own_and_a_turn_names_the_one_before() {
        let mut firsts = [0; 3];
        let mut followed = std::collections::BTreeSet::new();
        for round in 0..20 {
            let mut arms = [quick(0, 10), quick(1, 10), quick(2, 10)];
            cycles(Turns::Auto, round).phase(&mut arms).unwrap();
            for arm in &arms {
                let others = arm.turns.iter().filter(|turn| turn.predecessor != Some(arm.arm));
                assert!(others.count() >= 6, "an arm follows itself only from one cycle to the next");
                followed.extend(arm.turns.iter().filter_map(|turn| Some((arm.arm, turn.predecessor?))));
                firsts[arm.arm.configuration] += usize::from(arm.turns[0].predecessor.is_none());
            }
        }
        assert_eq!(firsts.iter().sum::<usize>(), 20, "one begins each round");
        assert!(firsts.iter().all(|first| *first > 0), "{firsts:?}");
        assert_eq!(followed.len(), 9, "every arm comes after every other and after itself");
    }
}
