//! Turns on a shared device: how often carry-over is found where there is none, and where it is planted.

use crate::random::Source;
use crate::{share, slack};
use stats::carry_over::{CarryOver, Turn, carry_over};

const RUNS: u32 = 400;
const ROUNDS: usize = 6;
const CYCLES: usize = 30;
/// Operations in a window of a slice.
const OPERATIONS: f64 = 200.0;
/// Standard deviation of a slice's log rate: what 26 slices that scatter so leave in a ratio of two arms (2.8 %) is in
/// the range that was measured on a shared disk (1.7 to 4.0 %).
const SCATTER: f64 = 0.10;
/// A neighbour on the device takes this part of its rate …
const NEIGHBOUR: f64 = 0.4;
/// … and comes and goes with this chance in each slice.
const CHANGES: f64 = 0.02;

/// What is planted.
#[derive(Clone, Copy)]
struct Planted {
    arms: usize,
    /// The log rate of slices after the first arm.
    after_first: f64,
    /// The log rate of the last quarter of the first arm's slices.
    last_quarter: f64,
}

const NOTHING: Planted = Planted { arms: 5, after_first: 0.0, last_quarter: 0.0 };

fn study(source: &mut Source, planted: Planted) -> CarryOver {
    let rounds: Vec<Vec<Turn>> = (0..ROUNDS).map(|_| round(source, planted)).collect();
    carry_over(&rounds, planted.arms, 0.95)
}

fn round(source: &mut Source, planted: Planted) -> Vec<Turn> {
    let mut turns = Vec::new();
    let (mut predecessor, mut is_disturbed) = (None, false);
    let drift = 0.2 * source.normal() / (CYCLES * planted.arms) as f64;
    for _ in 0..CYCLES {
        let mut order: Vec<(f64, usize)> = (0..planted.arms).map(|arm| (source.uniform(), arm)).collect();
        order.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        for (_, arm) in order {
            is_disturbed ^= source.uniform() < CHANGES;
            let disturbed = if is_disturbed { (1.0 - NEIGHBOUR).ln() } else { 0.0 };
            let carried = if predecessor == Some(0) { planted.after_first } else { 0.0 };
            let log = drift * turns.len() as f64 + disturbed + carried + SCATTER * source.normal();
            let quarters = [0, 1, 2, 3].map(|quarter| {
                let last = if quarter == 3 && arm == 0 { planted.last_quarter } else { 0.0 };
                let mean = OPERATIONS / 4.0 * (log + last + SCATTER * source.normal()).exp();
                mean.round().max(0.0) as u64
            });
            turns.extend(predecessor.map(|predecessor| Turn {
                arm,
                predecessor,
                quarters,
                window_s: 0.0225,
            }));
            predecessor = Some(arm);
        }
    }
    turns
}

fn is_found(found: &CarryOver) -> bool {
    found.trends.iter().chain(&found.predecessors).any(|effect| effect.unwrap().matters())
}

#[test]
fn without_carry_over_at_most_one_study_in_twenty_is_suspected() {
    for arms in [2, 5, 9] {
        let alarms = share(7, RUNS, |source| is_found(&study(source, Planted { arms, ..NOTHING })));
        assert!(alarms <= 0.05 + slack(0.05, RUNS), "{arms} arms: {alarms}");
    }
}

#[test]
fn an_arm_after_which_all_are_ten_percent_slower_is_found_in_nine_studies_of_ten() {
    let planted = Planted { after_first: 0.9_f64.ln(), ..NOTHING };
    let found = share(8, RUNS, |source| study(source, planted).predecessors[0].unwrap().matters());
    assert!(found >= 0.90, "{found}");
}

#[test]
fn slices_that_end_ten_percent_faster_are_found_in_nine_studies_of_ten() {
    let planted = Planted { last_quarter: 1.1_f64.ln(), ..NOTHING };
    let found = share(9, RUNS, |source| study(source, planted).trends[0].unwrap().matters());
    assert!(found >= 0.90, "{found}");
}
