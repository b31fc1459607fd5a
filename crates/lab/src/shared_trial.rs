//! A trial on many ranks: what all of them did in the time in which all of them measured. Pure.
//!
//! Ranks begin and end a turn a little apart. The rate of all ranks together is that of the time in which all measured: from the start of
//! the last to the end of the first. Beyond, some are alone and faster. The starts and ends of ranks are put on the clock of rank 0.

use crate::added_histograms::p99_us;
use crate::clocks::Clocks;
use crate::in_step::TurnOfRanks;
use model::FORMAT_VERSION;
use model::shared::{ClockOffset, RankShare, SharedTrial, Skew};
use model::sidecar::Sidecar;
use model::trial::TrialKey;
use model::turns::Slice;
use std::collections::BTreeMap;

/// A rank's window on the clock of rank 0.
#[derive(Clone, Copy)]
struct Window<'a> {
    rank: u32,
    from_s: f64,
    to_s: f64,
    done_s: f64,
    slice: &'a Slice,
}

/// The trial with this key, whose ranks took these turns and recorded these sidecars.
pub fn shared_trial(
    key: TrialKey,
    turns: &[TurnOfRanks],
    clocks: &Clocks,
    sidecars: &BTreeMap<u32, &Sidecar>,
) -> SharedTrial {
    let mut shares: BTreeMap<u32, RankShare> = BTreeMap::new();
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    let (mut common_s, mut slices, mut apart) = (0.0, 0, 0);
    for turn in turns {
        let windows = windows(turn, clocks);
        for window in &windows {
            shares.entry(window.rank).or_insert_with(|| RankShare {
                rank: window.rank,
                operations: 0.0,
                last_done: 0,
                latency_p99_us: p99_us(sidecars.get(&window.rank).copied()),
            });
        }
        let measured: Vec<Window<'_>> =
            windows.iter().copied().filter(|window| window.slice.window_s > 0.0).collect();
        // The pilot measures nothing, and a turn that one rank could not measure says nothing about all.
        if measured.len() < windows.len() || measured.is_empty() {
            continue;
        }
        let begins = Range::of(measured.iter().map(|window| window.from_s));
        let stops = Range::of(measured.iter().map(|window| window.to_s));
        let dones = Range::of(measured.iter().map(|window| window.done_s));
        let together_s = stops.first_s - begins.last_s;
        if together_s <= 0.0 {
            apart += 1;
            continue;
        }
        starts.push(begins.width_s());
        ends.push(dones.width_s());
        for window in &measured {
            let Some(share) = shares.get_mut(&window.rank) else { continue };
            share.last_done += u32::from(measured.len() > 1 && window.done_s >= dones.last_s);
            share.operations += operations_between(window, begins.last_s, stops.first_s);
        }
        common_s += together_s;
        slices += 1;
    }
    let by_rank: Vec<RankShare> = shares.into_values().collect();
    let clocks = clocks.offsets();
    let uncertainty_s = uncertainty_s(&by_rank, &clocks);
    SharedTrial {
        format_version: FORMAT_VERSION,
        key,
        ranks: by_rank.len() as u32,
        clocks,
        slices,
        apart,
        common_s,
        operations: by_rank.iter().map(|share| share.operations).sum(),
        start_skew: skew(&starts, uncertainty_s),
        end_skew: skew(&ends, uncertainty_s),
        latency_p99_us: p99_us(sidecars.values().copied()),
        by_rank,
    }
}

fn windows<'a>(turn: &'a TurnOfRanks, clocks: &Clocks) -> Vec<Window<'a>> {
    let window = |(rank, slice): &'a (u32, Slice)| {
        let from_s = slice.began_s + slice.turn.settle_s - clocks.offset_s(*rank, slice.began_s);
        let to_s = from_s + slice.window_s;
        Window { rank: *rank, from_s, to_s, done_s: to_s + slice.drain_s, slice }
    };
    turn.slices.iter().map(window).collect()
}

/// Operations that a rank completed between two moments: a quarter of its window that they cut counts by its part. Quarters are those of the
/// window that was ordered, so that the end of the workload may cut the last one of them.
fn operations_between(window: &Window<'_>, from_s: f64, to_s: f64) -> f64 {
    let ordered_s = window.slice.turn.slice_s - window.slice.turn.settle_s;
    let quarter_s = ordered_s.max(window.to_s - window.from_s) / 4.0;
    let part = |(index, operations): (u32, &u64)| {
        let began_s = window.from_s + f64::from(index) * quarter_s;
        let ended_s = (began_s + quarter_s).min(window.to_s);
        let inside_s = ended_s.min(to_s) - began_s.max(from_s);
        if ended_s > began_s {
            *operations as f64 * (inside_s / (ended_s - began_s)).clamp(0.0, 1.0)
        } else {
            0.0
        }
    };
    (0..).zip(&window.slice.quarters).map(part).sum()
}

/// Two clocks may each be off.
fn uncertainty_s(by_rank: &[RankShare], clocks: &[ClockOffset]) -> f64 {
    let of_ranks = clocks.iter().filter(|clock| by_rank.iter().any(|share| share.rank == clock.rank));
    let mut uncertainties: Vec<f64> = of_ranks.map(|clock| clock.uncertainty_s).collect();
    uncertainties.sort_by(|a, b| b.total_cmp(a));
    uncertainties.iter().take(2).sum()
}

fn skew(seconds: &[f64], uncertainty_s: f64) -> Skew {
    let mean_s = stats::sample::mean(seconds).unwrap_or(0.0);
    Skew { mean_s, max_s: seconds.iter().copied().fold(0.0, f64::max), uncertainty_s }
}

/// The first and the last of some moments.
struct Range {
    first_s: f64,
    last_s: f64,
}

