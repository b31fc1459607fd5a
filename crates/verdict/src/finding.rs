//! A finding is data: the ask, its levels, the outcome, its proof and its limits. Each type has its words in its own
//! file, and `sentence` makes the sentence of a finding of them.

mod answer;
mod dependence;
mod evidence;
mod noise;
mod outcome;
mod outlook;
mod reason;
mod remark;
mod subject;
mod traced;
mod unlike;

pub use answer::Answer;
pub use dependence::{Dependence, NoDependence};
pub(crate) use evidence::capital;
pub use evidence::{Counter, Figures, Proof};
pub(crate) use noise::NOISE_FLOOR_LEVEL;
pub use noise::{NoFloor, Noise, floor_text};
pub use outcome::{At, Group, Limit, Opposing, Outcome, Proven, Ranked, Side};
pub use outlook::Outlook;
pub use reason::{NoReference, Reason};
pub use remark::{CellRange, CellRatio, Limited, Remark};
pub(crate) use subject::name;
pub use subject::{Asked, Held, Levels, Rung, Subject};
pub use traced::{SegmentDifference, TimeDifference};
pub use unlike::{CacheUse, UnlikeEngines, UnlikeKnob};

use crate::basis::Basis;
use crate::estimate::{self, Estimate};
use crate::quantity::with_interval;
use model::Value;
use model::figure::{count, exact_percent};
use model::metric::Unit;
use page::quantity::{named, p_value};
use serde::Serialize;
use stats::Decided;

/// The answer to one ask about one metric, and for a comparison about one pair of levels.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub ask: Asked,
    pub metric: String,
    /// The levels that it is about.
    pub subject: Subject,
    pub outcome: Outcome,
    /// What would decide it; present exactly if [`Finding::answer`] is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outlook: Option<Outlook>,
    /// The figures of both sides of the ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figures: Option<Figures>,
    /// The main effect with its interval, if the ask gives a ratio: level ÷ baseline, or last level ÷ first.
    pub ratio: Option<Estimate>,
    /// Descriptive ratios by the levels of the other factors, for the forest plot; for one figure over all levels, each
    /// level's own figure.
    pub by_cell: Vec<(String, Estimate)>,
    /// The same by the levels of the factor itself, of asks about a level: each level's ratio, or its own figure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_level: Vec<LevelEstimate>,
    /// The data and the test behind it.
    pub proof: Proof,
    /// The configurations that it rests on, and the parameters whose effect it states: a failed audit of these
    /// invalidates it.
    pub rests_on: Basis,
    /// The kernel's counters on both sides.
    pub mechanism: Vec<Counter>,
    /// Where the time of an operation differs between both sides, if both have traced trials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traced: Option<TimeDifference>,
    pub remarks: Vec<Remark>,
}

/// The estimate of one level of the factor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelEstimate {
    pub level: Value,
    pub estimate: Estimate,
}

impl Finding {
    /// The estimates of its cells and levels.
    pub fn part_estimates(&self) -> impl Iterator<Item = &Estimate> {
        let cells = self.by_cell.iter().map(|(_, estimate)| estimate);
        cells.chain(self.by_level.iter().map(|at| &at.estimate))
    }

    /// The estimate of one level of the factor.
    pub fn at_level(&self, level: &Value) -> Option<&Estimate> {
        self.by_level.iter().find(|at| at.level == *level).map(|at| &at.estimate)
    }

    /// One of the four answers.
    pub fn answer(&self) -> Answer {
        self.outcome.answer()
    }

    /// Further rounds that would decide an undecided finding, if they are known.
    pub fn rounds_needed(&self) -> Option<usize> {
        match self.outlook? {
            Outlook::Rounds { more, .. } => Some(more),
            Outlook::TooMany { .. } | Outlook::InsideNoise { .. } | Outlook::OutOfSight => None,
        }
    }

    /// Sets the effect and the answer of a comparison.
    pub(crate) fn conclude(&mut self, decision: &Decided, answer: stats::Answer, is_steady: bool) {
        self.ratio = Some(estimate::of_interval(&decision.ratio.interval));
        self.outcome = match answer {
            stats::Answer::Different => {
                // An effect that rises and falls along a factor may have no slope; that does not make it small.
                Outcome::Different { is_small: is_steady && decision.equivalence.equivalent, is_steady }
            }
            stats::Answer::Equivalent => Outcome::Equivalent,
            stats::Answer::Undecided { rounds_needed } => {
                let floor = self.proof.noise_floor.filter(|_| decision.inside_noise);
                self.outlook = Some(Outlook::of_rounds(rounds_needed, self.proof.rounds, floor));
                Outcome::Undecided
            }
        };
    }

