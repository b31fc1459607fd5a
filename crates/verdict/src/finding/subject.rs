//! What a finding is about: the ask, and the levels.

use model::Value;
use model::durability::DurabilityClass;
use model::figure::round_figure;
use model::metric::Unit;
use model::study::AskKind;
use model::units::{format_bytes_approximate, format_significant};
use serde::Serialize;

/// An ask, as in the study file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Asked {
    /// Its index in its study; two asks may have the same text and ask about different metrics.
    pub place: usize,
    /// The kind of ask.
    pub kind: AskKind,
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

    /// The held levels: `cached_percentage = 0`; mostly empty.
    pub(crate) fn held(&self) -> String {
        let held = self.at.iter().map(|held| format!("{} = {}", held.factor, held.level));
        held.collect::<Vec<_>>().join(", ")
    }
}

/// A factor that stays at one level.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Held {
    pub factor: String,
    pub level: Value,
}

/// The levels that a finding is about.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// All levels of the ask's factor.
    Factor,
    /// The numeric levels of the ask's factor.
    Range { first: Value, last: Value },
    /// One level without another to compare it with.
    Level(Value),
    /// A level compared with the baseline.
    Levels(Levels),
    /// Two arms along the ask's factor.
    Arms {
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
    pub factor: String,
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

    /// In an ask about this factor: `direct against buffered`.
    pub(crate) fn text(&self, factor: &str) -> String {
        match self {
            Self::Factor => factor.to_owned(),
            Self::Range { first, last } => format!("{factor} {first} to {last}"),
            Self::Level(level) => name(factor, level),
            Self::Levels(levels) | Self::Arms { arms: levels, .. } | Self::Rung(Rung { levels, .. }) => {
                let (level, baseline) = levels.names();
                format!("{level} against {baseline}")
            }
            Self::Ladder => "the durability ladder".to_owned(),
        }
    }

    /// The levels of the sides of a ratio in an ask about this factor: level and baseline, or the last level of a range
    /// and the first.
    pub(crate) fn compared(&self, factor: &str) -> Option<Levels> {
        match self {
            Self::Range { first, last } => {
                Some(Levels { factor: factor.to_owned(), level: last.clone(), baseline: first.clone() })
            }
            Self::Factor
            | Self::Level(_)
            | Self::Levels(_)
            | Self::Arms { .. }
            | Self::Rung(_)
            | Self::Ladder => self.levels().cloned(),
        }
    }

    /// The names of these levels.
    pub(crate) fn sides(&self, factor: &str) -> Option<(String, String)> {
        self.compared(factor).map(|levels| levels.names())
    }
}

impl Subject {
    /// A place on the factor's axis, between levels or at one: `33.3 %`, `48.0 MiB`.
    pub fn place(&self, number: f64) -> String {
        let level = match self {
            Self::Range { first, .. } | Self::Arms { range: Some((first, _)), .. } => Some(first),
            Self::Factor
            | Self::Level(_)
            | Self::Levels(_)
            | Self::Arms { range: None, .. }
            | Self::Rung(_)
            | Self::Ladder => None,
        };
        match level {
            Some(Value::Percent(_)) => format!("{} %", format_significant(number)),
            Some(Value::Bytes(_)) => format_bytes_approximate(number),
            Some(Value::Duration(_)) => round_figure(number, Unit::Seconds),
            Some(Value::Count(_) | Value::Number(_) | Value::Flag(_) | Value::Name(_)) | None => {
                round_figure(number, Unit::Count)
            }
        }
    }
}

impl Levels {
    /// Names of the level and of the baseline.
    pub fn names(&self) -> (String, String) {
        (name(&self.factor, &self.level), name(&self.factor, &self.baseline))
    }
}

/// A level in a sentence: `direct`, or `group_size = 4` if the level is a bare number.
pub(crate) fn name(factor: &str, level: &Value) -> String {
    match level {
        Value::Name(name) => name.clone(),
        Value::Bytes(_)
        | Value::Duration(_)
        | Value::Count(_)
        | Value::Number(_)
        | Value::Percent(_)
        | Value::Flag(_) => format!("{factor} = {level}"),
    }
}

/// Levels in a list: `1, 2, 4`.
pub(super) fn list(levels: &[Value]) -> String {
    levels.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
