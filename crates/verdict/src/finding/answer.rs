//! What an ask was answered.

use serde::Serialize;

/// The three answers, and why a fourth thing may be said; what tells most comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// There is a difference outside the noise floor.
    Different,
    /// Equivalent within ±5 %.
    Equivalent,
    /// The data decide neither.
    Undecided,
    /// It cannot be asked of these records.
    NotAssessable,
}

impl Answer {
    /// Whether it is an answer to what was asked.
    pub fn is_decided(self) -> bool {
        match self {
            Self::Different | Self::Equivalent => true,
            Self::Undecided | Self::NotAssessable => false,
        }
    }
}
