//! Whether the rounds of a study depend on each other.

use serde::{Serialize, Serializer};
use stats::dependence::NoEstimate;

/// Whether neighbouring rounds resemble each other in what each arm has for itself, and what follows for intervals.
///
/// Correlations are estimates over all arms of the study, or over the ratios of one comparison if these demand wider
/// intervals, and are corrected for their bias.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Dependence {
    /// They do, and intervals allow for it.
    Found {
        /// Estimated correlation of neighbouring rounds.
        lag1: f64,
        /// The part of it that intervals allow for: less than all of it if it is barely significant.
        counted: f64,
        /// Factor by which intervals are wider than those of independent rounds.
        widened_by: f64,
    },
    /// Not more than chance explains.
    NotFound {
        /// Estimated correlation of neighbouring rounds.
        lag1: f64,
        /// The smallest correlation that these rounds and arms show four times in five.
        detectable: f64,
    },
    /// It is unknown, and intervals suppose independent rounds.
    NotAssessable(NoDependence),
}

/// Why it is unknown whether rounds depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoDependence {
    /// So few rounds and arms often miss even a correlation of 0.7.
    Undetectable {
        rounds: usize,
        arms: usize,
        /// The smallest correlation that they show four times in five.
        detectable: f64,
    },
    /// No ask is about the metric.
    NotAsked,
    /// The statistics give no estimate.
    NoEstimate(#[serde(serialize_with = "as_text")] NoEstimate),
}

/// Intervals that are wider by less than this are not worth a word.
const NOTABLE: f64 = 1.05;

impl Dependence {
    /// The correlation that intervals allow for and the factor of their width, if they are notably wider for it.
    pub fn notable(&self) -> Option<(f64, f64)> {
        match self {
            Self::Found { counted, widened_by, .. } => {
                (*widened_by >= NOTABLE).then_some((*counted, *widened_by))
            }
            Self::NotFound { .. } | Self::NotAssessable(_) => None,
        }
    }

    /// The correlation that intervals allow for; 0 if none was found.
    pub fn correlation(&self) -> f64 {
        match self {
            Self::Found { counted, .. } => *counted,
            Self::NotFound { .. } | Self::NotAssessable(_) => 0.0,
        }
    }
}

fn as_text<S: Serializer>(why: &NoEstimate, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(why)
}
