//! What was to be measured and was not, or is not used.

use crate::disk::Disk;
use model::rank::Rank;
use model::trial::Outcome;
use serde::Serialize;
use verdict::Observations;

/// A run directory that is not used.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unread {
    /// The directory.
    pub run: String,
    /// Why.
    #[serde(flatten)]
    pub why: Unused,
}

/// Why a run directory is not used.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Unused {
    /// It cannot be read.
    Unreadable {
        /// The error.
        error: String,
    },
    /// The ranks of its launch measured storage that they share, all at the same time: nothing follows about one of them alone.
    Shared,
    /// No trial in it measured anything.
    MeasuredNothing {
        /// Its disk.
        #[serde(flatten)]
        disk: Disk,
        /// When it began, RFC 3339 in UTC.
        began_at: String,
        /// Its place among the runs of one launch.
        #[serde(skip_serializing_if = "Option::is_none")]
        rank: Option<Rank>,
        /// Its trials that failed.
        failed: FailedTrials,
    },
}

/// A launch without a run of every rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MissingRanks {
    /// The folder of its run directories.
    pub folder: String,
    /// When its earliest run began, RFC 3339 in UTC.
    pub began_at: String,
    /// Its ranks.
    pub size: u32,
    /// How many of them have no run.
    pub missing: usize,
    /// The first of these.
    pub first: Vec<u32>,
    /// How many of them have a run of an earlier launch in the same folder, which is used: perhaps only the others were started again.
    pub earlier: usize,
}

/// Two runs of one disk, by its name, of which neither is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Overlap {
    /// The one that began first.
    pub first: String,
    /// The other.
    pub other: String,
    /// Whether they are two ranks of one launch: of two hosts with one name, or of one host. If not, they ran at the same time.
    pub is_one_launch: bool,
}

/// Trials that failed or were killed. Those that the machine does not support are not counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FailedTrials {
    /// How many.
    pub count: usize,
    /// What happened to the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Outcome>,
}

impl FailedTrials {
    pub(crate) fn of(studies: &[Observations<'_>]) -> Self {
        let outcomes = studies.iter().flat_map(Observations::all).map(|record| &record.outcome);
        let mut failed = outcomes.filter(|outcome| match outcome {
            Outcome::Failed(_) | Outcome::Killed(_) => true,
            Outcome::Ok | Outcome::Unsupported(_) => false,
        });
        let first = failed.next().cloned();
        Self { count: usize::from(first.is_some()) + failed.count(), first }
    }

    /// Those of several runs.
    pub(crate) fn sum<'a>(all: impl Iterator<Item = &'a Self>) -> Self {
        all.fold(Self::default(), |sum, other| Self {
            count: sum.count + other.count,
            first: sum.first.or_else(|| other.first.clone()),
        })
    }
}
