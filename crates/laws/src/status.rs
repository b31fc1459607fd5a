//! What becomes of a law, or of an audit.

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
