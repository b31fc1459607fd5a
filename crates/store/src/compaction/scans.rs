//! What scans have merged: all runs of a partition, once scans have read in vain as often as pays for the merge. To
//! merge sooner could cost more than it saves, and to merge later has cost more: whatever is scanned afterwards, reads
//! in vain and merge cost at most twice what the better of the two choices would have ("ski rental").

use super::shape::{Reason, RunFacts, Shape, Task};

/// Bytes of runs whose merge a read in vain pays for. Such a read is of one or two pages, and a merge reads and writes
/// many at once. LevelDB lets a seek pay for as much (`allowed_seeks` in `db/version_set.cc`).
const BYTES_FOR_READ: u64 = 16 << 10;

/// The reads in vain that pay for a merge of this number of bytes.
pub(crate) fn reads_for(bytes: u64) -> u64 {
    bytes.div_ceil(BYTES_FOR_READ)
}

/// All runs of a partition but those that a task has and the newer ones, if they are more than one sorted run.
pub(super) fn pick(shape: &Shape<'_>) -> Option<Task> {
    let (newest, below) = shape.split_first()?;
    if below.iter().flatten().any(|run| run.is_merged) {
        return None;
    }
    let older = newest.iter().rposition(|run| run.is_merged).map_or(0, |merged| merged + 1);
    let free = &newest[older..];
    let sorted_runs = free.len() + below.iter().filter(|level| !level.is_empty()).count();
    if sorted_runs < 2 {
        return None;
    }
    let inputs = free.iter().chain(below.iter().flatten()).map(|run: &RunFacts<'_>| run.number).collect();
    let output_level = shape.iter().rposition(|level| !level.is_empty()).unwrap_or(0);
    Some(Task { reason: Reason::Scans, inputs, output_level, is_move: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(numbers: &[u64], merged: &[u64]) -> Vec<RunFacts<'static>> {
        let facts = |number: &u64| RunFacts {
            number: *number,
            bytes: 10,
            deletes: 0,
            garbage_bytes: 0,
            smallest: b"a",
            largest: b"z",
            is_merged: merged.contains(number),
        };
        numbers.iter().map(facts).collect()
    }

    fn picked(levels: &[&[u64]], merged: &[u64]) -> Option<(Vec<u64>, usize)> {
        let shape: Vec<Vec<RunFacts<'_>>> = levels.iter().map(|level| runs(level, merged)).collect();
        pick(&shape).map(|task| (task.inputs, task.output_level))
    }

    #[test]
    fn all_runs_become_one() {
        assert_eq!(picked(&[&[]], &[]), None);
        assert_eq!(picked(&[&[1]], &[]), None);
        assert_eq!(picked(&[&[], &[1, 2, 3]], &[]), None, "the runs of a level are one sorted run");
        assert_eq!(picked(&[&[3, 2, 1]], &[]), Some((vec![3, 2, 1], 0)));
        assert_eq!(picked(&[&[3], &[], &[1, 2]], &[]), Some((vec![3, 1, 2], 2)));
    }

    #[test]
    fn what_a_task_has_and_what_is_newer_stays() {
        assert_eq!(picked(&[&[5, 4, 3, 2, 1]], &[4, 3]), Some((vec![2, 1], 0)));
        assert_eq!(picked(&[&[5, 4, 3, 2, 1]], &[3, 2]), None, "one older run");
        assert_eq!(picked(&[&[5, 4], &[1, 2]], &[2]), None);
    }
}
