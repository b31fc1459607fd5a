//! The stages that a proof can have.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A race's heats: what the first proves worse does not run in the second.
pub(crate) const HEATS: u32 = 2;
/// What a stage is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageKind {
    /// Candidates against what runs now, counted from 1.
    Heat(u32),
    /// All changes against what runs now.
    Bundle,
    /// Each change left out once.
    Settings,
    /// The bundle without what is refuted, against what runs now.
    Mended,
    /// Named servers against the first.
    Servers,
}

/// The name of its run directory.
impl fmt::Display for StageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Heat(number) => write!(f, "heat-{number}"),
            Self::Bundle => f.write_str("bundle"),
            Self::Settings => f.write_str("settings"),
            Self::Mended => f.write_str("mended"),
            Self::Servers => f.write_str("servers"),
        }
    }
}
