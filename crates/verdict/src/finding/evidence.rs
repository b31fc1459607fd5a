//! What stands behind a finding: absolute figures, the size of the experiment, the test, the kernel's counters.

use model::Value;
use serde::Serialize;

/// What both sides of a ratio came to: geometric means over the rounds and cells of the ratio, in the metric's unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// At the level; along a factor, at its last level.
    pub level: f64,
    /// At the baseline; along a factor, at its first level.
    pub baseline: f64,
}

/// How much data a finding is from, and what it had to pass.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Proof {
    /// Complete rounds.
    pub rounds: usize,
    /// Combinations of the other factors' levels that take part.
    pub cells: usize,
    /// Trials.
    pub trials: usize,
    /// Confidence of its intervals and tests: that of the study's findings together, divided among them.
    pub confidence: f64,
    /// Findings that share the error.
    pub asks: usize,
    /// p-value adjusted by Holm within the study and for what earlier looks spent, where there is one: at most 0.05 where
    /// the test rejects.
    pub p_adjusted: Option<f64>,
    /// A/A noise floor as a ratio of at least 1, where one is known.
    pub noise_floor: Option<f64>,
    /// Ratio within which two sides count as equal.
    pub margin: f64,
}

/// What the kernel counted, which says where a difference can and cannot come from.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Counter {
    /// Of both sides.
    Compared {
        /// Full metric name.
        metric: String,
        /// At the level, averaged over its configurations.
        level: f64,
        /// At the baseline.
        baseline: f64,
        /// Whether they are as good as equal.
        is_same: bool,
    },
    /// By the levels of a factor.
    ByLevel {
        /// Full metric name.
        metric: String,
        /// Each level's mean.
        means: Vec<(Value, f64)>,
    },
    /// The device's counters explain nothing, because other programs used it.
    Disturbed {
        /// The level beside which they did.
        level: Value,
        /// What they moved there, in the words of the audit foreign-io.
        moved: String,
    },
}
