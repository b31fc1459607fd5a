//! What a finding is about: the ask, and the levels.

use model::Value;
use model::durability::DurabilityClass;
use model::study::AskKind;
use serde::Serialize;

/// An ask, as in the study file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Asked {
    /// Its index in its study; two asks may have the same text and ask about different metrics.
    pub place: usize,
    /// The kind of ask.
    pub kind: AskKind,
    /// Its factor.
    pub factor: String,
    /// The levels of other factors at which the ask compares.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<Held>,
}

impl Asked {
    /// As in a study file: `compare mode`.
    pub fn name(&self) -> String {
        let kind = AskKind::NAMES.iter().find(|(_, kind)| *kind == self.kind);
        format!("{} {}", kind.map_or("ask", |(name, _)| name), self.factor)
    }
}

/// A factor that stays at one level.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Held {
    /// Its name.
    pub factor: String,
    /// The level.
    pub level: Value,
}

/// The levels that a finding is about.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// All levels of the ask's factor.
    Factor,
    /// The numeric levels of the ask's factor.
    Range {
        /// The lowest.
        first: Value,
        /// The highest.
        last: Value,
    },
    /// One level without another to compare it with.
    Level(Value),
    /// A level compared with the baseline.
    Levels(Levels),
    /// Two arms along the ask's factor.
    Arms {
        /// The arms.
        arms: Levels,
        /// The lowest and the highest level of the ask's factor, if it has numeric levels.
        range: Option<(Value, Value)>,
    },
    /// A step of the durability ladder.
    Rung(Rung),
    /// The durability ladder as a whole.
    Ladder,
}

/// A level compared with another one of the same factor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Levels {
    /// The factor.
    pub factor: String,
    /// The level.
    pub level: Value,
    /// The level that it is compared with.
    pub baseline: Value,
}

/// From one durability class to the next stronger one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rung {
    /// The reference of the stronger class, compared with that of the weaker one.
    pub levels: Levels,
    /// Class of the level.
    pub stronger: DurabilityClass,
    /// Class of the baseline.
    pub weaker: DurabilityClass,
    /// Whether there is a lower step, whose cost comes first.
    pub is_further: bool,
}

impl Subject {
    /// The two compared levels, if there are two.
    pub fn levels(&self) -> Option<&Levels> {
        match self {
            Self::Levels(levels) | Self::Arms { arms: levels, .. } | Self::Rung(Rung { levels, .. }) => {
                Some(levels)
            }
            Self::Factor | Self::Range { .. } | Self::Level(_) | Self::Ladder => None,
        }
    }

    /// Whether it belongs to a durability ladder.
    pub fn is_ladder(&self) -> bool {
        match self {
            Self::Rung(_) | Self::Ladder => true,
            Self::Factor | Self::Range { .. } | Self::Level(_) | Self::Levels(_) | Self::Arms { .. } => false,
        }
    }
}
