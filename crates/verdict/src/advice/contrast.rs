//! Two arms compared: what it decides, and how it is said.

use super::setting::{Effect, Ground, Silence};
use crate::phrase::{bounds, count, level, ratio, title};
use crate::verdict::{Answer, Estimate};

/// How the other arm does against the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Better,
    Worse,
    /// The same within 5 %.
    Equal,
    Undecided,
}

/// The other arm against the base, paired within rounds.
pub(super) struct Contrast {
    pub(super) metric: String,
    pub(super) outcome: Outcome,
    /// Other ÷ base.
    pub(super) ratio: Estimate,
    pub(super) ground: Ground,
    pub(super) answer: Answer,
    pub(super) rounds: usize,
    pub(super) rounds_needed: Option<usize>,
    /// Whether the study tells by how much two identical arms differ; otherwise no effect was held back for being as small.
    pub(super) is_floor_known: bool,
}

impl Contrast {
    /// The base against the other arm.
    pub(super) fn reversed(&self) -> Estimate {
        let Estimate { point, interval, level, reason } = self.ratio.clone();
        let interval = interval.map(|(low, high)| (1.0 / high, 1.0 / low));
        Estimate { point: point.map(f64::recip), interval, level, reason }
    }

    /// What it says for a database that takes the other arm over the value `over`.
    pub(super) fn effect(&self, over: &str) -> Effect {
        let (metric, answer) = (self.metric.clone(), self.answer);
        Effect { over: over.to_owned(), metric, ratio: self.ratio.clone(), answer }
    }

    /// What it says for a database that takes the base over the value `over`.
    pub(super) fn effect_of_base(&self, over: &str) -> Effect {
        Effect { ratio: self.reversed(), ..self.effect(over) }
    }

    /// `dsync against fdatasync: commits/s is 1.20× (1.15–1.25, 99.4 % simultaneous, 10 rounds of study commit-modes)`.
    pub(super) fn words(&self, other: &str, base: &str) -> String {
        self.said(&self.ratio, (other, base))
    }

    /// The same the other way round.
    pub(super) fn words_of_base(&self, base: &str, other: &str) -> String {
        self.said(&self.reversed(), (base, other))
    }

    /// Silence where the data decide neither way.
    pub(super) fn spans_the_boundary(&self, other: &str, base: &str) -> Silence {
        let rounds = match self.rounds_needed {
            Some(rounds) => format!("about {rounds} rounds in all would decide"),
            None => "no realistic number of rounds is known to decide".to_owned(),
        };
        Silence::undecided(format!(
            "{}: neither a difference nor equality is proven; {rounds}",
            self.words(other, base)
        ))
    }

    fn said(&self, estimate: &Estimate, (ours, theirs): (&str, &str)) -> String {
        let point = estimate.point.map_or_else(|| "–".to_owned(), ratio);
        let interval =
            estimate.interval.map_or_else(String::new, |interval| format!("{}, ", bounds(interval)));
        let at = estimate.level.map_or_else(String::new, |found| format!("{} simultaneous, ", level(found)));
        let floor = if self.is_floor_known { "" } else { "; A/A noise floor unknown" };
        format!(
            "{ours} against {theirs}: {} is {point} ({interval}{at}{} of study {}{floor})",
            title(&self.metric),
            count(self.rounds, "round"),
            self.ground.study
        )
    }
}
