//! The smallest or largest level at which a response is proven to keep a limit.
//!
//! If every trial gave the same value, there is no scatter to prove a mean from: the outcome of a trial is then yes or
//! no, and what is known about it is a share of trials ([`crate::proportion`]).

use crate::blocks;
use crate::family::simultaneous_level;
use crate::interval::{Interval, NoInterval, mean_interval};
use crate::rounds::{fewest, would_reach};
use crate::sample;

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
    /// Mean interval of each level, in the response's unit; for several cells that of the one closest to breaking the
    /// limit, or farthest beyond it.
    pub intervals: Vec<Interval>,
    /// Some level between the answer and the end of the range on its side (below the largest, above the smallest) is
    /// not proven to keep the limit: the answer is then a level that works, not a border.
    pub gaps: bool,
    /// Rounds in all that would find a level or prove that there is none, if it is undecided and the number is known.
    pub rounds_needed: Option<usize>,
}

/// One level against the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The whole interval keeps the limit.
    Keeps,
    /// Every trial kept it, all with the same value: how many could break it is reported by
    /// [`crate::Count::share_at_most`].
    KeptByAll,
    /// The whole interval breaks it.
    Breaks,
    /// Every trial broke it, all with the same value.
    BrokenByAll,
    /// The limit lies inside the interval.
    Undecided,
}

impl Verdict {
    /// Whether the level keeps the limit, by its interval or in every trial.
    pub fn keeps(self) -> bool {
        match self {
            Self::Keeps | Self::KeptByAll => true,
            Self::Breaks | Self::BrokenByAll | Self::Undecided => false,
        }
    }

    /// Whether it breaks it, by its interval or in every trial.
    pub fn breaks(self) -> bool {
        match self {
            Self::Breaks | Self::BrokenByAll => true,
            Self::Keeps | Self::KeptByAll | Self::Undecided => false,
        }
    }
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
    in_every_cell(&[rounds], limit, extreme, level)
}

/// The same over `cells[cell][round][column]`: a level keeps the limit if every cell is proven to, and breaks it if
/// any is. A mean over cells would keep a limit that some of them break.
///
/// "Every cell keeps" needs no correction, as it claims them all at once; "some cell breaks" has a chance at each, so
/// its intervals hold for all cells together (Bonferroni).
///
/// # Errors
/// As [`threshold`]; also for no cell, or cells of different width.
pub fn in_every_cell(
    cells: &[&[Vec<f64>]],
    limit: Limit,
    extreme: Extreme,
    level: f64,
) -> Result<Threshold, NoInterval> {
    let (Limit::AtMost(bound) | Limit::AtLeast(bound)) = limit;
    if !bound.is_finite() {
        return Err(NoInterval::NotFinite);
    }
    let columns = cells.first().map_or(Ok(0), |rounds| blocks::check(rounds, 1))?;
    if columns == 0 {
        return Err(NoInterval::TooFewColumns { n: 0, needed: 1 });
    }
    for rounds in cells {
        if blocks::check(rounds, 1)? != columns {
            return Err(NoInterval::Ragged);
        }
    }
    let strict = simultaneous_level(level, cells.len());
    let judged = (0..columns)
        .map(|column| {
            let of_cell =
                |rounds: &&[Vec<f64>]| Room::estimate(&blocks::column(rounds, column), limit, level, strict);
            cells.iter().map(of_cell).collect::<Result<Vec<Room>, NoInterval>>()
        })
        .collect::<Result<Vec<Vec<Room>>, NoInterval>>()?;
    let verdicts: Vec<Verdict> = judged.iter().map(|cells| of_cells(cells)).collect();
    let least = |cells: &Vec<Room>| {
        cells
            .iter()
            .min_by(|a, b| a.mean.total_cmp(&b.mean))
            .map(|cell| cell.interval)
            .ok_or(NoInterval::NotFinite)
    };
    let intervals = judged.iter().map(least).collect::<Result<Vec<_>, _>>()?;
    let keeps = |verdict: &Verdict| verdict.keeps();
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
    let is_open = column.is_none() && verdicts.iter().any(|verdict| !verdict.breaks());
    let rounds = cells.iter().map(|rounds| rounds.len()).min().unwrap_or(0);
    let rounds_needed = if is_open { rounds_needed(rounds, &judged, level, strict) } else { None };
    Ok(Threshold { column, verdicts, intervals, gaps, rounds_needed })
}

/// One cell at one level: how far its mean is on the right side of the limit.
struct Room {
    /// Below zero on the wrong side.
    mean: f64,
    deviation: f64,
    verdict: Verdict,
    interval: Interval,
}

impl Room {
    fn estimate(values: &[f64], limit: Limit, level: f64, strict: f64) -> Result<Self, NoInterval> {
        let interval = mean_interval(values, level)?;
        let deviation = sample::standard_deviation(values).ok_or(NoInterval::NotFinite)?;
        let (pointwise, together) = (judge(&interval, limit), judge(&mean_interval(values, strict)?, limit));
        let verdict = if pointwise.keeps() || together.breaks() {
            // What keeps the limit by itself keeps it; what breaks it has to by the stricter interval.
            if pointwise.keeps() { pointwise } else { together }
        } else {
            Verdict::Undecided
        };
        let mean = match limit {
            Limit::AtMost(bound) => bound - interval.estimate,
            Limit::AtLeast(bound) => interval.estimate - bound,
        };
        Ok(Self { mean, deviation, verdict, interval })
    }
}

