//! A run, reduced to what a history needs of it.
//!
//! **The anchor of a study is its baseline**: it runs in every round, and its second trial of a round is the A/A arm.
//! Every other configuration is followed by its ratio to the baseline within rounds, in which the speed of the machine
//! at that hour cancels. The baseline itself is followed by its absolute figure, with all the scatter of the machine.

use super::question::{Question, Relation};
use super::spikes::SpikesOfRun;
use crate::attribution::failed_for;
use crate::audits::shows_busy_machine;
use crate::compare::facts_around;
use crate::control::compared;
use crate::estimate;
use crate::finding::Dependence;
use crate::observations::Observations;
use crate::verdict::{Estimate, StudyVerdict, Verdict};
use model::plan::StudyPlan;
use model::run::Run;
use model::spikes::SpikesOfRecording;
use model::units::format_bytes_approximate;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// A clock before this is one that nobody has set.
const CLOCK_SET: &str = "2020-01-01";

/// A run, reduced to the figures that are followed.
#[derive(Clone, Debug)]
pub struct Probe {
    /// The user's name for it: the run directory.
    pub run: String,
    /// When it was created, RFC 3339 in UTC.
    pub began_at: String,
    pub disk: Disk,
    pub(super) identity: (String, u64, String),
    /// When its last trial began.
    pub(super) last_trial_at: String,
    /// Whether a trial of it seems to have begun before the trial before it.
    pub(super) is_clock_set_back: bool,
    /// Whether an audit shows that others used the machine meanwhile.
    pub(super) is_disturbed: bool,
    /// What is recorded of machine, disk and program, by name.
    pub(super) facts: Vec<(&'static str, String)>,
    pub(super) figures: Vec<(Question, Followed)>,
    /// `None` if it looked for none.
    pub(super) spikes: Option<SpikesOfRun>,
}

/// What is measured: a directory of a host, on a device. A kernel, a firmware or a file system may change in the course
/// of a history, and is then listed at the changes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Disk {
    pub host: String,
    pub directory: String,
    /// Model and size of the device; empty if it reports neither.
    pub device: String,
}

/// A figure of one run.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Followed {
    /// Geometric mean over rounds with its 95 % interval.
    Figure(Estimate),
    /// Not used, and why: a clause.
    Withheld(String),
}

/// Why a run is not part of a history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unfit {
    /// It cannot be read: the error.
    Unreadable { error: String },
    /// None of its trials measured anything.
    MeasuredNothing,
    /// Other ranks measured the same storage with it.
    Shared,
    /// It was created before the clock of its machine was set.
    ClockNotSet { began_at: String },
    /// It is a copy of another one.
    CopyOf { run: String },
}

impl Unfit {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Unreadable { error } => error.clone(),
            Self::MeasuredNothing => "it measured nothing".to_owned(),
            Self::Shared => "other ranks measured the same storage with it".to_owned(),
            Self::ClockNotSet { began_at } => {
                format!("it was created at {began_at}, before the clock was set")
            }
            Self::CopyOf { run } => format!("it is a copy of {run}"),
        }
    }
}

impl Probe {
    /// What a history needs of the run of this name.
    ///
    /// # Errors
    /// Why it cannot be part of one.
    pub fn of(name: String, run: &Run, verdict: &Verdict) -> Result<Self, Unfit> {
        let plan = &run.plan;
        if plan.rank.is_some_and(|rank| rank.is_shared) {
            return Err(Unfit::Shared);
        }
        let Some(disk) = Disk::of(run) else { return Err(Unfit::MeasuredNothing) };
        if plan.created_at.as_str() < CLOCK_SET {
            return Err(Unfit::ClockNotSet { began_at: plan.created_at.clone() });
        }
        let times = || run.records.iter().map(|record| record.started_at.as_str());
        // Trials that take turns are recorded one after another with nearly the same time.
        let of_rounds = || run.records.iter().map(|record| (record.key.round, record.started_at.as_str()));
        let is_back = |((round, one), (next, other)): ((u32, &str), (u32, &str))| next > round && other < one;
        let mut figures = Vec::new();
        for (study, judged) in plan.studies.iter().zip(&verdict.studies) {
            Figures { study, judged, observations: &Observations::new(run, study) }.add_to(&mut figures);
        }
        Ok(Self {
            run: name,
            began_at: plan.created_at.clone(),
            disk,
            identity: (plan.created_at.clone(), plan.seed, run.host.name.clone()),
            last_trial_at: times().max().unwrap_or_default().to_owned(),
            is_clock_set_back: times().any(|time| time < plan.created_at.as_str())
                || of_rounds().zip(of_rounds().skip(1)).any(is_back),
            is_disturbed: {
                let mut audits = verdict.studies.iter().flat_map(|study| &study.audits);
                audits.any(|audit| shows_busy_machine(&audit.name, audit.status))
            },
            facts: facts_around(run),
            figures,
            spikes: None,
        })
    }

