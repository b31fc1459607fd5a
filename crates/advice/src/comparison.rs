//! Two arms compared: what it decides for a rule.

use crate::compared::{Arm, Compared};
use crate::effect::{Effect, Standing, gain};
use crate::ground::Ground;
use crate::no_advice::Needs;
use verdict::{Answer, Contrast, Estimate};

/// The other arm compared with the base, paired within rounds.
pub(crate) struct Comparison {
    pub(crate) metric: String,
    pub(crate) outcome: Standing,
    pub(crate) ratio: Estimate,
    pub(crate) ground: Ground,
    /// More rounds, if they would decide it.
    pub(crate) needs: Option<Needs>,
    answer: Answer,
    rounds: usize,
    /// The figures of the other arm and of the base.
    figures: Option<(f64, f64)>,
    /// Whether the study measured how much two identical arms differ. Without that no effect was withheld for being as
    /// small.
    is_floor_known: bool,
}

impl Comparison {
    pub(crate) fn new(
        metric: &str,
        contrast: Contrast,
        ground: Ground,
        figures: Option<(f64, f64)>,
        is_floor_known: bool,
    ) -> Self {
        let Contrast { ratio, answer, rounds, .. } = contrast;
        let metric = metric.to_owned();
        let outcome = Standing::of(answer, gain(&metric, &ratio));
        Self { metric, outcome, ratio, ground, needs: None, answer, rounds, figures, is_floor_known }
    }

    /// What would decide it.
    pub(crate) fn needing(self, needs: Option<Needs>) -> Self {
        Self { needs, ..self }
    }

    /// The comparison of the value that the other arm stands for with the value that the base stands for.
    pub(crate) fn effect(&self, value: &str, over: &str) -> Effect {
        Effect {
            value: value.to_owned(),
            over: over.to_owned(),
            metric: self.metric.clone(),
            ratio: self.ratio.clone(),
            figures: self.figures,
            conditions: None,
            answer: self.answer,
        }
    }

    /// The other arm against the base, by what they do.
    pub(crate) fn pair(&self, other: impl Into<Arm>, base: impl Into<Arm>) -> Compared {
        Compared {
            ours: other.into(),
            theirs: base.into(),
            metric: self.metric.clone(),
            ratio: self.ratio.clone(),
            figures: self.figures,
            rounds: self.rounds,
            study: self.ground.study.clone(),
            is_floor_known: self.is_floor_known,
            is_close: false,
        }
    }

    /// The same in the other direction.
    pub(crate) fn pair_of_base(&self, base: impl Into<Arm>, other: impl Into<Arm>) -> Compared {
        let figures = self.figures.map(|(other, base)| (base, other));
        Compared { ratio: self.ratio.reversed(), figures, ..self.pair(base, other) }
    }
}
