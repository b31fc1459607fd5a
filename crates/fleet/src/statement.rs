//! What is stated about a fleet: data only, ready to be rendered or serialised.

use crate::disk::{Disk, Stratum};
use crate::fact::Fact;
use crate::gap::{FailedTrials, MissingRanks, Overlap, Unread, Unused};
use crate::question::Question;
use model::rank::Rank;
use serde::Serialize;

/// The result of many runs. Numbers of strata, disks, questions and distributions are places in its lists, from 0.
#[derive(Clone, Debug, Serialize)]
pub struct Statement {
    /// Runs that measured something.
    pub runs: usize,
    /// Disks and questions that were tested together: what Holm's procedure corrects for.
    pub tests: usize,
    /// What is compared with each other.
    pub strata: Vec<StratumResult>,
    /// In the order of strata.
    pub disks: Vec<DiskResult>,
    /// In order of study, configuration and metric.
    pub questions: Vec<Question>,
    /// One for each question in each stratum.
    pub distributions: Vec<Distribution>,
    /// Proven ones first, then the slowest.
    pub suspects: Vec<Suspect>,
    /// Runs that are not used, because they disturbed each other.
    pub overlaps: Vec<Overlap>,
    /// Run directories that are not used, because they hold no measurement.
    pub unread: Vec<Unread>,
    /// Launches that did not leave a run of every rank.
    pub missing_ranks: Vec<MissingRanks>,
}

impl Statement {
    /// The disks of which this is known, in their order.
    pub fn standing(&self, standing: Standing) -> impl Iterator<Item = &DiskResult> {
        self.disks.iter().filter(move |disk| disk.standing == standing)
    }

    /// Whether something that was to be measured was not, or is not used: then it is not known that every disk is within its limits.
    pub fn is_incomplete(&self) -> bool {
        let is_unknown = |unread: &Unread| match &unread.why {
            Unused::Unreadable { .. } => true,
            Unused::Shared => false,
            // A disk that another run measured has a standing of its own.
            Unused::MeasuredNothing { disk, .. } => !self.disks.iter().any(|known| known.disk == *disk),
        };
        let not_checked = self.standing(Standing::NotChecked).next();
        not_checked.is_some()
            || self.unread.iter().any(is_unknown)
            || !self.missing_ranks.is_empty()
            || self.unjudged().next().is_some()
    }

    /// Questions that no disk of a stratum is judged in, although some have figures of them: too few have six rounds. A stratum that is
    /// judged in nothing is not assessable as a whole.
    pub fn unjudged(&self) -> impl Iterator<Item = &Distribution> {
        let is_unjudged = |distribution: &&Distribution| {
            distribution.limit.is_none()
                && !distribution.figures.is_empty()
                && self.strata[distribution.stratum].assessable
        };
        self.distributions.iter().filter(is_unjudged)
    }

    /// The suspicions of a disk, in their order.
    pub fn suspicions_of(&self, disk: usize) -> impl Iterator<Item = &Suspect> {
        self.suspects.iter().filter(move |suspect| suspect.disk == disk)
    }
}

/// A stratum and its size.
#[derive(Clone, Debug, Serialize)]
pub struct StratumResult {
    /// What its disks have in common.
    #[serde(flatten)]
    pub stratum: Stratum,
    /// Its disks.
    pub disks: usize,
    /// Whether any question about it can be judged.
    pub assessable: bool,
    /// When the earliest and the latest of its first measurements began, RFC 3339 in UTC; `None` if none is used.
    pub began_at: Option<(String, String)>,
}

/// A disk.
#[derive(Clone, Debug, Serialize)]
pub struct DiskResult {
    /// Host and directory.
    #[serde(flatten)]
    pub disk: Disk,
    /// Its stratum.
    pub stratum: usize,
    /// Its runs, in the order of time.
    pub runs: Vec<RunOfDisk>,
    /// What is known about it.
    pub standing: Standing,
    /// The question in which its first measurement is the furthest from the median of its stratum, on the slow side: a distribution, and
    /// how many times as fast as the median the disk is, below 1 if it is slower.
    pub slowest: Option<(usize, f64)>,
    /// Trials that failed in the runs that are used.
    pub failed: FailedTrials,
    /// Questions in which it is judged.
    pub judged: usize,
    /// Questions that are judged in its stratum and were asked of it, and have no figure of six rounds.
    pub unanswered: usize,
    /// What distinguishes a suspect from most disks of its stratum; empty for every other disk.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
}

