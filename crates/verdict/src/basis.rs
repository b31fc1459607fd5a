//! What an answer rests on and which audits that requires, and what an audit's outcome is about: data, and whether the two
//! meet.

use serde::Serialize;

/// How much an answer leans on an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bearing {
    /// A warning of it limits the answer. The figure says the same where the audit could not be carried out.
    Limiting,
    /// The answer claims what the audit checks: without a pass (or a warning, which limits it) nothing is proven.
    Required,
}

/// What an answer rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Basis {
    /// Indices in the study's plan of the configurations that its figures come from, rising; none where it claims
    /// nothing.
    pub configurations: Vec<usize>,
    /// Parameters whose effect it tells.
    pub parameters: Vec<String>,
    /// The audits that vouch for these metrics of these configurations, in the order of the audits' list.
    #[serde(skip)]
    pub requires: Vec<Requirement>,
}

/// An audit that an answer leans on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Requirement {
    /// The audit's name.
    pub audit: String,
    /// How much leans on it.
    pub bearing: Bearing,
    /// The configurations for which it does, rising.
    pub configurations: Vec<usize>,
}

/// What an audit's outcome is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Every figure of the study.
    Study,
    /// The figures of these configurations, by their index in the plan.
    Configurations(Vec<usize>),
    /// What a parameter does between these configurations, and not the figures themselves: its levels were not what
    /// they are called.
    Effect {
        /// The parameter.
        parameter: String,
        /// Indices in the plan.
        configurations: Vec<usize>,
    },
}

impl Basis {
    /// The audit's bearing on this, if it has any.
    pub fn bearing(&self, audit: &str) -> Option<Bearing> {
        self.requires.iter().find(|required| required.audit == audit).map(|required| required.bearing)
    }

    fn has_any(&self, configurations: &[usize]) -> bool {
        configurations.iter().any(|index| self.configurations.contains(index))
    }
}

impl Scope {
    /// Whether an answer on this basis rests on what this is about. What claims nothing rests on nothing.
    pub fn meets(&self, basis: &Basis) -> bool {
        match self {
            Self::Study => !basis.configurations.is_empty(),
            Self::Configurations(configurations) => basis.has_any(configurations),
            Self::Effect { parameter, configurations } => {
                basis.parameters.contains(parameter) && basis.has_any(configurations)
            }
        }
    }

    /// The configurations that it names; `None` where it is about all of them.
    pub(crate) fn configurations(&self) -> Option<&[usize]> {
        match self {
            Self::Study => None,
            Self::Configurations(configurations) | Self::Effect { configurations, .. } => {
                Some(configurations)
            }
        }
    }
}
