//! What is followed from run to run: a metric of a configuration, by itself or relative to the anchor of its run.

use model::metric::{self, Better};
use page::quantity::named;
use serde::Serialize;

/// A figure that every run of a history has. Runs that differ in a parameter answer different questions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Question {
    pub study: String,
    /// Full name of the metric.
    pub metric: String,
    /// What of the metric is followed.
    pub relation: Relation,
    /// The configuration's levels of the study's factors: `mode=direct`.
    pub label: String,
    /// Every parameter, as `name=value`.
    pub parameters: String,
}

/// What of a metric is followed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The figure itself. Only anchors are followed so: whatever makes a whole run slow shows here and nowhere else.
    Absolute,
    /// The ratio to the study's baseline, paired within rounds.
    ToAnchor {
        /// The baseline's levels.
        label: String,
        /// The baseline's parameters.
        parameters: String,
    },
    /// The baseline's second trial of each round ÷ its first: its truth is 1, and a change of it a false alarm.
    Control,
}

impl Question {
    /// `commits/s of commit, mode=direct ÷ mode=buffered`.
    pub fn title(&self) -> String {
        format!("{} of {}{}", named(&self.metric).title, self.study, self.row(", "))
    }

    /// The same without metric and study, behind `prefix`.
    pub(super) fn row(&self, prefix: &str) -> String {
        let of = |label: &str| if label.is_empty() { "the one arm".to_owned() } else { label.to_owned() };
        match &self.relation {
            Relation::Absolute if self.label.is_empty() => String::new(),
            Relation::Absolute => format!("{prefix}{}", self.label),
            Relation::ToAnchor { label, .. } => format!("{prefix}{} ÷ {}", of(&self.label), of(label)),
            Relation::Control => format!("{prefix}control: {} ÷ itself", of(&self.label)),
        }
    }

    /// Whether a change by this ratio is an improvement; `None` if the metric has no better direction.
    pub(super) fn is_better(&self, ratio: f64) -> Option<bool> {
        match metric::find(&self.metric)?.family.better {
            Better::Higher => Some(ratio > 1.0),
            Better::Lower => Some(ratio < 1.0),
            Better::Neither => None,
        }
    }
}
