//! Carry-over between trials that take turns: whether what one leaves behind shows in the next one's slice.
//!
//! Two questions, each over rounds, because the slices of a round share its noise. Inside slices: does an arm's slice
//! gain or lose more from its beginning to its end than the others' slices do? Between them: is a slice slower after
//! one arm than after the others? Every cycle of turns is a fresh random permutation, so chance has no part in who
//! follows whom beyond what the interval allows for.
//!
//! An effect that is the same for every arm cancels in a comparison. Therefore what counts is by how much an effect can
//! shift a comparison of two arms of the same round ([`Effect::shift`]).

use crate::contrast::{Ratio, ratio_of_logs};
use crate::family::simultaneous_level;
use crate::interval::NoInterval;
use crate::sample;

/// A comparison that carry-over shifts by less than this is still good: a fifth of the 5 % within which arms are equal.
pub const SHIFT_MAX: f64 = 1.01;
/// From the mean of a slice to its end, relative to the step from its mean to the middle of its last quarter, if its
/// rate changes linearly. If it settles, as where a cache fills, this is too much by a third at most.
const MEAN_TO_END: f64 = 0.5 / 0.375;
/// The additive model of a round is fitted when no figure changes by more than this, as a logarithm …
const FITTED: f64 = 1e-10;
/// … or after this number of passes: arms and predecessors are nearly balanced, and each pass removes most of what is
/// left.
const PASSES_MAX: usize = 200;

/// One slice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// Whose slice it is, from 0.
    pub arm: usize,
    /// Whose slice was before it.
    pub predecessor: usize,
    /// Operations completed in each quarter of the window.
    pub quarters: [u64; 4],
    /// Length of the window, seconds.
    pub window_s: f64,
}

/// What the turns of a study show.
#[derive(Debug, Clone, PartialEq)]
pub struct CarryOver {
    /// By arm: the rate in the last quarter of its slices relative to that of the whole, divided by the same of the
    /// other arms.
    pub trends: Vec<Result<Effect, NoInterval>>,
    /// By arm: the rate of slices after it relative to those after the other arms.
    pub predecessors: Vec<Result<Effect, NoInterval>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// The ratio of rates, with an interval that holds for all effects of the study together.
    pub ratio: Ratio,
    /// The part of its logarithm that a comparison is shifted by.
    share: f64,
}

impl Effect {
    /// By how much it shifts a comparison of two arms, as a ratio of at least 1.
    pub fn shift(&self) -> f64 {
        (self.ratio.log_mean.abs() * self.share).exp()
    }

    /// The largest shift that the data leave possible.
    pub fn shift_most(&self) -> f64 {
        let interval = &self.ratio.interval;
        (interval.low.ln().abs().max(interval.high.ln().abs()) * self.share).exp()
    }

    /// Whether it is there, however small.
    pub fn is_proven(&self) -> bool {
        self.ratio.excludes_one()
    }

    /// Whether it is there, and shifts comparisons by more than [`SHIFT_MAX`].
    pub fn matters(&self) -> bool {
        self.is_proven() && self.shift() > SHIFT_MAX
    }
}

