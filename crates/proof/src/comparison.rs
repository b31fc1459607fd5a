//! What is compared, and about what it makes a claim.

use crate::load::Load;
use serde::{Deserialize, Serialize};

/// What a claim is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// All changes together, against what runs now.
    Bundle,
    /// What is left of the bundle without the refuted changes, against what runs now.
    Mended,
    /// One setting of the bundle: the bundle against the bundle without it.
    Setting(String),
    /// One candidate of a race, against what runs now.
    Candidate { name: String, value: String },
    /// A named server, against the baseline.
    Server(String),
}

/// Two arms of a study, under one of its loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// What it makes a claim about.
    pub subject: Subject,
    /// The load whose metric is compared.
    pub load: Load,
    /// The arm below the line of the ratio.
    pub base: String,
    /// The arm above it.
    pub other: String,
}
