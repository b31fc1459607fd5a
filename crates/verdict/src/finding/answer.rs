//! The answer to an ask.

use serde::Serialize;

/// The three answers, and a fourth if there is none; the most informative first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// There is a difference outside the noise floor.
    Different,
    /// Equivalent within ±5 %.
    Equivalent,
    /// The data decide neither.
    Undecided,
    /// These records cannot answer it.
    NotAssessable,
}

impl Answer {
    /// Whether it answers the ask.
    pub fn is_decided(self) -> bool {
        match self {
            Self::Different | Self::Equivalent => true,
            Self::Undecided | Self::NotAssessable => false,
        }
    }
}
