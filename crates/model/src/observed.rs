//! Figures that a study has from a program that was observed, beside what its trials measure.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was observed of a running program, and the arm that repeats its load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    /// The arm's name.
    pub arm: String,
    /// By the full names of the metrics that the arm measures.
    pub figures: BTreeMap<String, f64>,
    /// How near a rate that is repeated has to come, as a share; `None` for a load that was observed from outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rates_within: Option<f64>,
}
