//! The figures of one question from run to run, and the changes of their level.

use super::question::{Question, Relation};
use crate::estimate::{self, Estimate};
use serde::Serialize;
use stats::NoInterval;
use stats::change_point::{self, Changes};

/// The numbers of runs after a change for which the smallest step that they show is stated.
const SHOWN_AFTER: [usize; 3] = [4, 12, 48];

/// The figures of one question, in the order of the runs.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    pub question: Question,
    pub points: Vec<Point>,
    /// Runs whose figure is not used, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<Withheld>,
    /// Whether the latest run asks it too.
    pub is_current: bool,
    /// In the order of runs.
    pub changes: Vec<Change>,
    /// The levels between changes; empty if there are too few runs to look for changes.
    pub levels: Vec<Level>,
    /// Standard deviation of the logarithm from run to run; `None` if there are too few.
    pub deviation: Option<f64>,
    /// The smallest changes that some numbers of runs after them show with a probability of 90 %.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub smallest: Vec<Smallest>,
    /// Why no changes were looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
    #[serde(skip)]
    found: Option<Changes>,
}

/// A run's figure.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// The run's place in the history.
    pub run: usize,
    /// With its 95 % interval over rounds: it is about the hour of that run.
    pub figure: Estimate,
}

/// A figure that is not used.
#[derive(Clone, Debug, Serialize)]
pub struct Withheld {
    /// The run's place in the history.
    pub run: usize,
    pub why: String,
}

/// A change of level.
#[derive(Clone, Debug, Serialize)]
pub struct Change {
    /// The run before it.
    pub last_before: usize,
    /// The first run after it.
    pub run: usize,
    /// Runs after it that have the figure, up to the next change.
    pub runs_after: usize,
    /// Level after it ÷ level before it, with a descriptive 95 % interval.
    pub ratio: Estimate,
    /// Whether it is an improvement; `None` if the metric has no better direction.
    pub better: Option<bool>,
    /// Adjusted for all places of the series.
    pub p: f64,
}

/// Runs between two changes.
#[derive(Clone, Debug, Serialize)]
pub struct Level {
    /// The first run.
    pub first: usize,
    /// The last run.
    pub last: usize,
    /// Geometric mean with its 95 % interval.
    pub mean: Estimate,
}

/// A step that is just found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Smallest {
    /// Runs after the change.
    pub runs: usize,
    /// The fall or the rise, as a ratio above 1; `None` if so few show none.
    pub ratio: Option<f64>,
}

impl Series {
    pub(super) fn new(
        question: Question,
        points: Vec<Point>,
        withheld: Vec<Withheld>,
        is_current: bool,
    ) -> Self {
        let mut series = Self {
            question,
            points,
            withheld,
            is_current,
            changes: Vec::new(),
            levels: Vec::new(),
            deviation: None,
            smallest: Vec::new(),
            why_not: None,
            found: None,
        };
        match change_point::changes(&series.logs()) {
            Ok(found) => series.add(found),
            Err(why) => series.why_not = Some(why_not(&why)),
        }
        series
    }

    /// Whether its truth is 1.
    pub fn is_control(&self) -> bool {
        self.question.relation == Relation::Control
    }

    /// The last level ÷ the first, at this level of confidence; without a change the second half ÷ the first.
    pub(super) fn now_against_first(&self, level: f64) -> Option<Estimate> {
        let found = self.found.as_ref()?;
        let ratio = found.now_against_first(level).ok()?;
        Some(estimate::of_interval(&ratio))
    }

    fn logs(&self) -> Vec<f64> {
        self.points.iter().filter_map(|point| point.figure.point).map(f64::ln).collect()
    }

    fn add(&mut self, found: Changes) {
        let run = |place: usize| self.points.get(place).map_or(0, |point| point.run);
        let changes = found.changes.iter().zip(&found.levels[1..]).map(|(change, after)| Change {
            last_before: run(change.at.saturating_sub(1)),
            run: run(change.at),
            runs_after: after.end - after.first,
            ratio: estimate::of_interval(&change.ratio),
            better: self.question.is_better(change.ratio.estimate),
            p: change.p,
        });
        let levels = found.levels.iter().map(|level| Level {
            first: run(level.first),
            last: run(level.end.saturating_sub(1)),
            mean: estimate::of_interval(&level.mean),
        });
        let (changes, levels) = (changes.collect(), levels.collect());
        let smallest = |runs| Smallest { runs, ratio: found.smallest(runs).map(f64::exp) };
        self.smallest = SHOWN_AFTER.map(smallest).to_vec();
        (self.changes, self.levels) = (changes, levels);
        self.deviation = Some(found.deviation());
        self.found = Some(found);
    }
}

/// Why no changes were looked for: a clause.
fn why_not(why: &NoInterval) -> String {
    match why {
        NoInterval::TooFew { n, needed } => {
            format!("{n} of the {needed} runs that this needs have the figure")
        }
        other => other.to_string(),
    }
}
