//! The outcome of an ask.

use super::Reason;
use super::answer::Answer;
use crate::estimate::Estimate;
use model::Value;
use serde::Serialize;

/// The outcome of an ask. The finding's ratio is not repeated here.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The two sides differ, beyond the noise floor.
    Different {
        /// Whether it is nevertheless proven to lie within the equivalence margin.
        is_small: bool,
        /// Whether a straight line describes it; always true for a comparison.
        is_steady: bool,
    },
    /// The two sides are equal within the equivalence margin.
    Equivalent,
    /// The data prove neither a difference nor equivalence, or do not show whether two arms change places.
    Undecided,
    /// Better in some cells and worse in others, so no effect holds for all.
    DependsOnCell(Opposing),
    /// Two arms change places along the factor.
    ChangePlaces {
        /// The place on the factor's axis.
        at: Estimate,
        /// The level's side at the lowest levels of the factor.
        starts: Side,
    },
    /// Two arms keep their order at every level.
    KeepPlaces { always: Side },
    /// Two arms change places more than once.
    ChangePlacesOften { changes: usize },
    /// A level is enough: every level from it on is proven to be near the best.
    Enough {
        /// The smallest such level.
        level: At,
        best: At,
    },
    /// Only the best level is enough.
    OnlyBest {
        best: At,
        /// Whether it is the smallest level too.
        is_smallest: bool,
    },
    /// It is undecided whether less than the best level is enough.
    EnoughUndecided { best: At },
    /// A level keeps the limit, and none beyond it does.
    Keeps {
        level: At,
        limit: Limit,
        /// How that is proven.
        proven: Proven,
    },
    /// Every level breaks the limit.
    NoneKeeps {
        limit: Limit,
        /// How that is proven.
        proven: Proven,
    },
    /// It is undecided whether any level keeps the limit.
    KeepsUndecided { limit: Limit },
    /// The levels in order, best first; undecided if none is separated from another.
    Ranked(Vec<Ranked>),
    /// One figure for all levels, which may differ. It compares nothing; the answer is whether they do.
    Typical {
        /// The figure, in the metric's unit.
        mean: Estimate,
        levels: usize,
        /// Whether the levels differ, beyond the noise floor.
        between: Answer,
        /// Standard deviation between levels, as a ratio of at least 1.
        spread: f64,
        /// Share of the variation that is between levels.
        heterogeneity: f64,
        /// The lowest level's own figure.
        lowest: At,
        /// The highest level's own figure.
        highest: At,
    },
    /// These records cannot answer it.
    NotAssessable(Reason),
}

/// A level with its figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct At {
    pub level: Value,
    /// The metric there, averaged over rounds and cells.
    pub figure: f64,
}

/// The side of one arm relative to another, whichever is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Its figure is the larger one.
    Above,
    /// Its figure is the smaller one.
    Below,
}

impl Side {
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Above => Self::Below,
            Self::Below => Self::Above,
        }
    }
}

/// The limit for a level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// No more than this; the largest level that keeps it is the answer.
    AtMost(f64),
    /// No less than this; the smallest level that keeps it is the answer.
    AtLeast(f64),
}

/// How it is proven that a limit is kept or broken.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Proven {
    /// By the interval of the mean.
    ByInterval,
    /// Every trial gave the same value, which has no interval.
    InEveryTrial {
        /// Trials of each cell.
        trials: usize,
        /// The maximum share of trials that could end differently, at 95 %.
        otherwise_at_most: f64,
    },
}

/// A level's place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranked {
    /// 1 for the best; levels that cannot be distinguished share a number.
    pub rank: usize,
    /// The level with its figure.
    pub at: At,
}

/// Cells with opposite directions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Opposing {
    /// The factor that decides the direction; `None` if no single one does and each cell is a group.
    pub factor: Option<String>,
    /// The cells by that factor's levels.
    pub groups: Vec<Group>,
    /// Whether the dependence is proven.
    pub is_decided: bool,
}

/// Cells with a level in common.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// The level, or the cell's name.
    pub level: Value,
    /// The proven side of the ratio; `None` if no direction is proven.
    pub proven: Option<Side>,
    /// Smallest and largest ratio of the cells with a proven direction, or of all cells if none has one.
    pub ratios: (f64, f64),
    /// The number of those cells.
    pub cells: usize,
    /// The number of all cells.
    pub of_cells: usize,
}

impl Outcome {
    /// One of the four answers.
    pub fn answer(&self) -> Answer {
        match self {
            Self::Different { .. }
            | Self::ChangePlaces { .. }
            | Self::KeepPlaces { .. }
            | Self::ChangePlacesOften { .. }
            | Self::Enough { .. }
            | Self::OnlyBest { .. }
            | Self::Keeps { .. }
            | Self::NoneKeeps { .. } => Answer::Different,
            Self::Typical { between, .. } => *between,
            Self::Equivalent => Answer::Equivalent,
            Self::DependsOnCell(opposing) if opposing.is_decided => Answer::Different,
            Self::Ranked(order) if order.iter().any(|place| place.rank > 1) => Answer::Different,
            Self::Undecided
            | Self::EnoughUndecided { .. }
            | Self::KeepsUndecided { .. }
            | Self::DependsOnCell(_)
            | Self::Ranked(_) => Answer::Undecided,
            Self::NotAssessable(_) => Answer::NotAssessable,
        }
    }

    /// The level of the answer: for a knee the one that is enough, for a threshold the one that keeps its limit.
    pub fn level(&self) -> Option<&At> {
        match self {
            Self::Enough { level, .. } | Self::OnlyBest { best: level, .. } | Self::Keeps { level, .. } => {
                Some(level)
            }
            Self::Different { .. }
            | Self::Equivalent
            | Self::Undecided
            | Self::DependsOnCell(_)
            | Self::ChangePlaces { .. }
            | Self::KeepPlaces { .. }
            | Self::ChangePlacesOften { .. }
            | Self::EnoughUndecided { .. }
            | Self::NoneKeeps { .. }
            | Self::KeepsUndecided { .. }
            | Self::Ranked(_)
            | Self::Typical { .. }
            | Self::NotAssessable(_) => None,
        }
    }
}
