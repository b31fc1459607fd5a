//! What limits a finding.

use crate::estimate::Estimate;
use model::Value;
use model::durability::DurabilityClass;
use serde::Serialize;

/// What limits a finding. Texts are those of an audit, which are shown whole, and of records.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Remark {
    /// An audit that it rests on failed.
    AuditFailed {
        /// The audit's name.
        audit: String,
        /// What it found.
        summary: String,
    },
    /// An audit that it requires could not be carried out.
    NotProven {
        /// The audit's name.
        audit: String,
        /// What it says of that, where it says anything.
        summary: Option<String>,
    },
    /// What an audit says of just this comparison.
    Audit(String),
    /// The two sides promise different things: the difference is the price of a promise.
    Durability {
        /// Classes of the level's trials.
        level: Vec<DurabilityClass>,
        /// Classes of the baseline's trials.
        baseline: Vec<DurabilityClass>,
    },
    /// Other factors stayed at one level.
    HeldAt {
        /// Their levels: `filesystem=host mode=buffered`.
        levels: String,
        /// Whether those are the study's baseline, and not named by the ask.
        is_baseline: bool,
    },
    /// Files were not made anew each round, so one placement on the device is all that was seen.
    OnePlacement,
    /// A cell has too few complete rounds.
    CellLeftOut {
        /// The cell.
        cell: String,
        /// Its complete rounds.
        rounds: usize,
        /// Those of the best cell.
        of_rounds: usize,
    },
    /// In some rounds a trial is missing.
    RoundsLeftOut {
        /// So many.
        rounds: usize,
        /// Of so many.
        of_rounds: usize,
    },
    /// Levels that are no place on the axis.
    LevelsLeftOut(Vec<Value>),
    /// How far two identical arms differ is unknown, so intervals alone decide.
    NoNoiseFloor {
        /// Why.
        why: String,
    },
    /// The A/A arm differs from the baseline: order or state leaks between trials.
    BaselineDiffersFromItself(Estimate),
    /// The effect is not the same in every cell.
    Interaction {
        /// p-value that it is.
        p: f64,
        /// The cell farthest from the mean over cells, and how far, as a ratio of at least 1.
        farthest: CellRatio,
        /// The cells' range, where it would change what a reader does.
        range: Option<CellRange>,
    },
    /// The trend is not a straight line.
    Bend {
        /// The level farthest off it.
        level: Value,
        /// How far, as a ratio of at least 1.
        departure: f64,
        /// Whether it turns.
        is_turning: bool,
    },
    /// At these levels two arms differ by less than the noise floor, so that is undecided there.
    InsideNoise(Vec<Value>),
    /// Smaller levels that the noise floor hides: neither proven to be enough nor too little.
    MaybeEnough(Vec<Value>),
    /// The noise floor is wider than what counts as near the best.
    NoiseBeyondTolerance {
        /// What counts as near.
        tolerance: f64,
    },
    /// Enough on average over the cells, and less in these, each as a ratio to its best level.
    LessInCells(Vec<CellRatio>),
    /// The best level is the last of the range: it may go on improving beyond.
    BestIsLast,
    /// Levels between the answer and the end of the range are not proven to keep the limit.
    Gaps,
    /// Levels closer to the limit than two identical arms to each other.
    NearLimit(Vec<Value>),
    /// Levels whose ratio lies inside the noise floor share a number, significant or not.
    TiedByNoise,
}

/// A cell with a ratio.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellRatio {
    /// The other factors' levels: `group_size=4`.
    pub cell: String,
    /// The ratio.
    pub ratio: f64,
}

/// The cells with the least and the largest ratio.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellRange {
    /// The least.
    pub least: CellRatio,
    /// The largest.
    pub most: CellRatio,
}