fn of_cells(cells: &[Room]) -> Verdict {
    let any = |wanted: Verdict| cells.iter().any(|cell| cell.verdict == wanted);
    if cells.iter().all(|cell| cell.verdict.keeps()) {
        if any(Verdict::KeptByAll) { Verdict::KeptByAll } else { Verdict::Keeps }
    } else if any(Verdict::Breaks) {
        Verdict::Breaks
    } else if any(Verdict::BrokenByAll) {
        Verdict::BrokenByAll
    } else {
        Verdict::Undecided
    }
}

fn rounds_needed(have: usize, judged: &[Vec<Room>], level: f64, strict: f64) -> Option<usize> {
    let keeps = |cell: &Room, n| would_reach(cell.mean, cell.deviation, level, n);
    let breaks = |cell: &Room, n| would_reach(-cell.mean, cell.deviation, strict, n);
    fewest(have, |n| {
        judged.iter().any(|cells| cells.iter().all(|cell| keeps(cell, n)))
            || judged.iter().all(|cells| cells.iter().any(|cell| breaks(cell, n)))
    })
}

fn judge(interval: &Interval, limit: Limit) -> Verdict {
    let (keeps, breaks) = match limit {
        Limit::AtMost(bound) => (interval.high <= bound, interval.low > bound),
        Limit::AtLeast(bound) => (interval.low >= bound, interval.high < bound),
    };
    let has_width = interval.high > interval.low;
    if keeps {
        if has_width { Verdict::Keeps } else { Verdict::KeptByAll }
    } else if breaks {
        if has_width { Verdict::Breaks } else { Verdict::BrokenByAll }
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

    /// Six trials of a share of exactly 1 were "proven … at least 100 % (99.85 % level)".
    #[test]
    fn equal_values_are_counted_and_not_proven() {
        let rounds = vec![vec![0.02, 0.98, 1.0, 1.0]; 6];
        let found = threshold(&rounds, Limit::AtLeast(1.0), Extreme::Smallest, 0.9985).unwrap();
        assert_eq!((found.column, found.gaps), (Some(2), false));
        let expected = [Verdict::BrokenByAll, Verdict::BrokenByAll, Verdict::KeptByAll, Verdict::KeptByAll];
        assert_eq!(found.verdicts, expected);
        // One trial of six that broke it leaves a scatter, and nothing proven.
        let mut mixed = rounds.clone();
        mixed[3][2] = 0.5;
        let found = threshold(&mixed, Limit::AtLeast(1.0), Extreme::Smallest, 0.9985).unwrap();
        assert_eq!((found.column, found.verdicts[2]), (Some(3), Verdict::Undecided));
    }

    #[test]
    fn no_level_is_none() {
        let found = threshold(&rounds(&[5.0, 6.0]), Limit::AtMost(1.0), Extreme::Largest, 0.95).unwrap();
        assert_eq!((found.column, found.gaps, found.rounds_needed), (None, false, None));
        assert!(threshold(&rounds(&[5.0]), Limit::AtMost(f64::NAN), Extreme::Largest, 0.95).is_err());
    }

    #[test]
    fn an_open_limit_says_what_would_close_it() {
        let open =
            |limit| threshold(&rounds(&[3.95, 5.0]), Limit::AtMost(limit), Extreme::Largest, 0.95).unwrap();
        // 0.05 of room at a deviation of 0.14: about (2.8 · 0.14 ÷ 0.05)².
        let keeps = open(4.0).rounds_needed.unwrap();
        assert!((60..80).contains(&keeps), "{keeps}");
        let breaks = open(3.9).rounds_needed.unwrap();
        assert!((60..80).contains(&breaks), "{breaks}");
        assert_eq!(open(3.95).rounds_needed, None);
        assert_eq!(open(4.2).rounds_needed, None);
    }

    #[test]
    fn a_limit_that_one_cell_breaks_is_broken() {
        let (good, bad) = (rounds(&[1.0, 2.0, 3.0]), rounds(&[1.5, 6.0, 9.0]));
        let found = in_every_cell(&[&good, &bad], Limit::AtMost(4.0), Extreme::Largest, 0.95).unwrap();
        // Their geometric means are 1.2, 3.5 and 5.2: two levels would have kept it.
        assert_eq!(found.column, Some(0));
        assert_eq!(found.verdicts, [Verdict::Keeps, Verdict::Breaks, Verdict::Breaks]);
        assert!(found.intervals[1].contains(6.0));
        assert!(in_every_cell(&[], Limit::AtMost(4.0), Extreme::Largest, 0.95).is_err());
        let narrow = rounds(&[1.0]);
        assert!(in_every_cell(&[&good, &narrow], Limit::AtMost(4.0), Extreme::Largest, 0.95).is_err());
    }

    proptest! {
        #[test]
        fn never_panics(values in proptest::collection::vec(any::<f64>(), 0..40), limit in any::<f64>()) {
            let table: Vec<Vec<f64>> = values.chunks(4).map(<[f64]>::to_vec).collect();
            let _ = threshold(&table, Limit::AtLeast(limit), Extreme::Smallest, 0.95);
        }
    }
}
