//! What is stated about a fleet.

use crate::disk::{Disk, Stratum};
use crate::distribution::Distribution;
use crate::fact::Fact;
use crate::gap::{FailedTrials, MissingRanks, Overlap, Unread, Unused};
use crate::question::Question;
use crate::rule::{DISKS_MIN, ROUNDS_MIN};
use crate::standing::DiskStatus;
use crate::suspect::Suspect;
use model::figure::{agreeing, count, counted, ratio};
use model::rank::Rank;
use model::units::format_bytes_approximate;
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
    pub fn standing(&self, standing: DiskStatus) -> impl Iterator<Item = &DiskResult> {
        self.disks.iter().filter(move |disk| disk.standing == standing)
    }

    /// Whether something that was to be measured was not, or is not used: then it is not known that every disk is
    /// within its limits.
    pub fn is_incomplete(&self) -> bool {
        let is_unknown = |unread: &Unread| match &unread.why {
            Unused::Unreadable { .. } => true,
            Unused::Shared => false,
            // A disk that another run measured has a standing of its own.
            Unused::MeasuredNothing { disk, .. } => !self.disks.iter().any(|known| known.disk == *disk),
        };
        let not_checked = self.standing(DiskStatus::NotChecked).next();
        not_checked.is_some()
            || self.unread.iter().any(is_unknown)
            || !self.missing_ranks.is_empty()
            || self.unjudged().next().is_some()
    }

    /// Questions that no disk of a stratum is judged in, although some have figures of them: too few have six rounds. A
    /// stratum that is judged in nothing is not assessable as a whole.
    pub fn unjudged(&self) -> impl Iterator<Item = &Distribution> {
        let is_unjudged = |distribution: &&Distribution| {
            distribution.limit.is_none()
                && !distribution.figures.is_empty()
                && self.strata[distribution.stratum].assessable
        };
        self.distributions.iter().filter(is_unjudged)
    }

    /// How many of what.
    pub(crate) fn title(&self) -> String {
        let strata = counted(self.strata.len(), "stratum", "strata");
        format!("{}, {}, {strata}", count(self.disks.len(), "disk"), count(self.runs, "run"))
    }

    /// What is known about how many disks: a sentence or two.
    pub(crate) fn summary(&self) -> String {
        if self.disks.is_empty() {
            return "No run of a disk can be compared.".to_owned();
        }
        let of = |standing| self.standing(standing).count();
        let slow = DiskStatus::Slow.of_disks(of(DiskStatus::Slow));
        let rest = [
            DiskStatus::Suspect,
            DiskStatus::NotChecked,
            DiskStatus::NotConfirmed,
            DiskStatus::WithinLimits,
            DiskStatus::NotAssessable,
        ];
        let rest = rest.into_iter().map(|standing| (standing, of(standing))).filter(|(_, disks)| *disks > 0);
        let rest: Vec<String> = rest.map(|(standing, disks)| standing.of_disks(disks)).collect();
        let disks =
            if rest.is_empty() { format!("{slow}.") } else { format!("{slow}; {}.", rest.join(", ")) };
        let unjudged = self.unjudged().count();
        if unjudged == 0 {
            return disks;
        }
        let questions = counted(unjudged, "question is", "questions are");
        let of_them = agreeing(unjudged, "it", "them");
        format!(
            "{disks} {questions} not judged, because fewer than {DISKS_MIN} disks have {ROUNDS_MIN} rounds of \
             {of_them}."
        )
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
    pub disks: usize,
    /// Whether any question about it can be judged.
    pub assessable: bool,
    /// When the earliest and the latest of its first measurements began, RFC 3339 in UTC; `None` if none is used.
    pub began_at: Option<(String, String)>,
}

