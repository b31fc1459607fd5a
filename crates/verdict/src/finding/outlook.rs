//! What would decide an answer that the data leave open: so many rounds, or why that cannot be told.

use serde::Serialize;

/// Numbers of rounds beyond this are not told: nobody runs so many, and the estimate is no better than the spread that it is
/// made of.
const ROUNDS_TOLD_MAX: usize = 200;

/// What would decide.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outlook {
    /// So many rounds, if effect and spread stay as they are.
    Rounds {
        /// In all.
        in_all: usize,
        /// More than there are.
        more: usize,
    },
    /// More rounds than anybody runs.
    TooMany {
        /// More than this.
        over: usize,
    },
    /// The effect lies inside the A/A noise floor, so how many rounds cannot be told.
    InsideNoise {
        /// The floor, as a ratio.
        floor: f64,
    },
    /// No realistic number of rounds.
    OutOfSight,
}

impl Outlook {
    /// After so many rounds in all, where that is known, of which there are `have`; otherwise the noise floor is why, if
    /// there is one that matters.
    pub(crate) fn of_rounds(rounds: Option<usize>, have: usize, inside_noise: Option<f64>) -> Self {
        match (rounds, inside_noise) {
            (Some(in_all), _) if in_all <= ROUNDS_TOLD_MAX => {
                Self::Rounds { in_all, more: in_all.saturating_sub(have) }
            }
            (Some(_), _) => Self::TooMany { over: ROUNDS_TOLD_MAX },
            (None, Some(floor)) => Self::InsideNoise { floor },
            (None, None) => Self::OutOfSight,
        }
    }
}
