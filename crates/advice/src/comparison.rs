//! Two arms compared: what it decides for a rule.

use crate::cause::Cause;
use crate::setting::{Effect, Effort, Ground, NoAdvice};
use crate::statement::{Arm, Compared};
use model::metric::Better;
use verdict::finding::Remark;
use verdict::{Answer, Contrast, Estimate, phrase};

/// How the other arm compares with the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Better,
    Worse,
    /// The same within 5 %.
    Equal,
    Undecided,
}

/// The other arm compared with the base, paired within rounds.
pub(crate) struct Comparison {
    pub(crate) metric: String,
    pub(crate) outcome: Outcome,
    /// Other ÷ base.
    pub(crate) ratio: Estimate,
    pub(crate) ground: Ground,
    answer: Answer,
    rounds: usize,
    rounds_needed: Option<usize>,
    /// Whether the study measured how much two identical arms differ. Without that no effect was withheld for being as
    /// small.
    is_floor_known: bool,
}

impl Comparison {
    pub(crate) fn new(metric: &str, contrast: Contrast, ground: Ground, is_floor_known: bool) -> Self {
        let Contrast { ratio, answer, rounds, rounds_needed, .. } = contrast;
        let metric = metric.to_owned();
        let outcome = outcome(&metric, &ratio, answer);
        Self { metric, outcome, ratio, ground, answer, rounds, rounds_needed, is_floor_known }
    }

    /// The effect for a database that changes from the value `over` to the other arm.
    pub(crate) fn effect(&self, over: &str) -> Effect {
        let (metric, answer) = (self.metric.clone(), self.answer);
        Effect { over: over.to_owned(), metric, ratio: self.ratio.clone(), answer }
    }

    /// The effect for a database that changes from the value `over` to the base.
    pub(crate) fn effect_of_base(&self, over: &str) -> Effect {
        Effect { ratio: self.ratio.reversed(), ..self.effect(over) }
    }

    /// The other arm against the base, by what they do.
    pub(crate) fn pair(&self, other: Arm, base: Arm) -> Compared {
        Compared {
            ours: other,
            theirs: base,
            metric: self.metric.clone(),
            ratio: self.ratio.clone(),
            rounds: self.rounds,
            study: self.ground.study.clone(),
            is_floor_known: self.is_floor_known,
            is_close: false,
        }
    }

    /// The same in the other direction.
    pub(crate) fn pair_of_base(&self, base: Arm, other: Arm) -> Compared {
        Compared { ratio: self.ratio.reversed(), ..self.pair(base, other) }
    }

    /// No advice, because the data show neither a difference nor equality.
    pub(crate) fn spans_the_boundary(&self, other: Arm, base: Arm) -> NoAdvice {
        let cause = Cause::Spans { pair: self.pair(other, base), rounds_needed: self.rounds_needed };
        let study = self.ground.study.clone();
        let effort = self.rounds_needed.map(|rounds| Effort { study, rounds, more_s: None });
        NoAdvice { effort, ..NoAdvice::undecided(cause) }
    }
}

fn outcome(metric: &str, ratio: &Estimate, answer: Answer) -> Outcome {
    let is_better = ratio.point.is_some_and(|ratio| match phrase::better(metric) {
        Better::Higher => ratio > 1.0,
        Better::Lower | Better::Neither => ratio < 1.0,
    });
    match answer {
        Answer::Different if is_better => Outcome::Better,
        Answer::Different => Outcome::Worse,
        Answer::Equivalent => Outcome::Equal,
        Answer::Undecided | Answer::NotAssessable => Outcome::Undecided,
    }
}

/// Whether a remark limits what a rule makes of a comparison, and no rule or audit says so by itself.
pub(crate) fn is_limit(remark: &Remark) -> bool {
    match remark {
        Remark::CellLeftOut { .. }
        | Remark::RoundsLeftOut { .. }
        | Remark::Audit(_)
        | Remark::Interaction { .. } => true,
        // A rule states audits and the noise floor by itself; the other remarks are not about comparisons.
        Remark::AuditFailed { .. }
        | Remark::NotProven { .. }
        | Remark::Durability { .. }
        | Remark::HeldAt { .. }
        | Remark::OnePlacement
        | Remark::LevelsLeftOut(_)
        | Remark::NoNoiseFloor { .. }
        | Remark::BaselineDiffersFromItself(_)
        | Remark::DependentRounds { .. }
        | Remark::Bend { .. }
        | Remark::InsideNoise(_)
        | Remark::MaybeEnough(_)
        | Remark::NoiseBeyondTolerance { .. }
        | Remark::LessInCells(_)
        | Remark::BestIsLast
        | Remark::Gaps
        | Remark::NearLimit(_)
        | Remark::TiedByNoise => false,
    }
}