/// Looks for carry-over in the slices of `rounds`, each of which has slices of all `arms`, or of those that took turns
/// in one block. An arm's effects are of the rounds in which it has slices.
///
/// Trends: the log ratio of four times the operations in the last quarter to those in the whole slice, over all slices
/// of an arm in a round, minus the median of the other arms' in the same round; then a t interval over rounds. A first
/// quarter that is slow alone lowers the slice's mean by a quarter of that, so the first quarter is not what the last
/// is compared with. Caches of the CPU that fill in each turn make all arms alike faster, by 1 to 2 % of commits/s,
/// which no comparison sees.
///
/// Predecessors: in each round the log rate of arm a after arm p is taken to be αₐ + γₚ, fitted by least squares with
/// the number of slices as weight. γₚ minus the mean of the others' is one value per round; then a t interval over
/// rounds. This is the first-order carry-over of a cross-over design (Senn, *Cross-over Trials in Clinical Research*,
/// 2nd ed., chapter 10; Jones & Kenward, *Design and Analysis of Cross-Over Trials*, 3rd ed., chapter 5).
///
/// With k arms in a fresh random order each cycle, an arm follows itself in 1/k² of its slices and a given other arm in
/// (k + 1)/k² of them. So what p leaves behind shifts a comparison of p with another arm by γₚ/k.
///
/// Trends and predecessors each have half of the error, 1 − `level`, and their arms share it equally (Bonferroni).
pub fn carry_over(rounds: &[Vec<Turn>], arms: usize, level: f64) -> CarryOver {
    let level = simultaneous_level(level, 2 * arms);
    let trends = (0..arms).map(|arm| trend(rounds, arms, arm, level)).collect();
    let after: Vec<(Vec<usize>, AfterArms)> = rounds
        .iter()
        .map(|round| {
            let present = present(round, arms);
            let logs = after(round, &present);
            (present, logs)
        })
        .collect();
    let predecessor = |arm: usize| {
        let own = || {
            after
                .iter()
                .filter_map(|(present, logs)| Some((present.len(), present.binary_search(&arm).ok()?, logs)))
        };
        let logs =
            own().map(|(_, place, logs)| logs.as_ref().map(|logs| logs[place]).map_err(|error| *error));
        let ratio = ratio_of_logs(&logs.collect::<Result<Vec<f64>, NoInterval>>()?, level)?;
        // If blocks differ in size, the smallest has the largest share.
        let fewest = own().map(|(arms, ..)| arms).min().unwrap_or(arms);
        Ok(Effect { ratio, share: 1.0 / fewest as f64 })
    };
    CarryOver { trends, predecessors: (0..arms).map(predecessor).collect() }
}

fn trend(rounds: &[Vec<Turn>], arms: usize, arm: usize, level: f64) -> Result<Effect, NoInterval> {
    let own = rounds.iter().filter(|round| round.iter().any(|turn| turn.arm == arm));
    let apart = own.map(|round| {
        let own = inside(round, arm)?;
        let others: Vec<f64> = present(round, arms)
            .into_iter()
            .filter(|other| *other != arm)
            .filter_map(|other| inside(round, other).ok())
            .collect();
        let usual = sample::median(&others).ok_or(NoInterval::TooFewColumns { n: 1, needed: 2 })?;
        Ok(own - usual)
    });
    let ratio = ratio_of_logs(&apart.collect::<Result<Vec<f64>, NoInterval>>()?, level)?;
    Ok(Effect { ratio, share: MEAN_TO_END })
}

/// The log ratio of an arm's rate in the last quarter to that of the whole slice, over its slices of a round.
fn inside(round: &[Turn], arm: usize) -> Result<f64, NoInterval> {
    let own = || round.iter().filter(|turn| turn.arm == arm);
    let last: u64 = own().map(|turn| turn.quarters[3]).sum();
    let all: u64 = own().flat_map(|turn| turn.quarters).sum();
    if last == 0 {
        return Err(NoInterval::NotPositive);
    }
    Ok((4.0 * last as f64 / all as f64).ln())
}

/// One figure for each arm of a round.
type AfterArms = Result<Vec<f64>, NoInterval>;

/// What an arm did after one predecessor in a round: a log rate, and the slices behind it.
#[derive(Clone, Copy, Default)]
struct Pooled {
    operations: f64,
    seconds: f64,
    slices: f64,
}

/// The arms that have slices in a round, ascending.
fn present(round: &[Turn], arms: usize) -> Vec<usize> {
    (0..arms).filter(|arm| round.iter().any(|turn| turn.arm == *arm)).collect()
}

/// By predecessor, in the order of `present`: the log rate after it minus that after the others, in one round.
fn after(round: &[Turn], present: &[usize]) -> AfterArms {
    let arms = present.len();
    if arms < 2 {
        return Err(NoInterval::TooFewColumns { n: arms, needed: 2 });
    }
    let mut pooled = vec![vec![Pooled::default(); arms]; arms];
    for turn in round {
        let places = present.binary_search(&turn.arm).ok().zip(present.binary_search(&turn.predecessor).ok());
        let Some((arm, predecessor)) = places else { return Err(NoInterval::Ragged) };
        let cell = &mut pooled[arm][predecessor];
        cell.operations += turn.quarters.iter().map(|count| *count as f64).sum::<f64>();
        cell.seconds += turn.window_s;
        cell.slices += 1.0;
    }
    let mut cells = Vec::new();
    for (arm, row) in pooled.iter().enumerate() {
        for (predecessor, cell) in row.iter().enumerate().filter(|(_, cell)| cell.slices > 0.0) {
            let log = (cell.operations / cell.seconds).ln();
            if !log.is_finite() {
                return Err(if cell.operations > 0.0 {
                    NoInterval::NotFinite
                } else {
                    NoInterval::NotPositive
                });
            }
            cells.push(Cell { arm, predecessor, log, weight: cell.slices });
        }
    }
    let effects = fit(&cells, arms).ok_or(NoInterval::Ragged)?;
    let mean = effects.iter().sum::<f64>() / arms as f64;
    // From the mean of all to the mean of the others.
    let others = arms as f64 / (arms as f64 - 1.0);
    Ok(effects.iter().map(|effect| (effect - mean) * others).collect())
}

