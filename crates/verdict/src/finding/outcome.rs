//! How an ask came out.

use super::Reason;
use super::answer::Answer;
use crate::estimate::Estimate;
use model::Value;
use serde::Serialize;

/// How an ask came out. What stands in the finding's ratio is not repeated here.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The two sides differ, beyond the noise floor.
    Different {
        /// Proven to lie within the equivalence margin all the same.
        is_small: bool,
        /// Whether a straight line tells it; always so of a comparison.
        is_steady: bool,
    },
    /// The two sides are equal within the equivalence margin.
    Equivalent,
    /// The data decide neither a difference nor equivalence, or not whether two arms change places.
    Undecided,
    /// Better in some cells and worse in others, so there is no effect that holds for all.
    DependsOnCell(Opposing),
    /// Two arms change places along the factor.
    ChangePlaces {
        /// Where, on the factor's axis.
        at: Estimate,
        /// Where the level lies at the lowest levels of the factor.
        starts: Side,
    },
    /// Two arms keep their order at every level.
    KeepPlaces {
        /// Where the level lies.
        always: Side,
    },
    /// Two arms change places more than once.
    ChangePlacesOften {
        /// How often.
        changes: usize,
    },
    /// A level is enough: from it on, every level is proven to come near the best.
    Enough {
        /// The smallest of them.
        level: At,
        /// The best.
        best: At,
    },
    /// Only the best level is enough.
    OnlyBest {
        /// The best.
        best: At,
        /// Whether it is the smallest level too.
        is_smallest: bool,
    },
    /// Whether less than the best level is enough is undecided.
    EnoughUndecided {
        /// The best.
        best: At,
    },
    /// A level keeps the limit, and none beyond it does.
    Keeps {
        /// The level.
        level: At,
        /// The limit.
        limit: Limit,
        /// How that is known.
        proven: Proven,
    },
    /// Every level breaks the limit.
    NoneKeeps {
        /// The limit.
        limit: Limit,
        /// How that is known.
        proven: Proven,
    },
    /// Whether any level keeps the limit is undecided.
    KeepsUndecided {
        /// The limit.
        limit: Limit,
    },
    /// The levels in order, best first; undecided where none is separated from another.
    Ranked(Vec<Ranked>),
    /// One figure for all levels, which may differ.
    Typical {
        /// The figure, in the metric's unit.
        mean: Estimate,
        /// Levels that it is from.
        levels: usize,
        /// Standard deviation between levels, as a ratio of at least 1.
        spread: f64,
        /// Share of the variation that is between levels.
        heterogeneity: f64,
        /// The lowest level's own figure.
        lowest: At,
        /// The highest level's own figure.
        highest: At,
    },
    /// It cannot be asked of these records.
    NotAssessable(Reason),
}

/// A level with what it came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct At {
    /// The level.
    pub level: Value,
    /// The metric there, averaged over rounds and cells.
    pub figure: f64,
}

/// Where one arm lies against another, whichever is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Its figure is the larger one.
    Above,
    /// Its figure is the smaller one.
    Below,
}

impl Side {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Above => Self::Below,
            Self::Below => Self::Above,
        }
    }
}

/// What a level has to keep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// No more than this; the largest level that keeps it is wanted.
    AtMost(f64),
    /// No less than this; the smallest level that keeps it is wanted.
    AtLeast(f64),
}

/// How a limit is known to be kept or broken.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Proven {
    /// By the interval of the mean.
    ByInterval,
    /// Every trial came to the same value, which has no interval.
    InEveryTrial {
        /// Trials of each cell.
        trials: usize,
        /// Share of trials that could come out otherwise, at 95 %.
        otherwise_at_most: f64,
    },
}

/// A level's place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranked {
    /// 1 for the best; levels that are not told apart share a number.
    pub rank: usize,
    /// The level with its figure.
    pub at: At,
}

/// Cells that point different ways.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Opposing {
    /// The factor that decides; `None` where no single one does and each cell is a group.
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
    /// Which way the ratio is proven to point; `None` where no direction is proven.
    pub proven: Option<Side>,
    /// Least and largest ratio of the cells that this is proven of, or of all where nothing is.
    pub ratios: (f64, f64),
    /// How many cells that are.
    pub cells: usize,
    /// Of how many.
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
            | Self::NoneKeeps { .. }
            | Self::Typical { .. } => Answer::Different,
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

    /// The level that answers: of a knee the one that is enough, of a threshold the one that keeps its limit.
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
