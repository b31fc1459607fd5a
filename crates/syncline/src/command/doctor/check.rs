//! One line of the check-up.

use model::mechanism::Measured;
use serde::Serialize;
use std::fmt::Display;

/// How much a fact matters for a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Sign {
    /// As it should be.
    Good,
    /// Worth knowing when reading the result.
    Note,
    /// Distorts or prevents measurements.
    Bad,
    /// It could not be looked at: neither good nor bad.
    Unchecked,
}

impl Sign {
    pub(super) const fn mark(self) -> &'static str {
        match self {
            Self::Good => "ok  ",
            Self::Note => "note",
            Self::Bad => "BAD ",
            Self::Unchecked => "?   ",
        }
    }
}

/// One line of the check-up: what was found and what it means for the result.
#[derive(Serialize)]
pub(super) struct Check {
    pub(super) sign: Sign,
    pub(super) fact: String,
    pub(super) meaning: &'static str,
}

pub(super) fn check(sign: Sign, fact: impl Into<String>, meaning: &'static str) -> Check {
    Check { sign, fact: fact.into(), meaning }
}

/// A fact that the kernel reports, or the reason why it does not.
pub(super) fn told<T: Display>(measured: &Measured<T>) -> String {
    match measured {
        Measured::Value(value) => value.to_string(),
        Measured::Unsupported { unsupported } => format!("unknown: {unsupported}"),
    }
}
