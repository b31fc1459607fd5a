//! Predictions that a rule no longer makes, because the database refuted them.

use model::figure::ratios;
use serde::Serialize;

/// Why a rule predicts no gain, although the disk measured one.
///
/// A rule whose predictions miss twice is corrected, or its prediction is withdrawn. What the rule found is then a
/// value for a proof to try, without a figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Withdrawn {
    /// Values of this rule that a proof on the database compared with the one in use.
    pub proofs: u32,
    /// How many of them were no better there.
    pub refuted: u32,
    /// The ratios that the database showed, from the lowest to the highest.
    pub measured: (f64, f64),
    /// What the database does that the disk does not show: a clause, printed whole.
    pub why: &'static str,
}

impl Withdrawn {
    /// A clause without a full stop.
    pub(crate) fn text(&self) -> String {
        let Self { proofs, refuted, measured, why } = self;
        format!(
            "no gain is predicted, because the database refuted {refuted} of {proofs} ({}×): {why}",
            ratios(*measured)
        )
    }
}
