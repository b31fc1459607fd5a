//! A plan: every study of a run with its configurations, resolved to the last parameter.

use crate::rank::Rank;
use crate::server::ServerIdentity;
use crate::study::Ask;
use crate::trial::TrialKey;
use crate::turns::Arm;
use crate::{Configuration, Description, FORMAT_VERSION, Observed, Value};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

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
    #[serde(with = "crate::path_text")]
    pub directory: PathBuf,
    /// Seed of every random order and of every trial.
    pub seed: u64,
    /// How long the run may take, in seconds; `None` if every round is run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_s: Option<f64>,
    /// The PostgreSQL server that trials drive, if some do. Absent in plans of before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerIdentity>,
    /// The database whose settings the run is for, by its name on the command line; `None` if it is for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// Its place among the runs that a launcher started together; `None` if it was started alone, and in plans of
    /// before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<Rank>,
    /// Whether it measures a disk again, as a suspect or a control of `syncline fleet`: then it is not the disk's first
    /// measurement.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
    /// The studies, in running order.
    pub studies: Vec<StudyPlan>,
    /// Studies that were wanted and that the machine does not permit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Skipped>,
}

/// An empty plan of this version.
impl Default for Plan {
    fn default() -> Self {
        Self {
            format_version: FORMAT_VERSION,
            program_version: String::new(),
            created_at: String::new(),
            directory: PathBuf::new(),
            seed: 0,
            budget_s: None,
            server: None,
            database: None,
            rank: None,
            again: false,
            studies: Vec::new(),
            skipped: Vec::new(),
        }
    }
}

/// A study that was wanted and that the machine does not permit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    pub study: String,
    /// Why, and how to have it.
    pub why: String,
}

/// One study of a plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StudyPlan {
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
    /// What each configuration is, in the same order. Absent in plans of before it was kept, which their reader
    /// describes; so it is empty only if the workload is one of a later version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub descriptions: Vec<Description>,
    /// Levels that name the baseline; what they leave out is compared level by level.
    pub baseline: Configuration,
    /// The configuration that runs twice a round: the A/A arm.
    pub duplicate: usize,
    /// The comparisons to make from the records.
    pub asks: Vec<Ask>,
    /// Full names of the metrics that the study is about: those asked about, also where an ask lost its meaning because
    /// its factor has one level here, and those that are only shown. Empty in plans of before it was kept.
    #[serde(default)]
    pub responses: Vec<String>,
    /// What was observed of a program whose load one of the arms repeats; `None` for most studies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<Observed>,
    /// Rounds that are recorded but not analysed, before the others.
    pub warmup_rounds: u32,
    /// Rounds that are analysed; if there are looks, at most.
    pub rounds: u32,
    /// Analysed rounds after which the study is looked at and may end: rising, the last is [`Self::rounds`]. Empty if
    /// all rounds are run whatever they show.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<u32>,
    /// Seconds within which a round ends, as the author of the profile states; `None` if nothing is stated, or if the
    /// command line changed what it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_s_stated: Option<f64>,
    /// Whether files are prepared again each round, because their placement is under study.
    pub fresh_placement: bool,
    /// Whether the trials of a round take turns, as far as their workloads can.
    #[serde(default, skip_serializing_if = "Turns::is_off")]
    pub turns: Turns,
    /// The blocks of a round, if its trials do not all fit together into the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Blocks>,
    /// Configurations that could take turns and run alone, because they are compared with some that cannot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alone: Vec<usize>,
    /// Combinations that were left out, with the reason.
    pub excluded: Vec<String>,
    /// Traced trials of each configuration, after all others. No figure is made from them.
    #[serde(default, skip_serializing_if = "is_none")]
    pub traced: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_none(trials: &u32) -> bool {
    *trials == 0
}

impl Plan {
    /// What the configuration of a trial is; `None` if the plan does not have it, or nobody here knows its workload.
    pub fn description(&self, key: &TrialKey) -> Option<&Description> {
        let study = self.studies.iter().find(|study| study.name == key.study)?;
        study.description(key.configuration)
    }

    /// Whether a later session may measure what is missing: ranks that share their storage would have to meet again.
    pub fn is_resumable(&self) -> bool {
        !self.rank.is_some_and(|rank| rank.is_shared)
    }
}

/// Whether the trials of a round take turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Turns {
    /// They run one after another, as in every plan of before turns were known.
    #[default]
    Off,
    /// In slices as long as a pilot finds best.
    Auto,
    /// In slices of this length, seconds.
    Every(f64),
    /// They would, but not even the baseline and one other fit together into what the machine has: they run one after
    /// another.
    DoNotFit(Shortage),
}

