//! The noise floor of a metric: how far two identical arms differ.

use model::figure::count;
use model::units::format_significant;
use serde::{Serialize, Serializer};
use stats::NoInterval;

/// Level of the A/A interval whose outer bound is the noise floor of a study. A finding may need a higher one.
pub(crate) const NOISE_FLOOR_LEVEL: f64 = 0.95;

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
    FewRounds { rounds: usize, needed: usize },
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

impl NoFloor {
    pub fn text(&self) -> String {
        match self {
            Self::NotAsked => "no ask uses it".to_owned(),
            Self::NoRound => "no round has the baseline twice".to_owned(),
            Self::FewRounds { rounds, needed } => {
                format!("{} of the {needed} needed have the baseline twice", count(*rounds, "round"))
            }
            Self::Zero => "the baseline is zero in some trial, and zero has no ratio".to_owned(),
            Self::NoInterval(why) => why.to_string(),
        }
    }
}

/// A noise floor (a ratio ≥ 1) in words: `±2.10 %`, or `a factor of 3.07` where percent would mislead.
pub fn floor_text(ratio: f64) -> String {
    if ratio < 1.5 {
        format!("±{} %", format_significant((ratio - 1.0) * 100.0))
    } else {
        format!("a factor of {}", format_significant(ratio))
    }
}

fn as_text<S: Serializer>(why: &NoInterval, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(why)
}
