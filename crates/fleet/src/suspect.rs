//! A suspect, and what its second measurement shows.

use crate::distribution::{Distribution, Figure};
use crate::question::Question;
use crate::rule::{CONTROLS_MIN, ROUNDS_MIN, TOGETHER_H};
use model::figure::{count, ratio, round_figure};
use page::quantity::{self, p_value};
use serde::Serialize;

/// A disk whose first measurement lies beyond a limit.
#[derive(Clone, Debug, Serialize)]
pub struct Suspect {
    pub disk: usize,
    pub distribution: usize,
    pub figure: Figure,
    /// How many times as fast as the median it is: below 1.
    pub times_median: f64,
    /// Chance of so low a disk in a stratum of equal ones, adjusted by Holm's procedure over all disks and questions.
    pub p: f64,
    /// What a second measurement shows.
    #[serde(flatten)]
    pub outcome: SuspectOutcome,
}

/// What a second measurement of a suspect shows.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum SuspectOutcome {
    /// It proves the disk slow.
    Slow(Confirmation),
    /// It would, but an audit of a run failed.
    Doubted {
        #[serde(flatten)]
        confirmation: Confirmation,
        /// The runs and their failed audits.
        runs: Vec<DoubtedRun>,
    },
    /// It does not prove the disk slow.
    NotConfirmed(Confirmation),
    /// Too few disks that are not suspects were measured again within [`crate::TOGETHER_H`] hours of it.
    TooFewControls { controls: usize },
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
    #[serde(flatten)]
    pub figure: Figure,
    /// The limit of the first measurement, moved by the controls.
    pub limit: f64,
    pub controls: usize,
    /// Median over controls of how many times as fast their second measurement is.
    pub drift: f64,
    /// One-sided p-value that this measurement alone lies within the limit, adjusted by Holm's procedure over the
    /// suspects.
    pub p: f64,
}

/// A run with failed audits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DoubtedRun {
    pub run: String,
    /// Whether it is the first measurement, which another second one does not mend.
    pub is_first: bool,
    /// The failed audits of the study, by name.
    pub audits: Vec<String>,
}

impl Suspect {
    /// What both measurements show: a sentence or two each.
    pub(crate) fn text(&self, distribution: &Distribution, asked: &Question) -> String {
        let unit = quantity::named(&asked.metric).unit;
        let limit = distribution.limit.map(|limit| format!(", limit {}", round_figure(limit, unit)));
        format!(
            "{}: {} as fast as the median. {} against {}{}, {}. {}.",
            asked.title(),
            ratio(self.times_median),
            self.figure.text(unit),
            round_figure(distribution.median, unit),
            limit.unwrap_or_default(),
            p_value(self.p),
            self.outcome.text(asked)
        )
    }
}

impl SuspectOutcome {
    /// What the second measurement shows, without a full stop.
    fn text(&self, asked: &Question) -> String {
        match self {
            Self::Slow(confirmation) => format!("Measured again: {}", confirmation.text(asked)),
            Self::NotConfirmed(confirmation) => {
                format!("Measured again, and not proven slow: {}", confirmation.text(asked))
            }
            Self::Doubted { confirmation, runs } => {
                let failed: Vec<String> =
                    runs.iter().map(|run| format!("{} in {}", run.audits.join(", "), run.run)).collect();
                format!(
                    "Withheld, because of failed audits: {}. {}",
                    failed.join("; "),
                    confirmation.text(asked)
                )
            }
            Self::TooFewControls { controls } => format!(
                "Measured again, with {}: a conclusion needs {CONTROLS_MIN} disks of the same stratum that are not \
                 suspects and were measured again within {TOGETHER_H} hours of it",
                count(*controls, "control")
            ),
            Self::TooFewRounds { rounds } => {
                format!("Measured again, with {}: a conclusion needs {ROUNDS_MIN}", count(*rounds, "round"))
            }
            Self::MeasureAgain => "Not measured again yet".to_owned(),
        }
    }
}

impl Confirmation {
    fn text(&self, asked: &Question) -> String {
        let unit = quantity::named(&asked.metric).unit;
        let Self { run, figure, limit, controls, drift, p } = self;
        format!(
            "{}, limit {}, {}; the {controls} controls were {} as fast as before ({run})",
            figure.text(unit),
            round_figure(*limit, unit),
            p_value(*p),
            ratio(*drift)
        )
    }
}
