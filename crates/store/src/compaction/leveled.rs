//! Leveled: each level below level 0 is one sorted run in several files, a fixed factor larger than the level above.
//! One task at a time: the next one may need what it makes.

use super::shape::{Reason, RunFacts, Shape, Task};
use crate::options::LeveledOptions;

pub(super) fn pick(options: &LeveledOptions, shape: &Shape<'_>) -> Option<Task> {
    if shape.iter().flatten().any(|run| run.is_merged) {
        return None;
    }
    let newest = shape.first()?;
    if newest.len() >= options.level0_runs {
        return Some(merge_down(&newest.iter().collect::<Vec<_>>(), 0, shape));
    }
    for level in 1..shape.len() {
        let bytes: u64 = shape[level].iter().map(|run| run.bytes).sum();
        if bytes > level_bytes(options, level) {
            // The run that costs least: the fewest bytes of the next level for each of its own.
            let cost = |run: &RunFacts<'_>| {
                let below = shape.get(level + 1).map_or(&[][..], Vec::as_slice);
                let overlapping = below.iter().filter(|other| other.overlaps(run.smallest, run.largest));
                overlapping.map(|other| other.bytes).sum::<u64>() as f64 / run.bytes.max(1) as f64
            };
            let cheapest = shape[level].iter().min_by(|one, other| cost(one).total_cmp(&cost(other)))?;
            return Some(merge_down(&[cheapest], level, shape));
        }
    }
    None
}

/// Bytes that a level may have.
fn level_bytes(options: &LeveledOptions, level: usize) -> u64 {
    (1..level).fold(options.level1_bytes, |bytes, _| bytes.saturating_mul(options.size_ratio))
}

/// Runs of a level merged with what they overlap in the level below.
fn merge_down(inputs: &[&RunFacts<'_>], level: usize, shape: &Shape<'_>) -> Task {
    let smallest = inputs.iter().map(|run| run.smallest).min().unwrap_or_default();
    let largest = inputs.iter().map(|run| run.largest).max().unwrap_or_default();
    let below = shape.get(level + 1).map_or(&[][..], Vec::as_slice);
    let overlapping = below.iter().filter(|run| run.overlaps(smallest, largest));
    let mut numbers: Vec<u64> = inputs.iter().map(|run| run.number).collect();
    let own = numbers.len();
    numbers.extend(overlapping.map(|run| run.number));
    let is_move = own == 1 && numbers.len() == 1;
    Task { reason: Reason::Policy, inputs: numbers, output_level: level + 1, is_move }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;

    fn run(number: u64, bytes: u64, keys: &'static str) -> RunFacts<'static> {
        let (smallest, largest) = keys.as_bytes().split_at(1);
        RunFacts { number, bytes, deletes: 0, garbage_bytes: 0, smallest, largest, is_merged: false }
    }

    fn options() -> LeveledOptions {
        LeveledOptions { level0_runs: 2, level1_bytes: 100, size_ratio: 10, ..LeveledOptions::default() }
    }

    fn picked(shape: &[Vec<RunFacts<'static>>]) -> Option<(Vec<u64>, usize, bool)> {
        pick(&options(), shape).map(|task| (task.inputs, task.output_level, task.is_move))
    }

    #[test]
    fn one_task_at_a_time() {
        let mut shape = [vec![run(1, 10, "az"), run(2, 10, "az")], vec![run(3, 10, "az")]];
        assert!(picked(&shape).is_some());
        shape[1][0].is_merged = true;
        assert_eq!(picked(&shape), None);
    }

    #[test]
    fn flushed_runs_are_merged_with_what_they_overlap() {
        assert_eq!(picked(&[vec![run(1, 10, "af")]]), None);
        let level0 = vec![run(2, 10, "cf"), run(1, 10, "bd")];
        let level1 = vec![run(5, 10, "ab"), run(6, 10, "fg"), run(7, 10, "hz")];
        assert_eq!(picked(&[level0, level1]), Some((vec![2, 1, 5, 6], 1, false)));
    }

    #[test]
    fn a_full_level_gives_its_cheapest_run_to_the_next() {
        let level1 = vec![run(1, 60, "ac"), run(2, 60, "df")];
        let level2 = vec![run(3, 90, "ab"), run(4, 20, "ef")];
        assert_eq!(picked(&[vec![], level1.clone(), level2]), Some((vec![2, 4], 2, false)));
        assert_eq!(picked(&[vec![], level1, vec![run(3, 90, "ab")]]), Some((vec![2], 2, true)));
        assert_eq!(picked(&[vec![], vec![run(1, 100, "az")]]), None);
        assert_eq!(level_bytes(&options(), 3), 10_000);
    }
}
