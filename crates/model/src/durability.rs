//! What an acknowledged write survives.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Durability class of an acknowledged write. Arms of different class are never compared without saying so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DurabilityClass {
    /// Lost when the process dies.
    None,
    /// Survives a killed process, not a power loss.
    Process,
    /// Survives power loss, if the drive honours flush.
    Power,
}

impl fmt::Display for DurabilityClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Process => "process",
            Self::Power => "power",
        })
    }
}