    /// Whether both belong to the same question; a durability ladder and the comparisons beside it are two questions.
    pub fn is_of_ask(&self, other: &Self) -> bool {
        (self.ask.place, self.subject.is_ladder()) == (other.ask.place, other.subject.is_ladder())
    }

    /// [`Self::is_of_ask`] about the same metric.
    pub fn is_of_topic(&self, other: &Self) -> bool {
        self.is_of_ask(other) && self.metric == other.metric
    }

    /// What it is about: `direct against buffered with cached_percentage = 0`.
    pub fn about(&self) -> String {
        let text = self.subject.text(&self.ask.factor);
        match self.ask.held() {
            held if held.is_empty() => text,
            held => format!("{text} with {held}"),
        }
    }

    /// The sides of its ratio and counters: level and baseline, or the last level of a range and the first.
    pub fn sides(&self) -> Option<(String, String)> {
        self.subject.sides(&self.ask.factor)
    }

    /// Its cells or levels, each with its label and estimate: `iodepth=4`.
    pub fn parts(&self) -> impl Iterator<Item = (String, &Estimate)> {
        let cells = self.by_cell.iter().map(|(label, estimate)| (label.clone(), estimate));
        let levels = self.by_level.iter();
        cells.chain(levels.map(|at| (format!("{}={}", self.ask.factor, at.level), &at.estimate)))
    }

    /// Its limits: a sentence for each.
    pub fn limits(&self) -> Vec<String> {
        let limited = Limited {
            factor: &self.ask.factor,
            title: &named(&self.metric).title,
            noise_floor: self.proof.noise_floor,
        };
        self.remarks.iter().map(|remark| remark.text(&limited)).collect()
    }

    /// The kernel's counters: a sentence for each.
    pub fn counters(&self) -> Vec<String> {
        let factor = self.subject.levels().map_or(&self.ask.factor, |levels| &levels.factor);
        let sides = self.sides().unwrap_or_default();
        self.mechanism.iter().map(|counter| counter.text(factor, &sides)).collect()
    }

    /// Where the time of an operation differs between its sides, in sentences.
    pub fn time_difference(&self) -> Option<String> {
        self.traced.as_ref().zip(self.sides()).map(|(traced, sides)| traced.text(&sides))
    }

    /// Its evidence in one line: ratio, place, p-value, noise floor, size of the experiment.
    pub fn evidence(&self) -> String {
        let proof = &self.proof;
        let mut parts = Vec::new();
        if let Some(estimate) = self.ratio.as_ref().filter(|estimate| estimate.point.is_some()) {
            let sides = self.sides();
            let of = sides.map_or_else(String::new, |(level, baseline)| format!(" {level} ÷ {baseline}"));
            let family = if proof.asks > 1 {
                format!(", simultaneous over {} findings", proof.asks)
            } else {
                String::new()
            };
            parts.push(format!("ratio{of} {}{family}", with_interval(estimate, Unit::Count)));
        }
        parts.extend(proof.p_adjusted.map(|p| format!("Holm-adjusted {}", p_value(p))));
        parts.extend(proof.noise_floor.map(|floor| {
            let of_finding = proof.noise_floor_level.filter(|level| *level > NOISE_FLOOR_LEVEL);
            let at = of_finding.map_or_else(String::new, |level| format!(" at {}", exact_percent(level)));
            format!("noise floor{at} {}", floor_text(floor))
        }));
        if proof.cells > 1 {
            parts.push(format!(
                "geometric means over {} of the other factors",
                count(proof.cells, "combination")
            ));
        }
        parts.push(if proof.trials == 0 { "no trials".to_owned() } else { count(proof.trials, "trial") });
        let rounds = self.rounds_needed();
        parts.extend(rounds.map(|rounds| format!("about {} would decide it", count(rounds, "more round"))));
        parts.join(" · ")
    }
}
