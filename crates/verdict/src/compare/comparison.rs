//! The result of a comparison of two runs.

use super::between_runs::BetweenRuns;
use super::reason::{ComparisonRemark, Lone, Machines, RowReason};
use crate::verdict::{Answer, Estimate, Status, Verdict};
use model::figure::count;
use model::run::Run;
use page::{Badge, Tone};
use serde::Serialize;

/// One side of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The user's name for it: the run directory.
    pub name: &'a str,
    /// Its run, or the rounds of all of its runs ([`super::Joined`]).
    pub run: &'a Run,
    pub verdict: &'a Verdict,
    /// When each of its runs was created, in order.
    pub begun: &'a [String],
}

/// Two runs, compared.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Where the spread between runs that every interval includes comes from.
    pub between_runs: BetweenRuns,
    pub a: RunFacts,
    pub b: RunFacts,
    /// Which machines and disks these are.
    pub machines: Machines,
    /// What differs around the runs: host, kernel, disk, mount options, day.
    pub surroundings: Vec<Difference>,
    /// Parameters that were set differently and that the user allowed.
    pub knobs: Vec<Difference>,
    /// The studies that both runs have, in A's order.
    pub studies: Vec<StudyComparison>,
    /// What else a reader has to know.
    pub remarks: Vec<ComparisonRemark>,
}

/// The identity of a run.
#[derive(Clone, Debug, Serialize)]
pub struct RunFacts {
    /// The user's name for it.
    pub name: String,
    pub host: String,
    pub kernel: String,
    /// Device and file system of its files.
    pub disk: String,
    /// When it was created.
    pub created_at: String,
    /// The version of Syncline that created it.
    pub program_version: String,
}

impl RunFacts {
    /// Which run it is: a line.
    pub(super) fn text(&self) -> String {
        let Self { name, host, kernel, disk, created_at, program_version: _ } = self;
        format!("{name} · {disk} · {host} · Linux {kernel} · {created_at}")
    }
}

/// A difference between the two sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What it is: `kernel`, `commit: record_size`.
    pub what: String,
    pub a: String,
    pub b: String,
}

impl Difference {
    /// The name that allows it: `record_size` of `commit: record_size`.
    pub(super) fn knob(&self) -> &str {
        self.what.rsplit_once(": ").map_or(&self.what, |(_, name)| name)
    }
}

/// One study that both runs have.
#[derive(Clone, Debug, Serialize)]
pub struct StudyComparison {
    pub name: String,
    pub question: String,
    /// Full names of the metrics compared, in order.
    pub metrics: Vec<String>,
    /// Comparisons that share the 5 % of error, which widens each interval.
    pub family: usize,
    /// By metric, then configuration, the row over all configurations last.
    pub rows: Vec<Row>,
    /// Configurations that one side has alone.
    pub left_out: Vec<Lone>,
    /// Audits of either side that failed or warned, worst first.
    pub audits: Vec<SideAudit>,
}

/// An audit of one side that did not pass.
#[derive(Clone, Debug, Serialize)]
pub struct SideAudit {
    /// `A` or `B`.
    pub side: char,
    pub name: String,
    pub status: Status,
    pub summary: String,
}

/// One metric of one configuration, or over all of them, in both runs.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub metric: String,
    /// The configuration's levels; `None` for the geometric mean over all configurations of each round.
    pub configuration: Option<String>,
    /// Mean over A's trials; over its runs if each of them is one value.
    pub a: Estimate,
    /// A's trials, or its runs; rounds for the row over all configurations.
    pub n_a: usize,
    /// The same of B.
    pub b: Estimate,
    pub n_b: usize,
    /// B ÷ A with its simultaneous interval.
    pub ratio: Option<Estimate>,
    /// Holm-adjusted p-value within the study.
    pub p_adjusted: Option<f64>,
    /// The answer; a withheld row is not assessable, whatever its interval.
    pub answer: Answer,
    /// Whether a difference is an improvement, if the metric has a better direction.
    pub better: Option<bool>,
    /// Whether the ratio is proven to lie within ±5 %, even if it is a difference.
    pub within_margin: bool,
    /// The larger of both runs' A/A noise floors, if one is known.
    pub noise_floor: Option<f64>,
    /// Further rounds in each run that would decide an undecided row, if they are known; runs if each is one value.
    pub rounds_needed: Option<usize>,
    /// The assumed standard deviation between runs, of logarithms; `None` if the runs show it.
    pub assumed_log_sd: Option<f64>,
    /// Why there is no answer, or what limits it.
    pub why: Option<RowReason>,
}

impl Row {
    /// The name of its configuration.
    pub(super) fn place(&self) -> &str {
        match self.configuration.as_deref() {
            None => "all configurations",
            Some("") => "the one configuration",
            Some(label) => label,
        }
    }

    /// What would have to be repeated to know more.
    pub(super) const fn repeated(&self) -> &'static str {
        if self.assumed_log_sd.is_some() { "round" } else { "run" }
    }

    /// Its answer in a word or two.
    pub(super) const fn badge(&self) -> Badge {
        match (self.answer, self.better) {
            (Answer::Different, Some(false)) => Badge::new(Tone::Bad, "worse"),
            (Answer::Different, Some(true)) => Badge::new(Tone::Good, "better"),
            (Answer::Different, None) => Badge::new(Tone::Plain, "different").with_symbol("≠"),
            (Answer::Equivalent, _) => Badge::new(Tone::Plain, "same within 5 %"),
            (Answer::Undecided, _) => Badge::new(Tone::Warn, "undecided").with_symbol("~"),
            (Answer::NotAssessable, _) => Badge::new(Tone::Faint, "no answer"),
        }
    }

    /// What its badge does not say: that a difference is small, or how many rounds would decide it.
    pub(super) fn qualifier(&self) -> String {
        match self.answer {
            Answer::Different if self.within_margin => "below 5 %".to_owned(),
            Answer::Undecided => {
                self.rounds_needed.map_or_else(String::new, |n| format!("+{}", count(n, self.repeated())))
            }
            Answer::Different | Answer::Equivalent | Answer::NotAssessable => String::new(),
        }
    }
}
