//! The noise floor of a metric: how far two identical arms differ.

use serde::{Serialize, Serializer};
use stats::NoInterval;

/// How far two identical arms differ, if that is known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Noise {
    /// The floor, as a ratio of at least 1.
    Floor(f64),
    /// There is none.
    Unknown(NoFloor),
}

/// Why a metric has no noise floor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoFloor {
    /// No ask is about the metric.
    NotAsked,
    /// No round has the baseline twice.
    NoRound,
    /// Too few rounds have it twice.
    FewRounds {
        /// Their number.
        rounds: usize,
        /// The number needed.
        needed: usize,
    },
    /// The baseline is zero in a trial, and zero has no ratio.
    Zero,
    /// The statistics give no interval.
    NoInterval(#[serde(serialize_with = "as_text")] NoInterval),
}

impl Noise {
    /// The floor, if there is one.
    pub fn floor(self) -> Option<f64> {
        match self {
            Self::Floor(ratio) => Some(ratio),
            Self::Unknown(_) => None,
        }
    }
}

fn as_text<S: Serializer>(why: &NoInterval, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(why)
}