impl StratumResult {
    /// Its name, its size, when it was measured, and why it is not judged: a line.
    pub(crate) fn text(&self) -> String {
        let day = |time: &str| time.chars().take(10).collect::<String>();
        let measured = match self.began_at.as_ref().map(|(first, last)| (day(first), day(last))) {
            None => String::new(),
            Some((first, last)) if first == last => format!(", measured {first}"),
            Some((first, last)) => format!(", measured {first} to {last}"),
        };
        let needed = format!("a judgement needs {DISKS_MIN} disks with {ROUNDS_MIN} rounds each");
        let too_small = match (self.assessable, self.disks < DISKS_MIN) {
            (true, _) => String::new(),
            (false, true) => format!(", not assessable: {needed}"),
            (false, false) => format!(", not assessable: {needed}, and too few have them"),
        };
        format!("{}: {}{measured}{too_small}", self.stratum, count(self.disks, "disk"))
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct DiskResult {
    #[serde(flatten)]
    pub disk: Disk,
    pub stratum: usize,
    /// Its runs, in the order of time.
    pub runs: Vec<RunOfDisk>,
    /// What is known about it.
    pub standing: DiskStatus,
    /// The question in which its first measurement is the furthest from the median of its stratum, on the slow side: a
    /// distribution, and how many times as fast as the median the disk is, below 1 if it is slower.
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

impl DiskResult {
    /// Why it is not checked, or what its runs lack, without a full stop.
    pub(crate) fn lacks(&self) -> String {
        let failed = self.failed.text();
        let unanswered = (self.unanswered > 0).then(|| {
            let (one, more) = ("question of its stratum has", "questions of its stratum have");
            format!("{} no figure of {ROUNDS_MIN} rounds here", counted(self.unanswered, one, more))
        });
        let lacks: Vec<String> = failed.into_iter().chain(unanswered).collect();
        if !lacks.is_empty() {
            return lacks.join("; ");
        }
        let is_used = self.runs.iter().any(|run| run.used == RunUse::First);
        let why = match (is_used, self.judged) {
            (false, _) => "None of its runs is used",
            (true, 0) => "Too few disks of its stratum answer its questions",
            (true, _) => "Its latest run is not used",
        };
        why.to_owned()
    }

    /// `0.51× (IOPS of depth, iodepth=32)`: where it is the furthest from the median.
    pub(crate) fn slowest(&self, statement: &Statement) -> Option<String> {
        let (distribution, times) = self.slowest?;
        let asked = statement.questions.get(statement.distributions.get(distribution)?.question)?;
        Some(format!("{} ({})", ratio(times), asked.title()))
    }
}

/// A run of a disk.
#[derive(Clone, Debug, Serialize)]
pub struct RunOfDisk {
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

impl RunOfDisk {
    /// `RUN, 2026-11-21T10:00:00Z, rank 3 of 8`.
    pub(crate) fn text(&self) -> String {
        let rank = self.rank.map(|rank| format!(", {rank}")).unwrap_or_default();
        let used = match self.used {
            RunUse::First => "",
            RunUse::Second => ", measured again",
            RunUse::Unused => ", not used",
        };
        format!("{}, {}{rank}{used}", self.run, self.began_at)
    }
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

/// Something recorded that most disks of the stratum share, and a suspect does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    pub fact: Fact,
    /// As recorded for the suspect; `None` if it was not reported.
    pub here: Option<String>,
    /// As recorded for most disks.
    pub most: String,
}

impl Difference {
    /// `I/O scheduler mq-deadline (most: none)`.
    pub(crate) fn text(&self) -> String {
        let Self { fact, here, most } = self;
        let is_bytes = matches!(fact, Fact::DeviceBytes | Fact::MemoryBytes);
        let text = |value: &str| {
            let bytes = value.parse().ok().filter(|_| is_bytes);
            bytes.map_or_else(|| value.to_owned(), format_bytes_approximate)
        };
        let here = here.as_deref().map_or_else(|| "not reported".to_owned(), text);
        format!("{} {here} (most: {})", fact.name(), text(most))
    }
}
