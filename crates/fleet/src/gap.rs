//! What was to be measured and was not, or is not used.

use crate::disk::Disk;
use model::figure::{agreeing, count};
use model::rank::Rank;
use model::trial::TrialOutcome;
use serde::Serialize;
use verdict::Observations;

/// A run directory that is not used.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unread {
    pub run: String,
    #[serde(flatten)]
    pub why: Unused,
}

impl Unread {
    pub(crate) fn text(&self) -> String {
        match &self.why {
            Unused::Unreadable { error } => format!("not used: {error}"),
            Unused::Shared => format!(
                "{} is not used, because its ranks measured storage that they share: syncline report prints what all \
                 of them did",
                self.run
            ),
            Unused::MeasuredNothing { disk, failed, .. } => {
                let failed = failed.text().map_or_else(String::new, |failed| format!(": {failed}"));
                format!("{disk} is not checked, because no trial of {} measured anything{failed}", self.run)
            }
        }
    }
}

/// Why a run directory is not used.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Unused {
    /// It cannot be read.
    Unreadable { error: String },
    /// The ranks of its launch measured storage that they share, all at the same time: nothing follows about one of
    /// them alone.
    Shared,
    /// No trial in it measured anything.
    MeasuredNothing {
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
    pub size: u32,
    /// How many of them have no run.
    pub missing: usize,
    /// The first of these.
    pub first: Vec<u32>,
    /// How many of them have a run of an earlier launch in the same folder, which is used: perhaps only the others were
    /// started again.
    pub earlier: usize,
}

impl MissingRanks {
    /// `2 of the 16 ranks of the launch in fleet that began at 2026-11-21T10:00:00Z have no run that can be read: ranks
    /// 3, 7`.
    pub(crate) fn text(&self) -> String {
        let Self { folder, began_at, size, missing, first, earlier } = self;
        let listed = first.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let more = if first.len() < *missing { ", …" } else { "" };
        let lack = match missing {
            1 => format!("has no run that can be read: rank {listed}"),
            _ => format!("have no run that can be read: ranks {listed}{more}"),
        };
        let of = count(*size as usize, "rank");
        let used = match earlier {
            0 => String::new(),
            1 => "; a run of an earlier launch is used for 1 of them".to_owned(),
            _ => format!("; runs of an earlier launch are used for {earlier} of them"),
        };
        format!("{missing} of the {of} of the launch in {folder} that began at {began_at} {lack}{used}")
    }
}

/// Two runs of one disk, by its name, of which neither is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Overlap {
    /// The one that began first.
    pub first: String,
    pub other: String,
    /// Whether they are two ranks of one launch: of two hosts with one name, or of one host. If not, they ran at the
    /// same time.
    pub is_one_launch: bool,
}

impl Overlap {
    pub(crate) fn text(&self) -> String {
        let Self { first, other, is_one_launch } = self;
        if *is_one_launch {
            format!(
                "{first} and {other} are two ranks of one launch with the same host and directory: two hosts have one \
                 name, or two ranks ran on one host. Neither is used"
            )
        } else {
            format!(
                "{first} and {other} measured one disk at the same time and disturbed each other: neither is used"
            )
        }
    }
}

/// Trials that failed or were killed. Those that the machine does not support are not counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FailedTrials {
    pub count: usize,
    /// What happened to the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<TrialOutcome>,
}

impl FailedTrials {
    pub(crate) fn of(studies: &[Observations<'_>]) -> Self {
        let outcomes = studies.iter().flat_map(Observations::all).map(|record| &record.outcome);
        let mut failed = outcomes.filter(|outcome| match outcome {
            TrialOutcome::Failed(_) | TrialOutcome::Killed(_) => true,
            TrialOutcome::Ok | TrialOutcome::Unsupported(_) => false,
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
    /// `2 trials failed, the first: no space left on device`; `None` if none failed.
    pub(crate) fn text(&self) -> Option<String> {
        let why = match self.first.as_ref()? {
            TrialOutcome::Failed(why) | TrialOutcome::Unsupported(why) => why.clone(),
            TrialOutcome::Killed(seconds) => format!("killed at its deadline after {seconds:.0} s"),
            TrialOutcome::Ok => return None,
        };
        let first = agreeing(self.count, "", ", the first");
        Some(format!("{} failed{first}: {why}", count(self.count, "trial")))
    }
}
