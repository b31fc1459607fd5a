//! What a drain merges before the policy's tasks: runs that have deletes, with every older run that overlaps them.
//! Nothing older may have one of their keys then, so the merge drops the deletes and what they hide.

use super::shape::{Reason, RunFacts, Shape, Task};

/// The newest run with deletes and the older runs that it overlaps, those that these overlap, and so on.
pub(super) fn pick(shape: &Shape<'_>) -> Option<Task> {
    // From the newest on; the runs of a level below level 0 have no key in common, so any order is right for them.
    let runs: Vec<(usize, &RunFacts<'_>)> =
        shape.iter().enumerate().flat_map(|(level, runs)| runs.iter().map(move |run| (level, run))).collect();
    let first = runs.iter().position(|(_, run)| run.deletes > 0)?;
    let (first_level, run) = runs[first];
    let mut chosen = vec![first];
    let (mut smallest, mut largest) = (run.smallest, run.largest);
    loop {
        let is_older = |level: usize| first_level == 0 || level > first_level;
        let found = (first + 1..runs.len()).find(|place| {
            let (level, run) = runs[*place];
            is_older(level) && !chosen.contains(place) && run.overlaps(smallest, largest)
        });
        let Some(found) = found else { break };
        let run = runs[found].1;
        (smallest, largest) = (smallest.min(run.smallest), largest.max(run.largest));
        chosen.push(found);
    }
    chosen.sort_unstable();
    if chosen.iter().any(|place| runs[*place].1.is_merged) {
        return None;
    }
    let output_level = chosen.last().map_or(0, |last| runs[*last].0);
    let inputs = chosen.into_iter().map(|place| runs[place].1.number).collect();
    Some(Task { reason: Reason::Deletes, inputs, output_level, is_move: false })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;

    fn run(number: u64, keys: &'static str, deletes: u64) -> RunFacts<'static> {
        let (smallest, largest) = keys.as_bytes().split_at(1);
        RunFacts { number, bytes: 10, deletes, garbage_bytes: 0, smallest, largest, is_merged: false }
    }

    fn picked(shape: &[Vec<RunFacts<'static>>]) -> Option<(Vec<u64>, usize)> {
        pick(shape).map(|task| (task.inputs, task.output_level))
    }

    #[test]
    fn deletes_are_merged_with_all_that_they_may_hide() {
        assert_eq!(picked(&[vec![run(2, "az", 0), run(1, "az", 0)]]), None);
        assert_eq!(picked(&[vec![run(3, "az", 0), run(2, "az", 1), run(1, "az", 0)]]), Some((vec![2, 1], 0)));
        assert_eq!(picked(&[vec![run(1, "az", 5)]]), Some((vec![1], 0)), "nothing is older");
        // The oldest overlaps what the delete overlaps.
        let level0 = vec![run(4, "ac", 1), run(3, "xz", 0), run(2, "bf", 0), run(1, "eg", 0)];
        assert_eq!(picked(&[level0]), Some((vec![4, 2, 1], 0)));
    }

    #[test]
    fn the_result_goes_to_the_lowest_level_that_it_is_from() {
        let level1 = vec![run(2, "ac", 0), run(3, "dz", 1)];
        let level2 = vec![run(4, "ab", 0), run(5, "ce", 0)];
        assert_eq!(picked(&[vec![], level1.clone(), level2.clone()]), Some((vec![3, 5], 2)));
        assert_eq!(picked(&[vec![run(6, "aa", 1)], level1, level2]), Some((vec![6, 2, 3, 4, 5], 2)));
        assert_eq!(picked(&[vec![], vec![run(1, "ac", 1), run(2, "dz", 0)]]), Some((vec![1], 1)));
    }

    #[test]
    fn what_a_task_has_is_waited_for() {
        let mut level0 = vec![run(2, "az", 1), run(1, "az", 0)];
        level0[1].is_merged = true;
        assert_eq!(picked(&[level0]), None);
    }
}