/// A run of a disk.
#[derive(Clone, Debug, Serialize)]
pub struct RunOfDisk {
    /// Its directory.
    pub run: String,
    /// When it began, RFC 3339 in UTC.
    pub began_at: String,
    /// Its place among the runs of one launch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<Rank>,
    /// What it is used for.
    #[serde(rename = "use")]
    pub used: RunUse,
}

/// What a run of a disk is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunUse {
    /// It is screened: it has the latest figures of a question.
    First,
    /// It measures the disk again, and settles a suspicion or is a control.
    Second,
    /// Nothing: a later one asks the same questions or is of another stratum, or another one disturbed it.
    Unused,
}

/// What is known about a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Two measurements prove it slow in at least one question.
    Slow,
    /// Its first measurement lies beyond a limit, and it is to be measured again.
    Suspect,
    /// It is not a suspect, and was not measured as the disks of its stratum were: trials failed, questions have no figures, or its latest
    /// run is not used.
    NotChecked,
    /// Its first measurement lies beyond a limit, and the second one does not prove it slow.
    NotConfirmed,
    /// It lies within the limits, as far as its intervals show.
    WithinLimits,
    /// No question about its stratum can be judged.
    NotAssessable,
}

/// Something recorded that most disks of the stratum share, and a suspect does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What.
    pub fact: Fact,
    /// As recorded for the suspect; `None` if it was not reported.
    pub here: Option<String>,
    /// As recorded for most disks.
    pub most: String,
}

/// One question, one stratum: the first measurement of every disk.
#[derive(Clone, Debug, Serialize)]
pub struct Distribution {
    /// The question.
    pub question: usize,
    /// The stratum.
    pub stratum: usize,
    /// The disks that answer it, in the order of the disks.
    pub figures: Vec<Figure>,
    /// Median over disks, in the metric's unit.
    pub median: f64,
    /// A disk whose whole interval lies beyond is a suspect; `None` if there are too few disks to judge.
    pub limit: Option<f64>,
    /// Disks whose histograms are added.
    pub added: usize,
    /// Operations in the added histograms; 0 if there are none.
    pub operations: u64,
    /// Quantiles of the added histograms, each with its latency in microseconds.
    pub latencies: Vec<(f64, f64)>,
}

/// One disk's figure.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Figure {
    /// The disk.
    pub disk: usize,
    /// Geometric mean over rounds, in the metric's unit.
    pub value: f64,
    /// Its interval at [`crate::LEVEL`]; `None` with too few rounds.
    pub interval: Option<(f64, f64)>,
    /// Rounds.
    pub rounds: usize,
}

/// A disk whose first measurement lies beyond a limit.
#[derive(Clone, Debug, Serialize)]
pub struct Suspect {
    /// The disk.
    pub disk: usize,
    /// The distribution.
    pub distribution: usize,
    /// Its first measurement.
    pub figure: Figure,
    /// How many times as fast as the median it is: below 1.
    pub times_median: f64,
    /// Chance of so low a disk in a stratum of equal ones, adjusted by Holm's procedure over all disks and questions.
    pub p: f64,
    /// What a second measurement shows.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What a second measurement of a suspect shows.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// It proves the disk slow.
    Slow(Confirmation),
    /// It would, but an audit of a run failed.
    Doubted {
        /// What was measured.
        #[serde(flatten)]
        confirmation: Confirmation,
        /// The runs and their failed audits.
        runs: Vec<DoubtedRun>,
    },
    /// It does not prove the disk slow.
    NotConfirmed(Confirmation),
    /// Too few disks that are not suspects were measured again within [`crate::TOGETHER_H`] hours of it.
    TooFewControls {
        /// How many were.
        controls: usize,
    },
    /// The second run has too few rounds for this question.
    TooFewRounds {
        /// How many it has.
        rounds: usize,
    },
    /// There is none.
    MeasureAgain,
}

/// A second measurement, against a limit that moved with the controls.
#[derive(Clone, Debug, Serialize)]
pub struct Confirmation {
    /// The second run's directory.
    pub run: String,
    /// What it measured.
    #[serde(flatten)]
    pub figure: Figure,
    /// The limit of the first measurement, moved by the controls.
    pub limit: f64,
    /// Controls measured again.
    pub controls: usize,
    /// Median over controls of how many times as fast their second measurement is.
    pub drift: f64,
    /// One-sided p-value that this measurement alone lies within the limit, adjusted by Holm's procedure over the suspects.
    pub p: f64,
}

/// A run with failed audits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DoubtedRun {
    /// Its directory.
    pub run: String,
    /// Whether it is the first measurement, which another second one does not mend.
    pub is_first: bool,
    /// The failed audits of the study, by name.
    pub audits: Vec<String>,
}
