//! What an answer rests on, which audits that requires, and what an audit's outcome is about: data, and whether the two
//! overlap.

use serde::Serialize;

/// How much an answer depends on an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bearing {
    /// A warning limits the answer. If the audit could not be carried out, the figure is still valid.
    Limiting,
    /// The answer claims what the audit checks: without a pass (or a warning, which limits it) it is not proven.
    Required,
}

/// What an answer rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Basis {
    /// Plan indices of the configurations that its figures come from, ascending; empty if it claims nothing.
    pub configurations: Vec<usize>,
    /// Parameters whose effect it states.
    pub parameters: Vec<String>,
    /// The audits that support these metrics of these configurations, in the order of the audits' list.
    #[serde(skip)]
    pub requires: Vec<Requirement>,
}

/// An audit that an answer depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Requirement {
    pub audit: String,
    /// How much depends on it.
    pub bearing: Bearing,
    /// The configurations that depend on it, ascending.
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
    /// The effect of a parameter between these configurations, but not their figures: its realised levels were not the
    /// configured ones.
    Effect {
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
    /// Whether an answer on this basis rests on this scope. An answer that claims nothing rests on nothing.
    pub fn meets(&self, basis: &Basis) -> bool {
        match self {
            Self::Study => !basis.configurations.is_empty(),
            Self::Configurations(configurations) => basis.has_any(configurations),
            Self::Effect { parameter, configurations } => {
                basis.parameters.contains(parameter) && basis.has_any(configurations)
            }
        }
    }

    /// The configurations that it names; `None` if it is about all of them.
    pub(crate) fn configurations(&self) -> Option<&[usize]> {
        match self {
            Self::Study => None,
            Self::Configurations(configurations) | Self::Effect { configurations, .. } => {
                Some(configurations)
            }
        }
    }
}
