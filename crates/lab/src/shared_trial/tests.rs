//! Turns of invented ranks.

use super::*;
use model::Nanos;
use model::turns::{Progress, Turn};

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
        progress: None,
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

/// What a rank has recorded.
#[derive(Default)]
struct Own {
    phases: Vec<(&'static str, BTreeMap<String, Measured<f64>>)>,
    sidecar: Sidecar,
}

impl Own {
    /// The same with a further phase.
    fn phase(mut self, name: &'static str, figures: &[(&str, f64)], slices: &[Slice]) -> Self {
        let figures = figures.iter().map(|(name, figure)| ((*name).to_owned(), Measured::Value(*figure)));
        self.phases.push((name, figures.collect()));
        if !slices.is_empty() {
            self.sidecar.slices.insert(name.to_owned(), slices.to_vec());
        }
        self
    }

    /// One phase of reads.
    fn reads(slices: &[Slice]) -> Self {
        let operations: u64 = slices.iter().flat_map(|slice| slice.quarters).sum();
        let windows_s: f64 = slices.iter().map(|slice| slice.window_s).sum();
        Self::default().phase("measure", &[("iops", operations as f64 / windows_s.max(1e-9))], slices)
    }
}

fn trial(ranks: &[(u32, Own)], clocks: &Clocks) -> SharedTrial {
    let mut recorded = BTreeMap::new();
    for (rank, own) in ranks {
        let phases = own.phases.iter().map(|(name, figures)| (*name, figures)).collect();
        recorded.insert(*rank, Recorded { phases, sidecar: &own.sidecar });
    }
    shared_trial(key(), &recorded, clocks)
}

#[test]
fn only_the_time_in_which_all_ranks_measured_counts() {
    // On the clock of rank 0, windows of 10–14 s and of 11–15 s.
    let ranks = [
        (0, Own::reads(&[slice(9.0, 4.0, [100, 10, 10, 10])])),
        (1, Own::reads(&[slice(510.0, 4.0, [20, 20, 20, 900])])),
    ];
    let trial = trial(&ranks, &clocks(&[(1, 500.0, 2e-5)]));
    check(trial.common_s, 3.0);
    check(trial.rates["iops"], 30.0);
    check(trial.by_rank[1].rates["iops"], 20.0);
    check(trial.start_skew.max_s, 1.0);
    check(trial.end_skew.mean_s, 1.0);
    check(trial.end_skew.uncertainty_s, 2e-5);
    let done: Vec<_> = trial.by_rank.iter().map(|share| (share.rank, share.last_done)).collect();
    assert_eq!((trial.ranks, trial.slices, done), (2, 1, vec![(0, 0), (1, 1)]));
}

#[test]
fn a_quarter_that_is_cut_counts_by_its_part() {
    let ranks =
        [(0, Own::reads(&[slice(9.0, 4.0, [8; 4])])), (1, Own::reads(&[slice(9.25, 4.0, [4, 4, 4, 0])]))];
    let trial = trial(&ranks, &clocks(&[(1, 0.0, 0.0)]));
    check(trial.common_s, 3.75);
    check(trial.by_rank[0].rates["iops"], 30.0 / 3.75);
    check(trial.by_rank[1].rates["iops"], 12.0 / 3.75);
}

/// They were one sum once, which was not the rate of any of them.
#[test]
fn what_is_unlike_keeps_a_rate_of_its_own() {
    let figures = [("commits_per_s", 10.0), ("reads_per_s", 40.0), ("commit_latency_p50_us", 200.0)];
    // They measured together for half of their windows.
    let at = |began_s| Own::default().phase("measure", &figures, &[slice(began_s, 4.0, [60; 4])]);
    let mut ranks = [(0, at(9.0)), (1, at(11.0))];
    let both = trial(&ranks, &clocks(&[(1, 0.0, 0.0)]));
    assert_eq!(both.rates.keys().collect::<Vec<_>>(), ["commits_per_s", "reads_per_s"]);
    check(both.rates["commits_per_s"], 20.0);
    check(both.rates["reads_per_s"], 80.0);
    ranks[1].1.phases[0].1.insert("reads_per_s".to_owned(), Measured::unsupported("there are no reads"));
    let one = trial(&ranks, &clocks(&[(1, 0.0, 0.0)]));
    assert_eq!(one.rates.keys().collect::<Vec<_>>(), ["commits_per_s"], "one rank has no reads");
}

/// The turns of hits, misses and scans were one sum once.
#[test]
fn each_phase_is_cut_by_itself() {
    let of_rank = |hits: Slice, scans: Slice| {
        Own::default()
            .phase("load", &[("load_operations_per_s", 7.0)], &[])
            .phase("read_hit", &[("hit_operations_per_s", 30.0)], &[hits])
            .phase("scan", &[("scan_operations_per_s", 4.0)], &[scans])
    };
    let first = of_rank(slice(9.0, 4.0, [90, 10, 10, 10]), slice(29.0, 4.0, [4; 4]));
    let second = of_rank(slice(10.0, 4.0, [30; 4]), slice(29.0, 4.0, [4; 4]));
    let trial = trial(&[(0, first), (1, second)], &clocks(&[(1, 0.0, 0.0)]));
    check(trial.rates["hit_operations_per_s"], 10.0 + 30.0);
    check(trial.rates["scan_operations_per_s"], 8.0);
    assert_eq!(trial.rates.len(), 2, "the load takes no turns: {:?}", trial.rates);
    check(trial.common_s, 7.0);
    assert_eq!((trial.slices, trial.by_rank[1].last_done), (2, 2));
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

/// Rank 0 reads twice as fast when rank 1 is done: by quarters, a part of that would count as read together.
#[test]
fn a_whole_turn_counts_until_the_first_rank_is_done_by_its_own_parts() {
    let whole = |window_s: f64, quarters: [u64; 4], parts: &[u64]| {
        let progress = Progress { part_s: 0.5, operations: parts.to_vec() };
        let whole = slice(10.0, window_s, quarters);
        Slice { turn: Turn::WHOLE, is_over: true, progress: Some(progress), ..whole }
    };
    let ranks = [
        (0, Own::reads(&[whole(2.5, [12, 13, 20, 25], &[10, 10, 10, 20, 20])])),
        (1, Own::reads(&[whole(1.75, [17, 18, 17, 18], &[20, 20, 20, 10])])),
    ];
    let trial = trial(&ranks, &clocks(&[(1, 0.0, 0.0)]));
    check(trial.common_s, 1.75);
    check(trial.by_rank[0].rates["iops"], 40.0 / 1.75);
    check(trial.by_rank[1].rates["iops"], 70.0 / 1.75);
    check(trial.end_skew.max_s, 0.75);
    assert_eq!(trial.slices, 1);
}

#[test]
fn ranks_that_never_measured_at_the_same_time_have_no_rate() {
    let ranks = [(0, Own::reads(&[slice(9.0, 4.0, [8; 4])])), (1, Own::reads(&[slice(20.0, 4.0, [8; 4])]))];
    let trial = trial(&ranks, &clocks(&[(1, 0.0, 0.0)]));
    assert_eq!((trial.rates.len(), trial.slices), (0, 0));
    let last_done: u32 = trial.by_rank.iter().map(|share| share.last_done).sum();
    assert_eq!((trial.apart, last_done), (1, 0));
    check(trial.start_skew.max_s, 0.0);
}

#[test]
fn a_pilot_and_a_turn_that_one_rank_missed_are_left_out() {
    let (pilot, missed) = (slice(1.0, 0.0, [0; 4]), slice(7.0, 0.0, [0; 4]));
    let ranks =
        [(0, Own::reads(&[pilot.clone(), slice(7.0, 4.0, [5; 4])])), (2, Own::reads(&[pilot, missed]))];
    let trial = trial(&ranks, &clocks(&[(1, 0.0, 9.0), (2, 0.0, 1e-6)]));
    assert_eq!((trial.ranks, trial.slices, trial.rates.len()), (2, 0, 0));
    check(trial.start_skew.uncertainty_s, 1e-6);
}

#[test]
fn a_rank_alone_is_never_late() {
    let trial = trial(&[(0, Own::reads(&[slice(1.0, 4.0, [5; 4])]))], &Clocks::default());
    assert_eq!(trial.by_rank[0].last_done, 0);
    check(trial.rates["iops"], 5.0);
    check(trial.end_skew.max_s, 0.0);
}
