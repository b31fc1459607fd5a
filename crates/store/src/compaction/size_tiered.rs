//! Size-tiered: runs of similar size that are next to each other in age are merged into one. Each byte is rewritten
//! about once for each factor of `runs_merged` that the data are larger than a memtable. Small runs are merged while a
//! task merges large ones: in one ordered tree they would be too many otherwise.

use super::shape::{Reason, RunFacts, Shape, Task};
use crate::options::SizeTieredOptions;

pub(super) fn pick(options: &SizeTieredOptions, shape: &Shape<'_>) -> Option<Task> {
    // Runs of other levels are there if the store was leveled before: they are one more, older, run.
    let mut runs: Vec<&RunFacts<'_>> = shape.first()?.iter().collect();
    let below: Vec<&RunFacts<'_>> = shape[1..].iter().flatten().collect();
    let count = runs.len() + usize::from(!below.is_empty());
    if count < options.runs_merged {
        return None;
    }
    let window = similar(options, &runs).or_else(|| {
        // No sizes are similar, but a reader has too many runs to look into: the cheapest merge.
        let free = runs.iter().filter(|run| !run.is_merged).count();
        let is_crowded = free >= options.runs_max.min(3 * options.runs_merged);
        let windows = is_crowded.then(|| runs.windows(options.runs_merged.min(runs.len())))?;
        let bytes = |window: &[&RunFacts<'_>]| window.iter().map(|run| run.bytes).sum::<u64>();
        let windows = windows.enumerate().filter(|(_, window)| window.iter().all(|run| !run.is_merged));
        let cheapest = windows.min_by_key(|(_, window)| bytes(window))?;
        Some((cheapest.0, cheapest.0 + cheapest.1.len()))
    });
    let (begin, end) = window?;
    let inputs = runs.drain(begin..end).map(|run| run.number).collect();
    Some(Task { reason: Reason::Policy, inputs, output_level: 0, is_move: false })
}

/// The newest runs of similar size that are next to each other, in no task, and enough: where they begin and end.
fn similar(options: &SizeTieredOptions, runs: &[&RunFacts<'_>]) -> Option<(usize, usize)> {
    for begin in 0..runs.len() {
        let (mut end, mut sum) = (begin, 0_u64);
        while end < runs.len() && !runs[end].is_merged {
            let bytes = runs[end].bytes as f64;
            let mean = if end == begin { bytes } else { sum as f64 / (end - begin) as f64 };
            if bytes > mean * options.size_ratio || bytes < mean / options.size_ratio {
                break;
            }
            sum += runs[end].bytes;
            end += 1;
        }
        if end - begin >= options.runs_merged {
            return Some((begin, end));
        }
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;

    fn runs(bytes: &[u64]) -> Vec<Vec<RunFacts<'static>>> {
        let facts = |(number, bytes): (usize, &u64)| RunFacts {
            number: number as u64,
            bytes: *bytes,
            deletes: 0,
            garbage_bytes: 0,
            smallest: b"a",
            largest: b"z",
            is_merged: false,
        };
        vec![bytes.iter().enumerate().map(facts).collect()]
    }

    fn picked(bytes: &[u64]) -> Option<Vec<u64>> {
        pick(&SizeTieredOptions::default(), &runs(bytes)).map(|task| {
            assert_eq!((task.output_level, task.is_move), (0, false));
            task.inputs
        })
    }

    #[test]
    fn runs_of_similar_size_are_merged() {
        assert_eq!(picked(&[]), None);
        assert_eq!(picked(&[10, 10, 10]), None);
        assert_eq!(picked(&[10, 11, 12, 9]), Some(vec![0, 1, 2, 3]));
        assert_eq!(picked(&[10, 10, 40, 41, 42, 43, 170]), Some(vec![2, 3, 4, 5]));
        assert_eq!(picked(&[10, 100, 10, 100, 10]), None, "not next to each other in age");
    }

    #[test]
    fn what_a_task_has_is_left_to_it() {
        let beside = |bytes: &[u64], merged: std::ops::Range<usize>| {
            let mut shape = runs(bytes);
            shape[0][merged].iter_mut().for_each(|run| run.is_merged = true);
            pick(&SizeTieredOptions::default(), &shape).map(|task| task.inputs)
        };
        assert_eq!(beside(&[10, 10, 10, 10, 40, 41, 42, 43], 4..8), Some(vec![0, 1, 2, 3]));
        assert_eq!(beside(&[10, 10, 10, 10, 40, 41, 42, 43], 0..4), Some(vec![4, 5, 6, 7]));
        assert_eq!(beside(&[10, 10, 10, 11, 12, 13, 14, 15], 2..6), None, "two on each side");
        let unlike: Vec<u64> = (0..16).map(|power| 5_u64.pow(power)).rev().collect();
        assert_eq!(beside(&unlike, 12..16), Some(vec![8, 9, 10, 11]), "the cheapest of the others");
        assert_eq!(beside(&unlike, 11..16), None);
    }

    #[test]
    fn a_crowd_of_unlike_runs_is_thinned_where_it_is_cheapest() {
        let mut bytes: Vec<u64> = (0..12).map(|power| 5_u64.pow(power)).rev().collect();
        assert_eq!(picked(&bytes), Some(vec![8, 9, 10, 11]));
        bytes.pop();
        assert_eq!(picked(&bytes), None);
    }

    #[test]
    fn writers_that_wait_for_fewer_runs_always_get_them() {
        let mut seed = 1_u64;
        let options =
            SizeTieredOptions { runs_merged: 3, size_ratio: 1.0, runs_max: 5, merge_for_scans: false };
        let mut sizes: Vec<u64> = Vec::new();
        for _ in 0..500 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            sizes.insert(0, 1 + (seed >> 40));
            while sizes.len() >= options.runs_max {
                let task = pick(&options, &runs(&sizes)).unwrap();
                let (begin, end) = (task.inputs[0] as usize, task.inputs.len());
                let merged = sizes[begin..begin + end].iter().sum();
                sizes.splice(begin..begin + end, [merged]);
            }
        }
    }
}
