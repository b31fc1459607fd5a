//! The limits of a finding.

use super::NoFloor;
use crate::estimate::Estimate;
use model::Value;
use model::durability::DurabilityClass;
use serde::Serialize;

/// A limit of a finding. Its texts come from an audit, whose text is printed whole, or from records.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Remark {
    /// An audit that it rests on failed.
    AuditFailed {
        /// The audit's name.
        audit: String,
        /// Its summary.
        summary: String,
    },
    /// A required audit could not be carried out.
    NotProven {
        /// The audit's name.
        audit: String,
        /// Its summary, if it has one.
        summary: Option<String>,
    },
    /// An audit's caveat about this comparison.
    Audit(String),
    /// The two sides differ in durability: the difference is the price of the stronger class.
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
        /// Whether these are the study's baseline, and not named by the ask.
        is_baseline: bool,
    },
    /// Files were not made again each round, so the study has seen only one placement on the device.
    OnePlacement,
    /// A cell has too few complete rounds.
    CellLeftOut {
        /// The cell.
        cell: String,
        /// Its complete rounds.
        rounds: usize,
        /// Complete rounds of the best cell.
        of_rounds: usize,
    },
    /// In some rounds a trial is missing.
    RoundsLeftOut {
        /// Number of those rounds.
        rounds: usize,
        /// Number of all rounds.
        of_rounds: usize,
    },
    /// Levels that have no place on the axis.
    LevelsLeftOut(Vec<Value>),
    /// It is unknown how far two identical arms differ, so intervals alone decide.
    NoNoiseFloor {
        /// The reason.
        why: NoFloor,
    },
    /// The A/A arm differs from the baseline: order or state leaks between trials.
    BaselineDiffersFromItself(Estimate),
    /// Neighbouring rounds resemble each other more than chance explains, so intervals are notably wider than those of
    /// independent rounds.
    DependentRounds {
        /// The correlation of neighbouring rounds that intervals allow for.
        correlation: f64,
        /// Factor of their width on the logarithmic scale.
        widened_by: f64,
    },
    /// The effect is not the same in every cell.
    Interaction {
        /// p-value of the interaction.
        p: f64,
        /// The cell farthest from the mean over cells, and how far, as a ratio of at least 1.
        farthest: CellRatio,
        /// The cells' range, if it would change what a reader does.
        range: Option<CellRange>,
    },
    /// The trend is not a straight line.
    Bend {
        /// The level farthest off it.
        level: Value,
        /// How far, as a ratio of at least 1.
        departure: f64,
        /// Whether the trend turns.
        is_turning: bool,
    },
    /// At these levels two arms differ by less than the noise floor, so the answer there is undecided.
    InsideNoise(Vec<Value>),
    /// Smaller levels that the noise floor hides: proven neither to be enough nor to be too little.
    MaybeEnough(Vec<Value>),
    /// The noise floor is wider than the tolerance for "near the best".
    NoiseBeyondTolerance {
        /// The tolerance.
        tolerance: f64,
    },
    /// Enough on average over the cells, but less in these, each as a ratio to its best level.
    LessInCells(Vec<CellRatio>),
    /// The best level is the last of the range: higher ones may be better still.
    BestIsLast,
    /// Levels between the answer and the end of the range are not proven to keep the limit.
    Gaps,
    /// Levels that are closer to the limit than two identical arms are to each other.
    NearLimit(Vec<Value>),
    /// Levels whose ratio lies inside the noise floor share a number, even if they differ significantly.
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