impl Range {
    fn of(moments: impl Iterator<Item = f64>) -> Self {
        let all = Self { first_s: f64::INFINITY, last_s: f64::NEG_INFINITY };
        moments.fold(all, |range, moment| Self {
            first_s: range.first_s.min(moment),
            last_s: range.last_s.max(moment),
        })
    }

    fn width_s(&self) -> f64 {
        self.last_s - self.first_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;
    use model::turns::Turn;

    fn key() -> TrialKey {
        TrialKey { study: "depth".to_owned(), round: 2, configuration: 1, duplicate: false, block: 0 }
    }

    fn slice(began_s: f64, window_s: f64, quarters: [u64; 4]) -> Slice {
        Slice {
            turn: Turn { cycle: 1, predecessor: None, slice_s: window_s + 1.0, settle_s: 1.0 },
            began_s,
            window_s,
            drain_s: 0.5,
            quarters,
            latency_mean_s: 1e-3,
            is_over: false,
            left_bytes: None,
        }
    }

    /// Clocks that do not drift: the rank, its offset and the uncertainty of that, in seconds.
    fn clocks(offsets: &[(u32, f64, f64)]) -> Clocks {
        let offset = |&(rank, offset_s, uncertainty_s)| ClockOffset { rank, offset_s, uncertainty_s };
        let offsets: Vec<ClockOffset> = offsets.iter().map(offset).collect();
        Clocks::between((Nanos::ZERO, offsets.clone()), (Nanos::ZERO, offsets))
    }

    fn check(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn only_the_time_in_which_all_ranks_measured_counts() {
        // On the clock of rank 0, windows of 10–14 s and of 11–15 s.
        let slices = vec![(0, slice(9.0, 4.0, [100, 10, 10, 10])), (1, slice(510.0, 4.0, [20, 20, 20, 900]))];
        let turns = [TurnOfRanks { slices }];
        let trial = shared_trial(key(), &turns, &clocks(&[(1, 500.0, 2e-5)]), &BTreeMap::new());
        check(trial.common_s, 3.0);
        check(trial.operations, 90.0);
        check(trial.operations_per_s().unwrap(), 30.0);
        check(trial.start_skew.max_s, 1.0);
        check(trial.end_skew.mean_s, 1.0);
        check(trial.end_skew.uncertainty_s, 2e-5);
        let done: Vec<_> = trial.by_rank.iter().map(|share| (share.rank, share.last_done)).collect();
        assert_eq!((trial.ranks, trial.slices, done), (2, 1, vec![(0, 0), (1, 1)]));
    }

    #[test]
    fn a_quarter_that_is_cut_counts_by_its_part() {
        let slices = vec![(0, slice(9.0, 4.0, [8, 8, 8, 8])), (1, slice(9.25, 4.0, [4, 4, 4, 4]))];
        let trial =
            shared_trial(key(), &[TurnOfRanks { slices }], &clocks(&[(1, 0.0, 0.0)]), &BTreeMap::new());
        check(trial.operations, 30.0 + 15.0);
        check(trial.common_s, 3.75);
    }

    /// Its workload ended after 3 of 8 seconds, in its second quarter.
    #[test]
    fn a_window_that_ended_early_has_the_quarters_that_were_ordered() {
        let ended = slice(9.0, 8.0, [20, 5, 0, 0]);
        let slice = Slice { window_s: 3.0, is_over: true, ..ended };
        let window = Window { rank: 0, from_s: 10.0, to_s: 13.0, done_s: 13.0, slice: &slice };
        check(operations_between(&window, 10.0, 13.0), 25.0);
        check(operations_between(&window, 11.0, 13.0), 15.0);
        check(operations_between(&window, 10.0, 12.5), 22.5);
    }

    #[test]
    fn ranks_that_never_measured_at_the_same_time_have_no_rate() {
        let slices = vec![(0, slice(9.0, 4.0, [8; 4])), (1, slice(20.0, 4.0, [8; 4]))];
        let trial =
            shared_trial(key(), &[TurnOfRanks { slices }], &clocks(&[(1, 0.0, 0.0)]), &BTreeMap::new());
        assert_eq!((trial.operations_per_s(), trial.slices), (None, 0));
        check(trial.operations, 0.0);
        let last_done: u32 = trial.by_rank.iter().map(|share| share.last_done).sum();
        assert_eq!((trial.apart, last_done), (1, 0));
        check(trial.start_skew.max_s, 0.0);
    }

    #[test]
    fn a_pilot_and_a_turn_that_one_rank_missed_are_left_out() {
        let pilot = TurnOfRanks { slices: vec![(0, slice(1.0, 0.0, [0; 4])), (2, slice(1.0, 0.0, [0; 4]))] };
        let missed = TurnOfRanks { slices: vec![(0, slice(1.0, 4.0, [5; 4])), (2, slice(1.0, 0.0, [0; 4]))] };
        let clocks = clocks(&[(1, 0.0, 9.0), (2, 0.0, 1e-6)]);
        let trial = shared_trial(key(), &[pilot, missed], &clocks, &BTreeMap::new());
        assert_eq!((trial.ranks, trial.slices, trial.operations_per_s()), (2, 0, None));
        check(trial.start_skew.uncertainty_s, 1e-6);
    }

    #[test]
    fn a_rank_alone_is_never_late() {
        let turns = [TurnOfRanks { slices: vec![(0, slice(1.0, 4.0, [5; 4]))] }];
        let trial = shared_trial(key(), &turns, &Clocks::default(), &BTreeMap::new());
        assert_eq!(trial.by_rank[0].last_done, 0);
        check(trial.operations_per_s().unwrap(), 5.0);
        check(trial.end_skew.max_s, 0.0);
    }
}
