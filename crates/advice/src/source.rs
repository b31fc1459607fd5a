//! What measures a setting: a study as the command line names it, or the database itself.

use serde::Serialize;
use std::fmt;

/// A study with the levels that a rule needs: what stands behind `syncline run`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Source {
    pub study: &'static str,
    /// Factors with the levels that they need; all others are as the study has them.
    pub vary: &'static [(&'static str, &'static [&'static str])],
    /// Minutes that it takes about, in its usual profile.
    pub minutes: u32,
}

impl Source {
    /// A study as it is.
    pub(crate) const fn study(study: &'static str, minutes: u32) -> Self {
        Self { study, vary: &[], minutes }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.study)?;
        self.vary.iter().try_for_each(|(name, levels)| write!(f, " --vary {name}={}", levels.join(",")))
    }
}
