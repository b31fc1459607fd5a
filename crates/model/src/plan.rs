//! A plan: every study of a run with its configurations, resolved to the last parameter.

use crate::study::Ask;
use crate::{Configuration, Value};
use serde::{Deserialize, Serialize};

/// What a run does; written to the run directory before the first trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Format of this file ([`crate::FORMAT_VERSION`]).
    pub format_version: u32,
    /// Version of the program that made it.
    pub program_version: String,
    /// When it was made, RFC 3339 in UTC.
    pub created_at: String,
    /// The directory whose disk is measured.
    pub directory: String,
    /// Seed of every random order and of every trial.
    pub seed: u64,
    /// The studies, in running order.
    pub studies: Vec<StudyPlan>,
}

/// One study of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyPlan {
    /// Its name.
    pub name: String,
    /// The question it answers.
    pub question: String,
    /// The workload its trials run.
    pub workload: String,
    /// The profile that was taken.
    pub profile: String,
    /// What varies; a study of named arms has the one factor `arm`.
    pub factors: Vec<Factor>,
    /// Every configuration, in the factors' order.
    pub configurations: Vec<Configuration>,
    /// Levels that name the baseline; what they leave out is compared level by level.
    pub baseline: Configuration,
    /// The configuration that runs twice a round: the A/A arm.
    pub duplicate: usize,
    /// What is asked of the records.
    pub asks: Vec<Ask>,
    /// Full names of the metrics that the study is about: those asked about, also where an ask lost its meaning because
    /// its factor has one level here, and those that are only shown. Empty in plans of before it was kept.
    #[serde(default)]
    pub responses: Vec<String>,
    /// Rounds that are recorded but not analysed, before the others.
    pub warmup_rounds: u32,
    /// Rounds that are analysed.
    pub rounds: u32,
    /// Whether files are prepared anew each round, because their placement is under study.
    pub fresh_placement: bool,
    /// Combinations that were left out, with the reason.
    pub excluded: Vec<String>,
}

/// A factor and its levels, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Factor {
    /// Parameter name.
    pub name: String,
    /// Its levels.
    pub levels: Vec<Value>,
}

impl StudyPlan {
    /// Rounds of both kinds.
    pub fn rounds_total(&self) -> u32 {
        self.warmup_rounds.saturating_add(self.rounds)
    }

    /// Whether the baseline runs twice a round. A single round gives no interval, so its A/A arm would tell nothing.
    pub fn has_duplicate(&self) -> bool {
        self.rounds_total() > 1
    }

    /// Trials in one round: every configuration and the A/A arm.
    pub fn trials_per_round(&self) -> usize {
        self.configurations.len() + usize::from(self.has_duplicate())
    }

    /// A configuration's label: its levels of the factors.
    pub fn label(&self, configuration: usize) -> String {
        let names = self.factors.iter().map(|factor| factor.name.as_str());
        self.configurations.get(configuration).map(|values| values.label(names)).unwrap_or_default()
    }

    /// Finds a factor.
    pub fn factor(&self, name: &str) -> Option<&Factor> {
        self.factors.iter().find(|factor| factor.name == name)
    }
}
