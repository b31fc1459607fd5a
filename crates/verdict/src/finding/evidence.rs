//! The evidence of a finding: absolute figures, the size of the experiment, the test, the kernel's counters.

use super::Dependence;
use super::subject::name;
use model::Value;
use model::figure::{figure, ratio};
use page::quantity::named;
use serde::Serialize;

/// The figures of both sides of a ratio: geometric means over the rounds and cells of the ratio, in the metric's unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// At the level; along a factor, at its last level.
    pub level: f64,
    /// At the baseline; along a factor, at its first level.
    pub baseline: f64,
}

/// The amount of data of a finding, and the limits that it had to pass.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Proof {
    pub rounds: usize,
    /// Combinations of the other factors' levels that take part.
    pub cells: usize,
    pub trials: usize,
    /// Confidence of its intervals and tests: the confidence of the study's findings together, divided among them.
    pub confidence: f64,
    /// Findings that share the error.
    pub asks: usize,
    /// p-value adjusted by Holm within the study and for the error that earlier looks spent, if there is one; at most
    /// 0.05 if the test rejects.
    pub p_adjusted: Option<f64>,
    /// A/A noise floor as a ratio of at least 1, if it is known.
    pub noise_floor: Option<f64>,
    /// Level of the A/A interval whose outer bound that floor is: that of the study's floors, or of this finding.
    pub noise_floor_level: Option<f64>,
    /// Ratio within which two sides count as equal.
    pub margin: f64,
    /// Whether the rounds of its ratios depend on each other; `None` if it has no ratio paired within rounds.
    pub dependence: Option<Dependence>,
}

/// The kernel's counters, which show where a difference can and cannot come from.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Counter {
    /// A counter of both sides.
    Compared {
        metric: String,
        /// At the level, averaged over its configurations.
        level: f64,
        baseline: f64,
        /// Whether they are practically equal.
        is_same: bool,
    },
    /// A counter by the levels of a factor.
    ByLevel { metric: String, means: Vec<(Value, f64)> },
    /// The device's counters explain nothing, because other programs used the device.
    Disturbed {
        /// The level beside which they used it.
        level: Value,
        /// What they moved, in the words of the audit foreign-io.
        moved: String,
    },
}

impl Counter {
    /// A sentence, if the levels are of this factor and the sides have these names.
    pub(super) fn text(&self, factor: &str, (level, baseline): &(String, String)) -> String {
        match self {
            Self::Compared { metric, level: ours, baseline: theirs, is_same } => {
                let named = named(metric);
                let told = |value| figure(value, named.unit);
                let title = capital(&named.title);
                let both = format!("{} with {level}, {} with {baseline}", told(*ours), told(*theirs));
                match (is_same, *theirs > 0.0 && *ours > 0.0) {
                    (true, _) => format!("{title} the same: {both}."),
                    (false, true) => format!("{title}: {both} ({}).", ratio(ours / theirs)),
                    (false, false) => format!("{title}: {both}."),
                }
            }
            Self::ByLevel { metric, means } => {
                let named = named(metric);
                let means =
                    means.iter().map(|(level, mean)| format!("{} at {level}", figure(*mean, named.unit)));
                format!("{} by {factor}: {}.", capital(&named.title), means.collect::<Vec<_>>().join(", "))
            }
            Self::Disturbed { level, moved } => format!(
                "The device's counters explain nothing here and are withheld: beside {}, other programs {moved} \
                 (audit foreign-io).",
                name(factor, level)
            ),
        }
    }
}

/// The first letter as at the start of a sentence; a name such as `wal_layout` is unchanged.
pub(crate) fn capital(word: &str) -> String {
    if word.contains('_') { word.to_owned() } else { page::capitalised(word) }
}
