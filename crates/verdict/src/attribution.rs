//! Which answers a failed audit takes away: what an answer rests on, what an audit's outcome is about, and whether the two
//! meet. Asks say the one (`asks::Draft`), audits the other (`audits::Judgement`); the rule between them is here alone.

use crate::verdict::{Audit, Finding, Status, StudyVerdict};
use serde::Serialize;

/// What an answer rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Footing {
    /// Indices in the study's plan of the configurations that its figures come from, rising; none where it claims
    /// nothing.
    pub configurations: Vec<usize>,
    /// Parameters whose effect it tells.
    pub parameters: Vec<String>,
}

/// What an audit's outcome is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
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

impl Footing {
    /// On these configurations, in whatever order and however often they are named.
    pub(crate) fn new(configurations: impl IntoIterator<Item = usize>, parameters: Vec<String>) -> Self {
        let mut configurations: Vec<usize> = configurations.into_iter().collect();
        configurations.sort_unstable();
        configurations.dedup();
        Self { configurations, parameters }
    }

    fn has_any(&self, configurations: &[usize]) -> bool {
        configurations.iter().any(|index| self.configurations.contains(index))
    }
}

impl Reach {
    /// Whether an answer on this footing rests on what this is about. What claims nothing rests on nothing.
    pub fn meets(&self, footing: &Footing) -> bool {
        match self {
            Self::Study => !footing.configurations.is_empty(),
            Self::Configurations(configurations) => footing.has_any(configurations),
            Self::Effect { parameter, configurations } => {
                footing.parameters.contains(parameter) && footing.has_any(configurations)
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

impl Audit {
    /// Whether its outcome bears on an answer with this footing.
    pub fn concerns(&self, footing: &Footing) -> bool {
        self.about.iter().any(|reach| reach.meets(footing))
    }
}

/// The failed audits that an answer with this footing rests on: with any of them it is not to be relied on.
pub fn impugning<'a>(audits: &'a [Audit], footing: &Footing) -> impl Iterator<Item = &'a Audit> {
    audits.iter().filter(move |audit| audit.status == Status::Fail && audit.concerns(footing))
}

impl StudyVerdict {
    /// The failed audits that a finding of this study rests on; none where it can be relied on.
    pub fn impugning<'a>(&'a self, finding: &'a Finding) -> impl Iterator<Item = &'a Audit> {
        impugning(&self.audits, &finding.rests_on)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footing(configurations: &[usize], parameters: &[&str]) -> Footing {
        let parameters = parameters.iter().map(|name| (*name).to_owned()).collect();
        Footing::new(configurations.iter().copied(), parameters)
    }

    fn effect(parameter: &str, configurations: &[usize]) -> Reach {
        Reach::Effect { parameter: parameter.to_owned(), configurations: configurations.to_vec() }
    }

    #[test]
    fn an_answer_falls_with_what_it_rests_on_and_with_nothing_else() {
        let ours = footing(&[3, 1, 3], &["mode"]);
        assert_eq!(ours.configurations, [1, 3]);
        for (reach, meets) in [
            (Reach::Study, true),
            (Reach::Configurations(vec![0, 3]), true),
            (Reach::Configurations(vec![0, 2]), false),
            (Reach::Configurations(Vec::new()), false),
            (effect("mode", &[1]), true),
            // The parameter is asked about elsewhere.
            (effect("mode", &[0, 2]), false),
            // Its levels are what this answer holds still.
            (effect("memory_cap", &[1, 3]), false),
        ] {
            assert_eq!(reach.meets(&ours), meets, "{reach:?}");
        }
    }

    #[test]
    fn what_claims_nothing_rests_on_nothing() {
        let nothing = footing(&[], &["mode"]);
        for reach in [Reach::Study, Reach::Configurations(vec![0]), effect("mode", &[0])] {
            assert!(!reach.meets(&nothing), "{reach:?}");
        }
    }

    #[test]
    fn only_a_failed_audit_impugns() {
        let audit = |name: &str, status, about| Audit {
            name: name.to_owned(),
            status,
            summary: String::new(),
            evidence: Vec::new(),
            advice: String::new(),
            about,
        };
        let audits = [
            audit("here", Status::Fail, vec![Reach::Configurations(vec![5]), Reach::Configurations(vec![1])]),
            audit("elsewhere", Status::Fail, vec![Reach::Configurations(vec![5])]),
            audit("warned", Status::Warn, vec![Reach::Study]),
            audit("passed", Status::Pass, Vec::new()),
        ];
        let ours = footing(&[1], &[]);
        let names: Vec<&str> = impugning(&audits, &ours).map(|audit| audit.name.as_str()).collect();
        assert_eq!(names, ["here"]);
    }
}
