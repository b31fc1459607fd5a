//! What would decide an undecided answer: a number of rounds, or the reason why it is unknown.

use model::figure::ratio;
use serde::Serialize;

/// Larger numbers of rounds are not reported: nobody runs that many, and the estimate is no better than the scatter
/// that it is based on.
const ROUNDS_TOLD_MAX: usize = 200;

/// What would decide.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outlook {
    /// This number of rounds, if effect and scatter stay as they are.
    Rounds {
        in_all: usize,
        /// Beyond those that exist.
        more: usize,
    },
    /// More rounds than anybody runs.
    TooMany { over: usize },
    /// The effect lies inside the A/A noise floor, so the number of rounds is unknown.
    InsideNoise {
        /// The floor, as a ratio.
        floor: f64,
    },
    /// No realistic number of rounds.
    OutOfSight,
}

impl Outlook {
    /// Decided after `rounds` rounds in all, if that is known, of which there are `have`; otherwise the noise floor is
    /// the reason, if one applies.
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

    /// `about 14 rounds in all would decide it`, or what else would.
    pub fn text(&self) -> String {
        match self {
            Self::Rounds { in_all, .. } => format!("about {in_all} rounds in all would decide it"),
            Self::TooMany { over } => format!(
                "more than {over} rounds in all would be needed to decide it, unless longer trials scatter less"
            ),
            Self::InsideNoise { floor } => format!(
                "the effect lies inside the noise floor of {}, so more rounds may not decide it: longer trials or a \
                 quieter machine lower that floor",
                ratio(*floor)
            ),
            Self::OutOfSight => {
                "no realistic number of rounds would decide it, unless longer trials scatter less".to_owned()
            }
        }
    }
}