/// A round in parts that take turns one after another, because the machine does not have what all trials of a round
/// need together.
///
/// Every block has a trial of the baseline, and the other trials of the round are divided among the blocks again in
/// each round: an incomplete block design in which the baseline is the control of each block. Trials of different
/// blocks are compared through it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocks {
    /// Blocks in a round, at least 2.
    pub count: u32,
    /// Why a round is not one block: what all trials of a round need.
    #[serde(flatten)]
    pub shortage: Shortage,
}

/// Trials need more of something than the machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shortage {
    pub short: Resource,
    /// What they need together, in the unit of the resource.
    #[serde(alias = "needed_bytes")]
    pub needed: u64,
    #[serde(alias = "available_bytes")]
    pub available: u64,
}

/// What trials may run out of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// Bytes of memory: buffers, and the page cache that they are to have.
    Memory,
    /// Bytes on the file system, for each trial's own files.
    Room,
    /// Bytes of memory that may be locked: buffers that are registered with a ring.
    LockedMemory,
    /// Open files: the lab holds some for each worker.
    OpenFiles,
}

impl Turns {
    /// Whether trials take turns.
    pub const fn are_taken(self) -> bool {
        match self {
            Self::Auto | Self::Every(_) => true,
            Self::Off | Self::DoNotFit(_) => false,
        }
    }

    /// Whether they were not asked for.
    pub const fn is_off(&self) -> bool {
        matches!(self, Self::Off)
    }
}

/// A factor and its levels, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Factor {
    pub name: String,
    pub levels: Vec<Value>,
}

impl StudyPlan {
    /// Rounds of both kinds.
    pub fn rounds_total(&self) -> u32 {
        self.warmup_rounds.saturating_add(self.rounds)
    }

    /// Whether a trial is one of these: a record may name anything.
    pub fn has(&self, key: &TrialKey) -> bool {
        key.study == self.name
            && key.round < self.rounds_total()
            && key.configuration < self.configurations.len()
            && (!key.duplicate || key.configuration == self.duplicate)
            && key.block < self.blocks_per_round()
    }

    /// Blocks in one round; 1 if all of its trials fit together into the machine.
    pub fn blocks_per_round(&self) -> u32 {
        // A block has the baseline and at least one other trial, and a plan may come from a stranger.
        let most = u32::try_from(self.configurations.len()).unwrap_or(u32::MAX);
        self.blocks.map_or(1, |blocks| blocks.count.min(most).max(1))
    }

    /// Whether an arm has a trial in every block of a round: the baseline, with which the others are compared.
    pub fn is_in_every_block(&self, arm: Arm) -> bool {
        arm == Arm { configuration: self.duplicate, duplicate: false }
    }

    /// Analysed rounds that are run whatever they show.
    pub fn rounds_first(&self) -> u32 {
        self.looks.first().copied().unwrap_or(self.rounds).min(self.rounds)
    }

    /// Analysed rounds that are wanted once `begun` of them have a record: a round that was begun is to be finished.
    pub fn rounds_wanted(&self, begun: u32) -> u32 {
        self.rounds_first().max(begun.min(self.rounds))
    }

    /// Analysed rounds that have a record, where `rounds` are those of the study's records, warm-up included.
    pub fn rounds_begun(&self, rounds: impl Iterator<Item = u32>) -> u32 {
        let planned = rounds.filter(|round| *round < self.rounds_total());
        planned.max().map_or(0, |last| (last + 1).saturating_sub(self.warmup_rounds))
    }

    /// Whether the baseline runs twice a round. A single round gives no interval, so its A/A arm would tell nothing.
    pub fn has_duplicate(&self) -> bool {
        self.rounds_total() > 1
    }

    /// Trials in one round: every configuration, the A/A arm, and the baseline again in every further block.
    pub fn trials_per_round(&self) -> usize {
        let again = self.blocks_per_round().saturating_sub(1) as usize;
        self.configurations.len().saturating_add(usize::from(self.has_duplicate())).saturating_add(again)
    }

    /// A configuration's label: its levels of the factors.
    pub fn label(&self, configuration: usize) -> String {
        let names = self.factors.iter().map(|factor| factor.name.as_str());
        self.configurations.get(configuration).map(|values| values.label(names)).unwrap_or_default()
    }

    /// What a configuration is; `None` if nobody here knows its workload.
    pub fn description(&self, configuration: usize) -> Option<&Description> {
        self.descriptions.get(configuration)
    }

    /// Whether the trials of a configuration take turns with others.
    pub fn takes_turns(&self, configuration: usize) -> bool {
        let can = self.description(configuration).is_some_and(|description| description.turns.interleavable);
        self.turns.are_taken() && can && !self.alone.contains(&configuration)
    }

    pub fn factor(&self, name: &str) -> Option<&Factor> {
        self.factors.iter().find(|factor| factor.name == name)
    }
}
