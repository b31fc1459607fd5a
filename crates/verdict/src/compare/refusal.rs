//! Why two runs are not compared.

use super::comparison::Difference;

/// Why two runs are not compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Both are the same run.
    #[error("A and B are the same run, begun at {created_at}: give two runs")]
    SameRun {
        /// When it was begun.
        created_at: String,
    },
    /// There is nothing that both have.
    #[error("{0}")]
    NothingInCommon(String),
    /// They were set differently.
    #[error("the runs differ in more than their surroundings: {}; to compare them all the same: {}",
        list(.0), flags(.0))]
    Knobs(Vec<Difference>),
    /// A name to allow that neither run has.
    #[error("{0}")]
    UnknownKnob(String),
}

fn list(differences: &[Difference]) -> String {
    let words = |it: &Difference| format!("{} is {} in A and {} in B", it.what, it.a, it.b);
    differences.iter().map(words).collect::<Vec<_>>().join(", ")
}

/// The options that allow them, each once.
fn flags(differences: &[Difference]) -> String {
    let mut names: Vec<&str> = differences.iter().map(Difference::knob).collect();
    names.sort_unstable();
    names.dedup();
    names.iter().map(|name| format!("--allow-different {name}")).collect::<Vec<_>>().join(" ")
}