    /// The same with the spikes of its recordings.
    #[must_use]
    pub fn with_spikes(self, recordings: &[SpikesOfRecording]) -> Self {
        Self { spikes: SpikesOfRun::of(recordings), ..self }
    }

    /// The same under another name, on a disk of another name.
    #[must_use]
    pub fn renamed(self, run: String, disk: Disk) -> Self {
        let (created_at, seed, _) = self.identity;
        Self { run, identity: (created_at, seed, disk.host.clone()), disk, ..self }
    }

    /// Its figure of a question, if it asks it.
    pub(super) fn figure(&self, question: &Question) -> Option<&Followed> {
        self.figures.iter().find(|(own, _)| own == question).map(|(_, figure)| figure)
    }
}

impl Disk {
    /// `None` if no trial measured.
    pub fn of(run: &Run) -> Option<Self> {
        let placement = run.placement()?;
        let model = placement.model.value().map(|model| model.trim().to_owned());
        let size = placement.device_bytes.value().map(|bytes| format_bytes_approximate(*bytes as f64));
        Some(Self {
            host: run.host.name.clone(),
            directory: run.plan.directory.display().to_string(),
            device: model.into_iter().chain(size).collect::<Vec<_>>().join(", "),
        })
    }
}

/// `node17:/srv/data (INTEL SSDPE2KX010T8, 931 GiB)`.
impl fmt::Display for Disk {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, directory, device } = self;
        write!(formatter, "{host}:{directory}")?;
        if device.is_empty() { Ok(()) } else { write!(formatter, " ({device})") }
    }
}

/// One study of a run.
struct Figures<'a> {
    study: &'a StudyPlan,
    judged: &'a StudyVerdict,
    observations: &'a Observations<'a>,
}

impl Figures<'_> {
    fn add_to(&self, figures: &mut Vec<(Question, Followed)>) {
        let anchor = self.study.duplicate;
        for metric in &self.judged.asked {
            let of_anchor = compared(self.observations, anchor, false, metric);
            figures.push((self.question(anchor, metric, Relation::Absolute), {
                let logs: Vec<f64> = of_anchor.values().map(|value| value.ln()).collect();
                self.followed(&[anchor], metric, &logs)
            }));
            for configuration in (0..self.study.configurations.len()).filter(|index| *index != anchor) {
                let relation =
                    Relation::ToAnchor { label: self.label(anchor), parameters: self.parameters(anchor) };
                let arm = compared(self.observations, configuration, false, metric);
                let followed = self.followed(&[anchor, configuration], metric, &logs(&arm, &of_anchor));
                figures.push((self.question(configuration, metric, relation), followed));
            }
            let second = compared(self.observations, anchor, true, metric);
            let control = self.followed(&[anchor], metric, &logs(&second, &of_anchor));
            figures.push((self.question(anchor, metric, Relation::Control), control));
        }
    }

    fn question(&self, configuration: usize, metric: &str, relation: Relation) -> Question {
        Question {
            study: self.study.name.clone(),
            metric: metric.to_owned(),
            relation,
            label: self.label(configuration),
            parameters: self.parameters(configuration),
        }
    }

    fn parameters(&self, configuration: usize) -> String {
        self.study.configurations.get(configuration).map(ToString::to_string).unwrap_or_default()
    }

    /// The levels of the factors that have several.
    fn label(&self, configuration: usize) -> String {
        let factors = self.study.factors.iter().filter(|factor| factor.levels.len() > 1);
        let names = factors.map(|factor| factor.name.as_str());
        self.study.configurations.get(configuration).map(|values| values.label(names)).unwrap_or_default()
    }

    /// The geometric mean of what these logarithms are of, unless an audit of a configuration failed.
    ///
    /// A machine that others used leaves no figure out: what they do is the noise of the series, and others always use
    /// a shared machine.
    fn followed(&self, configurations: &[usize], metric: &str, logs: &[f64]) -> Followed {
        for configuration in configurations {
            let basis = self.judged.basis(self.study, *configuration, metric);
            let failed = failed_for(&self.judged.audits, &basis);
            let failed = failed.filter(|audit| !shows_busy_machine(&audit.name, audit.status));
            let failed: Vec<&str> = failed.map(|audit| audit.name.as_str()).collect();
            if !failed.is_empty() {
                return Followed::Withheld(format!("an audit failed: {}", failed.join(", ")));
            }
        }
        if logs.is_empty() || logs.iter().any(|log| !log.is_finite()) {
            return Followed::Withheld("no round has a figure above zero of each side".to_owned());
        }
        let correlation = self.judged.dependence.get(metric).map_or(0.0, Dependence::correlation);
        Followed::Figure(estimate::ratio(logs, correlation))
    }
}

/// The logarithms of an arm ÷ the anchor, of the rounds that have both.
fn logs(arm: &BTreeMap<u32, f64>, anchor: &BTreeMap<u32, f64>) -> Vec<f64> {
    arm.iter().filter_map(|(round, value)| Some((value / anchor.get(round)?).ln())).collect()
}
