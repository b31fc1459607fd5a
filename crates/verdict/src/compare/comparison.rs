//! What a comparison of two runs holds.

use crate::verdict::{Answer, Estimate, Status, Verdict};
use model::run::Run;
use serde::Serialize;

/// One side of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// What the user called it: the run directory.
    pub name: &'a str,
    /// What was recorded.
    pub run: &'a Run,
    /// What can be said of it.
    pub verdict: &'a Verdict,
}

/// Two runs, compared.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The side that the other is measured against.
    pub a: RunFacts,
    /// The other.
    pub b: RunFacts,
    /// Which machines and disks these are, in a sentence or two.
    pub machines: String,
    /// What differs around the runs: host, kernel, disk, mount options, day.
    pub surroundings: Vec<Difference>,
    /// What was set differently and was allowed to be.
    pub knobs: Vec<Difference>,
    /// The studies that both runs have, in A's order.
    pub studies: Vec<StudyComparison>,
    /// What else a reader has to know: sentences.
    pub remarks: Vec<String>,
}

/// Which run a side is.
#[derive(Clone, Debug, Serialize)]
pub struct RunFacts {
    /// What the user called it.
    pub name: String,
    /// Host name.
    pub host: String,
    /// Kernel release.
    pub kernel: String,
    /// Device and file system of its files.
    pub disk: String,
    /// When it was begun.
    pub created_at: String,
    /// The program that made it.
    pub program_version: String,
}

/// Something that is not the same on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What it is: `kernel`, `commit: record_size`.
    pub what: String,
    /// In A.
    pub a: String,
    /// In B.
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
    /// Its name.
    pub name: String,
    /// Its question.
    pub question: String,
    /// Full names of the metrics compared, in order.
    pub metrics: Vec<String>,
    /// Comparisons that share the 5 % of error: each interval is that much wider.
    pub family: usize,
    /// By metric, then configuration, the row over all configurations last.
    pub rows: Vec<Row>,
    /// Configurations that one side lacks: sentences.
    pub left_out: Vec<String>,
    /// Audits of either side that failed or warned, worst first.
    pub audits: Vec<SideAudit>,
}

/// An audit of one side that did not pass.
#[derive(Clone, Debug, Serialize)]
pub struct SideAudit {
    /// `A` or `B`.
    pub side: char,
    /// The audit.
    pub name: String,
    /// How it ended.
    pub status: Status,
    /// What it found.
    pub summary: String,
}

/// One metric of one configuration, or over all of them, in both runs.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Full metric name.
    pub metric: String,
    /// The configuration's levels; `None` for the geometric mean over all configurations of each round.
    pub configuration: Option<String>,
    /// Mean over A's trials.
    pub a: Estimate,
    /// A's trials; rounds where it is over all configurations.
    pub n_a: usize,
    /// Mean over B's trials.
    pub b: Estimate,
    /// B's trials.
    pub n_b: usize,
    /// B ÷ A with its simultaneous interval.
    pub ratio: Option<Estimate>,
    /// Holm-adjusted p-value within the study.
    pub p_adjusted: Option<f64>,
    /// The answer; what is withheld is not assessable, whatever its interval.
    pub answer: Answer,
    /// Whether a difference is an improvement, where the metric is judged.
    pub better: Option<bool>,
    /// Whether the ratio is proven to lie within ±5 %, also where it is a difference.
    pub within_margin: bool,
    /// The larger of both runs' A/A noise floors, where one is known.
    pub noise_floor: Option<f64>,
    /// More rounds in each run that would decide it, where it is undecided and that can be told.
    pub rounds_needed: Option<usize>,
    /// Why there is no answer, or what limits it.
    pub why: Option<String>,
}
