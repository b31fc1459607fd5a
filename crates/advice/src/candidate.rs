//! The values that a setting could have.

use crate::effect::Effect;
use serde::Serialize;
use verdict::Estimate;
use verdict::quantity::ratio_with_bounds;

/// A value that a setting could have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// As the database reads it.
    pub value: String,
    /// Why it is one.
    pub role: Role,
    /// What it gives over the value in use, if the two were compared: one effect for each comparison, most have one.
    pub effects: Vec<Effect>,
}

impl Candidate {
    /// The first ratio to the value in use, if the two were compared.
    pub fn ratio(&self) -> Option<&Estimate> {
        self.effects.first().map(|effect| &effect.ratio)
    }

    /// `open_datasync 1.30 (1.24–1.37)`, `off (in use)`, or `off (default)` if no settings of a server were read.
    pub(crate) fn text(&self) -> String {
        let role = match self.role {
            Role::InUse => "in use",
            Role::Default => "default",
            Role::Measured => "measured",
            Role::WorthTrying => "not measured",
        };
        match self.ratio() {
            Some(ratio) => format!("{} {}", self.value, ratio_with_bounds(ratio)),
            None => format!("{} ({role})", self.value),
        }
    }
}

/// Why a value is a candidate. A value with several roles has the first of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The database has it now: it was read from a server, a settings file or the machine.
    InUse,
    /// The database has it if it is not set.
    Default,
    /// The run measured it.
    Measured,
    /// The rule names it: only the database itself shows what it does.
    WorthTrying,
}
