//! Why nothing is advised, as data: `report` has the words.

use crate::statement::{Compared, Statement, Syncs};
use crate::version::Versions;
use serde::Serialize;
use verdict::Estimate;
use verdict::finding::{Opposing, Reason};

/// A parameter and its level.
pub type Levels = Vec<(String, String)>;

/// Why nothing is advised.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// No study runs the workload at these levels.
    NoCells {
        /// The workload.
        workload: String,
        /// The levels.
        held: Levels,
    },
    /// No study has the two arms beside each other.
    NoArms {
        /// The workload.
        workload: String,
        /// What both have.
        held: Levels,
        /// One arm.
        base: Levels,
        /// The other.
        other: Levels,
    },
    /// No study has what the rule needs.
    Missing(Missing),
    /// The most committers are too few for the setting to act.
    FewCommitters {
        /// The most.
        most: f64,
        /// Transactions that have to be open beside the one that commits.
        siblings: f64,
    },
    /// No trial of a configuration succeeded.
    NoTrial {
        /// The configuration.
        configuration: String,
    },
    /// A configuration lacks a metric.
    NoFigure {
        /// The configuration.
        configuration: String,
        /// Full metric name.
        metric: String,
        /// What its records say, where they say anything.
        why: Option<String>,
    },
    /// The comparison in a study cannot be carried out.
    NotCompared(Reason),
    /// The comparison in a study gives no interval.
    NoInterval {
        /// The study.
        study: String,
        /// Why.
        why: Reason,
    },
    /// A pair has a ratio without an interval.
    NoRatio(Compared),
    /// Cells point different ways.
    DependsOn {
        /// The study.
        study: String,
        /// Full metric name.
        metric: String,
        /// Which cells.
        opposing: Opposing,
    },
    /// A finding of the same run proves the opposite.
    AgainstFinding {
        /// The study.
        study: String,
        /// The finding, `compare block_size`.
        finding: String,
        /// What the finding proves: its ratio.
        found: Estimate,
        /// What the rule compared.
        compared: Estimate,
    },
    /// The arms promise different things: each configuration with its durability class.
    UnlikePromises {
        /// One of them.
        one: (String, String),
        /// The other.
        other: (String, String),
    },
    /// One side read from the page cache.
    FromCache {
        /// The pair.
        pair: Compared,
        /// Share of its bytes.
        share: f64,
    },
    /// The arm that reads the fastest may be slower than another one.
    MayBeSlower(Compared),
    /// How many reads are enough cannot be assessed.
    ReadsNotAssessable(Reason),
    /// Too few rounds of PostgreSQL's temporary tables.
    FewRounds {
        /// The number needed.
        needed: usize,
    },
    /// A table did not fit into the most buffers that were measured.
    DidNotFit {
        /// Its pages.
        pages: u64,
    },
    /// Most trials keep the limit of their syncs, and not all do.
    SomeAbove(Syncs),
    /// Whether most trials keep the limit of their syncs is open.
    MajorityOpen(Syncs),
    /// An audit failed that it rests on.
    AuditFailed {
        /// The study.
        study: String,
        /// The audit.
        audit: String,
        /// What it found.
        summary: String,
    },
    /// An audit that it requires could not be carried out.
    NotProven {
        /// The study.
        study: String,
        /// What the audit leaves open, in its own words.
        question: String,
    },
    /// No study of a disk shows what the setting does.
    OnlyTheDatabase,
    /// Nothing was measured.
    NothingMeasured,
    /// The value in use, if there is one, was not among those that were compared.
    InUseNotCompared {
        /// The value in use.
        in_use: Option<String>,
    },
    /// The interval of the estimate includes the value in use and others, so it decides between none of them.
    TooWide {
        /// The estimate.
        estimate: Estimate,
        /// The value in use.
        in_use: String,
        /// Other values that it includes.
        others: Vec<String>,
    },
    /// The value in use guarantees less than this one.
    GuaranteesLess {
        /// The value that guarantees more.
        safe: &'static str,
    },
    /// Other values may be better, and only the database itself shows which.
    Untried(Statement),
    /// The version of the database lacks the setting.
    NotInVersion {
        /// The program.
        program: &'static str,
        /// The versions that have it.
        versions: Versions,
    },
    /// The version of the database is not known, and not every version has the setting.
    VersionUnknown {
        /// The program.
        program: &'static str,
        /// The versions that have it.
        versions: Versions,
    },
    /// The database ignores it, because another setting has this value.
    Overridden {
        /// The program.
        program: &'static str,
        /// The other setting.
        setting: String,
        /// Its value.
        value: String,
    },
    /// The value depends on what the user stores.
    DependsOnData {
        /// The setting.
        setting: String,
        /// The advised value.
        value: String,
    },
}

/// What no study of a run has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// Block sizes and hints of a dataset's readers.
    BlocksAndHints,
    /// A second block size or hint.
    SecondReader,
    /// A log synced by fdatasync.
    SyncedLog,
    /// Committers that vary, of a log written by plain calls.
    Committers,
    /// One committer.
    OneCommitter,
    /// Random writes.
    RandomWrites,
    /// A search for the depth that is enough.
    DepthSearch,
    /// The time of one commit.
    CommitTime,
    /// An interval of the page costs' ratio.
    PageCosts,
}

impl Cause {
    /// Whether the run lacks the configurations that the rule needs, rather than a figure of them.
    pub fn is_about_the_plan(&self) -> bool {
        match self {
            Self::NoCells { .. } | Self::NoArms { .. } | Self::FewCommitters { .. } => true,
            Self::Missing(what) => match what {
                Missing::BlocksAndHints
                | Missing::SecondReader
                | Missing::SyncedLog
                | Missing::Committers
                | Missing::OneCommitter
                | Missing::RandomWrites
                | Missing::DepthSearch => true,
                Missing::CommitTime | Missing::PageCosts => false,
            },
            Self::NoTrial { .. }
            | Self::NoFigure { .. }
            | Self::NotCompared(_)
            | Self::NoInterval { .. }
            | Self::NoRatio(_)
            | Self::DependsOn { .. }
            | Self::AgainstFinding { .. }
            | Self::UnlikePromises { .. }
            | Self::FromCache { .. }
            | Self::MayBeSlower(_)
            | Self::ReadsNotAssessable(_)
            | Self::FewRounds { .. }
            | Self::DidNotFit { .. }
            | Self::SomeAbove(_)
            | Self::MajorityOpen(_)
            | Self::AuditFailed { .. }
            | Self::NotProven { .. }
            | Self::OnlyTheDatabase
            | Self::NothingMeasured
            | Self::InUseNotCompared { .. }
            | Self::TooWide { .. }
            | Self::GuaranteesLess { .. }
            | Self::Untried(_)
            | Self::NotInVersion { .. }
            | Self::VersionUnknown { .. }
            | Self::Overridden { .. }
            | Self::DependsOnData { .. } => false,
        }
    }
}
