//! Why two runs are not compared.

use super::comparison::Difference;

/// Why two runs are not compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Both are the same run.
    #[error("A and B are the same run, started at {created_at}: give two runs")]
    SameRun {
        /// When it was created.
        created_at: String,
    },
    /// No study of one has the name of a study of the other.
    #[error("the runs have no study in common: A has {}, B has {}", names(.a), names(.b))]
    NoStudyInCommon {
        /// The studies of A.
        a: Vec<String>,
        /// The studies of B.
        b: Vec<String>,
    },
    /// They have nothing in common.
    #[error("{0}")]
    NothingInCommon(String),
    /// Parameters were set differently.
    #[error("the runs differ in more than their surroundings: {}", list(.0))]
    Knobs(Vec<Difference>),
    /// Runs of one side had parameters set differently.
    #[error("the runs of one side differ: {}", list(.0))]
    UnlikeRuns(Vec<Difference>),
    /// An allowed name that neither run has.
    #[error("{0}")]
    UnknownKnob(String),
}

fn names(studies: &[String]) -> String {
    if studies.is_empty() { "none".to_owned() } else { studies.join(", ") }
}

fn list(differences: &[Difference]) -> String {
    let words = |it: &Difference| format!("{} is {} in A and {} in B", it.what, it.a, it.b);
    differences.iter().map(words).collect::<Vec<_>>().join(", ")
}

impl Refusal {
    /// The parameters that would have to be allowed to differ, each once; none if that would not help.
    pub fn knobs(&self) -> Vec<&str> {
        let differences = match self {
            Self::Knobs(differences) => differences.as_slice(),
            Self::SameRun { .. }
            | Self::NoStudyInCommon { .. }
            | Self::NothingInCommon(_)
            | Self::UnlikeRuns(_)
            | Self::UnknownKnob(_) => &[],
        };
        let mut names: Vec<&str> = differences.iter().map(Difference::knob).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}
