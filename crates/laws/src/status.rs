//! What becomes of a law, or of an audit.

use page::{Badge, Tone};
use serde::Serialize;

/// The outcome of an audit, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A number cannot be believed; advice that rests on it is withheld.
    Fail,
    /// Read it with care.
    Warn,
    /// The question arises but the evidence is missing; states the reason. This is not a pass: an answer that
    /// requires it is not proven.
    NotAssessable,
    /// Nothing found.
    Pass,
    /// The question does not arise here, whatever the evidence; states the reason.
    NotApplicable,
}

impl Status {
    /// In a word or two, with its tone.
    pub const fn badge(self) -> Badge {
        match self {
            Self::Fail => Badge::new(Tone::Bad, "FAIL"),
            Self::Warn => Badge::new(Tone::Warn, "warn"),
            Self::NotAssessable => Badge::new(Tone::Faint, "not assessable"),
            Self::Pass => Badge::new(Tone::Good, "pass"),
            Self::NotApplicable => Badge::new(Tone::Faint, "not applicable").with_symbol("–"),
        }
    }
}