struct Cell {
    arm: usize,
    predecessor: usize,
    log: f64,
    weight: f64,
}

/// The effects γ of the predecessors in log = α + γ by weighted least squares, up to a constant; `None` if an arm has
/// no slice, or follows nobody. Solved by turns for α and γ (Gauss and Seidel on the normal equations).
fn fit(cells: &[Cell], arms: usize) -> Option<Vec<f64>> {
    let mut after = vec![0.0; arms];
    for _ in 0..PASSES_MAX {
        let own = means(cells, arms, |cell| (cell.arm, cell.log - after[cell.predecessor]))?;
        let next = means(cells, arms, |cell| (cell.predecessor, cell.log - own[cell.arm]))?;
        let change = next.iter().zip(&after).map(|(next, last)| (next - last).abs()).fold(0.0, f64::max);
        after = next;
        if change < FITTED {
            break;
        }
    }
    Some(after)
}

/// Weighted means by group.
fn means(cells: &[Cell], groups: usize, of: impl Fn(&Cell) -> (usize, f64)) -> Option<Vec<f64>> {
    let (mut sums, mut weights) = (vec![0.0; groups], vec![0.0; groups]);
    for cell in cells {
        let (group, value) = of(cell);
        sums[group] += cell.weight * value;
        weights[group] += cell.weight;
    }
    weights.iter().zip(sums).map(|(weight, sum): (&f64, f64)| (*weight > 0.0).then(|| sum / weight)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;

    /// Rounds in which every arm follows every other once or more, without scatter but for a little from round to
    /// round.
    fn rounds(arms: usize, after: impl Fn(usize) -> f64, last: impl Fn(usize) -> f64) -> Vec<Vec<Turn>> {
        let round = |round: usize| {
            let turns = (0..arms).flat_map(|arm| (0..arms).map(move |predecessor| (arm, predecessor)));
            let uneven = turns.filter(|(arm, predecessor)| arm != predecessor || arm + round < arms);
            uneven
                .map(|(arm, predecessor)| {
                    let wobble = 1.0 + 0.001 * ((round * 7 + arm * 3 + predecessor * 5) % 11) as f64;
                    let quarter = 100_000.0 * (arm + 1) as f64 * after(predecessor) * wobble;
                    let ends = (quarter * last(arm)).round() as u64;
                    let quarter = quarter.round() as u64;
                    Turn { arm, predecessor, quarters: [quarter, quarter, quarter, ends], window_s: 0.02 }
                })
                .collect()
        };
        (0..6).map(round).collect()
    }

    #[test]
    fn an_arm_that_slows_the_next_is_found_and_no_other() {
        let rounds = rounds(4, |predecessor| if predecessor == 2 { 0.9 } else { 1.0 }, |_| 1.0);
        let found = carry_over(&rounds, 4, 0.95);
        let effect = found.predecessors[2].unwrap();
        assert!(effect.matters(), "{effect:?}");
        assert_close(effect.ratio.interval.estimate, 0.9, 5e-3);
        // A quarter of it is in a comparison: the arm hardly ever follows itself.
        assert_close(effect.shift(), 0.9_f64.powf(-0.25), 2e-3);
        for arm in [0, 1, 3] {
            assert_close(
                found.predecessors[arm].unwrap().ratio.interval.estimate,
                0.9_f64.powf(-1.0 / 3.0),
                5e-3,
            );
        }
        assert!(found.trends.iter().all(|trend| !trend.unwrap().matters()));
    }

    #[test]
    fn a_rate_that_changes_inside_slices_is_found_in_its_arm() {
        let rounds = rounds(3, |_| 1.0, |arm| if arm == 1 { 1.1 } else { 1.0 });
        let found = carry_over(&rounds, 3, 0.95);
        let matters: Vec<bool> = found.trends.iter().map(|trend| trend.unwrap().matters()).collect();
        // The others' differ from the mean that it is in.
        assert_eq!(matters, [true, true, true]);
        // The last of four quarters, relative to the mean of all.
        let change = 1.1 / ((3.0 + 1.1) / 4.0);
        assert_close(found.trends[1].unwrap().ratio.interval.estimate, change, 1e-3);
        assert_close(found.trends[0].unwrap().ratio.interval.estimate, change.powf(-0.5), 1e-3);
        assert!(found.predecessors.iter().all(|effect| !effect.unwrap().matters()));
    }

    #[test]
    fn a_rate_that_changes_alike_in_all_slices_shifts_no_comparison() {
        let found = carry_over(&rounds(3, |_| 1.0, |_| 1.1), 3, 0.95);
        assert!(found.trends.iter().all(|trend| !trend.unwrap().matters()), "{found:?}");
    }

    #[test]
    fn an_effect_too_small_for_a_comparison_is_proven_and_does_not_matter() {
        let rounds = rounds(4, |predecessor| if predecessor == 0 { 0.98 } else { 1.0 }, |_| 1.0);
        let effect = carry_over(&rounds, 4, 0.95).predecessors[0].unwrap();
        assert!(effect.is_proven() && !effect.matters(), "{effect:?}");
        assert!(effect.shift_most() > effect.shift() && effect.shift() < SHIFT_MAX);
    }

    /// Twelve blocks: arm 0 is in each, 1 and 2 are in the even ones, 3 is in the odd ones.
    #[test]
    fn an_arm_that_slows_the_next_is_found_in_its_blocks() {
        let slow = |predecessor| if predecessor == 2 { 0.9 } else { 1.0 };
        let block = |of: usize, round: Vec<Turn>| -> Vec<Turn> {
            let has = |arm: usize| arm == 0 || (arm == 3) == (of == 1);
            round.into_iter().filter(|turn| has(turn.arm) && has(turn.predecessor)).collect()
        };
        let whole = rounds(4, slow, |_| 1.0);
        let blocks: Vec<Vec<Turn>> =
            whole.iter().flat_map(|round| (0..2).map(|of| block(of, round.clone()))).collect();
        let found = carry_over(&blocks, 4, 0.95);
        let effect = found.predecessors[2].unwrap();
        assert!(effect.matters() && effect.ratio.interval.n == 6, "{effect:?}");
        assert_close(effect.ratio.interval.estimate, 0.9, 5e-3);
        assert_close(effect.shift(), 0.9_f64.powf(-1.0 / 3.0), 2e-3);
        assert_eq!(found.trends[0].unwrap().ratio.interval.n, 12);
        let beside = found.predecessors[3].unwrap();
        assert!(!beside.matters() && beside.ratio.interval.n == 6, "{beside:?}");
    }

    #[test]
    fn what_the_slices_lack_is_said() {
        let few = carry_over(&rounds(3, |_| 1.0, |_| 1.0)[..5], 3, 0.95);
        assert_eq!(few.trends[0], Err(NoInterval::TooFew { n: 5, needed: 6 }));
        let alone = carry_over(&rounds(1, |_| 1.0, |_| 1.0), 1, 0.95);
        assert!(matches!(alone.predecessors[0], Err(NoInterval::TooFewColumns { .. })));
        // The third arm has no slice.
        let missing = carry_over(&rounds(2, |_| 1.0, |_| 1.0), 3, 0.95);
        assert_eq!(missing.predecessors[2], Err(NoInterval::TooFew { n: 0, needed: 6 }));
        assert!(!missing.predecessors[0].unwrap().matters());
        // Slices follow an arm that has none.
        let mut followed = rounds(3, |_| 1.0, |_| 1.0);
        for round in &mut followed {
            round.retain(|turn| turn.arm != 1);
        }
        assert_eq!(carry_over(&followed, 3, 0.95).predecessors[0], Err(NoInterval::Ragged));
        let mut idle = rounds(3, |_| 1.0, |_| 1.0);
        idle.iter_mut().flatten().for_each(|turn| turn.quarters = [0; 4]);
        let idle = carry_over(&idle, 3, 0.95);
        assert_eq!(
            (idle.trends[0], idle.predecessors[0]),
            (Err(NoInterval::NotPositive), Err(NoInterval::NotPositive))
        );
    }
}
