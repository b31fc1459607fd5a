//! Garbage in value files: which files are collected, and which runs are rewritten for that when nothing else is due.
//! Every merge writes the values of such files that it finds to a new file. A file goes when the last run that refers
//! to it was merged.

use super::shape::{Reason, RunFacts, Shape, Task};
use crate::values::ValueUses;

/// The value files of which more than this share is garbage.
pub(crate) fn collected(garbage_percent: u8, values: &ValueUses) -> ValueUses {
    let mut collected = ValueUses::default();
    for value_use in values.iter() {
        if has_too_much(garbage_percent, value_use.garbage_bytes(), value_use.file.bytes) {
            collected.add(&value_use.file, value_use.live_bytes);
        }
    }
    collected
}

fn has_too_much(garbage_percent: u8, garbage_bytes: u64, bytes: u64) -> bool {
    u128::from(garbage_bytes) * 100 > u128::from(bytes) * u128::from(garbage_percent)
}

/// The garbage of those of these files that a run refers to.
pub(super) fn garbage_bytes(of_run: &ValueUses, collected: &ValueUses) -> u64 {
    let found = of_run.iter().filter_map(|value_use| collected.get(value_use.file.number));
    found.fold(0, |sum, value_use| sum.saturating_add(value_use.garbage_bytes()))
}

/// The run whose value files have most garbage, by itself. It is written once more for that, so unless the store is
/// drained there must be as much garbage.
pub(super) fn pick(shape: &Shape<'_>, is_drain: bool) -> Option<Task> {
    let runs = shape.iter().enumerate().flat_map(|(level, runs)| runs.iter().map(move |run| (level, run)));
    let is_due = |run: &RunFacts<'_>| run.garbage_bytes >= if is_drain { 1 } else { run.bytes.max(1) };
    let free = runs.filter(|(_, run)| is_due(run) && !run.is_merged);
    let (level, RunFacts { number, .. }) = free.max_by_key(|(_, run)| run.garbage_bytes)?;
    Some(Task { reason: Reason::Garbage, inputs: vec![*number], output_level: level, is_move: false })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn run(number: u64, garbage_bytes: u64, is_merged: bool) -> RunFacts<'static> {
        RunFacts { number, bytes: 10, deletes: 0, garbage_bytes, smallest: b"a", largest: b"z", is_merged }
    }

    #[test]
    fn a_share_is_too_much_only_beyond_the_limit() {
        assert!(!has_too_much(50, 50, 100) && has_too_much(50, 51, 100));
        assert!(!has_too_much(0, 0, 100) && has_too_much(0, 1, u64::MAX));
        assert!(!has_too_much(100, u64::MAX, u64::MAX));
        assert!(!has_too_much(1, 0, 0));
    }

    proptest! {
        #[test]
        fn the_free_run_with_most_garbage_is_rewritten_where_it_is(
            levels in prop::collection::vec(prop::collection::vec((0_u64..20, any::<bool>()), 0..5), 1..4),
            is_drain: bool,
        ) {
            let mut number = 0;
            let mut shape: Vec<Vec<RunFacts<'static>>> = Vec::new();
            for level in levels {
                shape.push(level.into_iter().map(|(garbage_bytes, is_merged)| {
                    number += 1;
                    run(number, garbage_bytes, is_merged)
                }).collect());
            }
            let (mut rewritten, least) = (0, if is_drain { 1 } else { 10 });
            // What a task has rewritten refers to no such file any more, so there is an end.
            while let Some(task) = pick(&shape, is_drain) {
                prop_assert_eq!((task.reason, task.is_move, task.inputs.len()), (Reason::Garbage, false, 1));
                let most = shape.iter().flatten().filter(|run| !run.is_merged).map(|run| run.garbage_bytes).max();
                let found = shape[task.output_level].iter_mut().find(|run| run.number == task.inputs[0]).unwrap();
                prop_assert!(!found.is_merged && found.garbage_bytes >= least && Some(found.garbage_bytes) == most);
                found.garbage_bytes = 0;
                rewritten += 1;
                prop_assert!(rewritten <= number);
            }
            prop_assert!(shape.iter().flatten().all(|run| run.is_merged || run.garbage_bytes < least));
        }
    }
}
