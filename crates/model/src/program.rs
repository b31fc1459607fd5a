//! Which program made a run.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Digits of the digest that tell two programs apart for a reader.
const DIGITS_SHOWN: usize = 16;

/// A program by its content: two builds of one version are two programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    pub version: String,
    /// SHA-256 of the executable file, in hexadecimal.
    pub sha256: String,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits: String = self.sha256.chars().take(DIGITS_SHOWN).collect();
        write!(f, "{} (SHA-256 {digits}…)", self.version)
    }
}
