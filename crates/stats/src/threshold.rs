//! The smallest or largest level at which a response is proven to keep a limit.

use crate::blocks;
use crate::interval::{Interval, NoInterval, mean_interval};

/// What a response must keep, in its own unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// The upper bound of its mean must not exceed this (a latency objective).
    AtMost(f64),
    /// The lower bound of its mean must not fall below this (a required throughput).
    AtLeast(f64),
}

/// Which of the levels that keep the limit is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extreme {
    /// The smallest level.
    Smallest,
    /// The largest level.
    Largest,
}

/// The outcome of the search.
#[derive(Debug, Clone, PartialEq)]
pub struct Threshold {
    /// Column of the level, `None` when no level is proven to keep the limit.
    pub column: Option<usize>,
    /// Verdict on each level.
    pub verdicts: Vec<Verdict>,
    /// Mean interval of each level, in the response's unit.
    pub intervals: Vec<Interval>,
    /// Some level between the answer and the end of the range on its side (below the largest, above the smallest) is not
    /// proven to keep the limit: the answer is then a level that works, not a border.
    pub gaps: bool,
}

/// One level against the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The whole interval keeps the limit.
    Keeps,
    /// The whole interval breaks it.
    Breaks,
    /// The limit lies inside the interval.
    Undecided,
}

/// Searches `rounds[round][column]`, columns in increasing order of the factor. Each level is judged by its own mean
/// interval at `level`; for a statement about all levels together pass [`crate::family::simultaneous_level`].
///
/// # Errors
/// [`NoInterval`] for fewer than six rounds, no columns, incomplete rounds, values or a limit that are not finite.
pub fn threshold(
    rounds: &[Vec<f64>],
    limit: Limit,
    extreme: Extreme,
    level: f64,
) -> Result<Threshold, NoInterval> {
    let (Limit::AtMost(bound) | Limit::AtLeast(bound)) = limit;
    if !bound.is_finite() {
        return Err(NoInterval::NotFinite);
    }
    let columns = blocks::check(rounds, 1)?;
    let intervals = (0..columns)
        .map(|column| mean_interval(&blocks::column(rounds, column), level))
        .collect::<Result<Vec<_>, _>>()?;
    let verdicts: Vec<Verdict> = intervals.iter().map(|interval| judge(interval, limit)).collect();
    let keeps = |verdict: &Verdict| *verdict == Verdict::Keeps;
    let column = match extreme {
        Extreme::Smallest => verdicts.iter().position(keeps),
        Extreme::Largest => verdicts.iter().rposition(keeps),
    };
    let gaps = column.is_some_and(|column| {
        let side = match extreme {
            Extreme::Smallest => &verdicts[column..],
            Extreme::Largest => &verdicts[..column],
        };
        !side.iter().all(keeps)
    });
    Ok(Threshold { column, verdicts, intervals, gaps })
}

fn judge(interval: &Interval, limit: Limit) -> Verdict {
    let (keeps, breaks) = match limit {
        Limit::AtMost(bound) => (interval.high <= bound, interval.low > bound),
        Limit::AtLeast(bound) => (interval.low >= bound, interval.high < bound),
    };
    if keeps {
        Verdict::Keeps
    } else if breaks {
        Verdict::Breaks
    } else {
        Verdict::Undecided
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rounds(curve: &[f64]) -> Vec<Vec<f64>> {
        [-0.2, -0.1, 0.0, 0.0, 0.1, 0.2]
            .iter()
            .map(|noise| curve.iter().map(|value| value + noise).collect())
            .collect()
    }

    #[test]
    fn the_largest_depth_within_a_latency_limit() {
        let found =
            threshold(&rounds(&[1.0, 2.0, 3.9, 4.0, 8.0]), Limit::AtMost(4.0), Extreme::Largest, 0.95)
                .unwrap();
        assert_eq!(found.column, Some(1));
        let expected =
            [Verdict::Keeps, Verdict::Keeps, Verdict::Undecided, Verdict::Undecided, Verdict::Breaks];
        assert_eq!((found.verdicts.as_slice(), found.gaps), (expected.as_slice(), false));
    }

    #[test]
    fn the_smallest_level_with_a_required_throughput_and_a_gap_above_it() {
        let found =
            threshold(&rounds(&[1.0, 5.0, 2.0, 6.0]), Limit::AtLeast(4.0), Extreme::Smallest, 0.95).unwrap();
        assert_eq!((found.column, found.gaps), (Some(1), true));
    }

    #[test]
    fn no_level_is_none() {
        let found = threshold(&rounds(&[5.0, 6.0]), Limit::AtMost(1.0), Extreme::Largest, 0.95).unwrap();
        assert_eq!((found.column, found.gaps), (None, false));
        assert!(threshold(&rounds(&[5.0]), Limit::AtMost(f64::NAN), Extreme::Largest, 0.95).is_err());
    }

    proptest! {
        #[test]
        fn never_panics(values in proptest::collection::vec(any::<f64>(), 0..40), limit in any::<f64>()) {
            let table: Vec<Vec<f64>> = values.chunks(4).map(<[f64]>::to_vec).collect();
            let _ = threshold(&table, Limit::AtLeast(limit), Extreme::Smallest, 0.95);
        }
    }
}
