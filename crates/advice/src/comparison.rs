//! A comparison of two arms: its outcome for a rule, and the wording of its estimates.

use crate::setting::{Effect, Effort, Ground, NoAdvice};
use model::figure::interval;
use model::metric::{self, Better, Unit};
use verdict::finding::{Group, Opposing, Remark};
use verdict::phrase::{self, bounds, count, level, ratio, title};
use verdict::{Answer, Contrast, Estimate};

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

    /// The base compared with the other arm.
    pub(crate) fn reversed(&self) -> Estimate {
        let Estimate { point, interval, level, reason } = self.ratio.clone();
        let interval = interval.map(|(low, high)| (1.0 / high, 1.0 / low));
        Estimate { point: point.map(f64::recip), interval, level, reason }
    }

    /// The effect for a database that changes from the value `over` to the other arm.
    pub(crate) fn effect(&self, over: &str) -> Effect {
        let (metric, answer) = (self.metric.clone(), self.answer);
        Effect { over: over.to_owned(), metric, ratio: self.ratio.clone(), answer }
    }

    /// The effect for a database that changes from the value `over` to the base.
    pub(crate) fn effect_of_base(&self, over: &str) -> Effect {
        Effect { ratio: self.reversed(), ..self.effect(over) }
    }

    /// `dsync compared with fdatasync: 1.20× the commits/s (1.15–1.25, 99.4 % simultaneous, 10 rounds of study
    /// commit-modes)`.
    pub(crate) fn words(&self, other: &str, base: &str) -> String {
        self.said(&self.ratio, (other, base))
    }

    /// The same in the other direction.
    pub(crate) fn words_of_base(&self, base: &str, other: &str) -> String {
        self.said(&self.reversed(), (base, other))
    }

    /// No advice, because the data show neither a difference nor equality.
    pub(crate) fn spans_the_boundary(&self, other: &str, base: &str) -> NoAdvice {
        let rounds = match self.rounds_needed {
            Some(rounds) => format!("about {rounds} rounds in all would decide"),
            None => "no realistic number of rounds is known to decide".to_owned(),
        };
        let none = NoAdvice::undecided(format!(
            "{}: neither a difference nor equality is proven; {rounds}",
            self.words(other, base)
        ));
        let study = self.ground.study.clone();
        let effort = self.rounds_needed.map(|rounds| Effort { study, rounds, more_s: None });
        NoAdvice { effort, seen: Some(self.effect(base)), ..none }
    }

    fn said(&self, estimate: &Estimate, (ours, theirs): (&str, &str)) -> String {
        let point = estimate.point.map_or_else(|| "–".to_owned(), ratio);
        let interval =
            estimate.interval.map_or_else(String::new, |interval| format!("{}, ", bounds(interval)));
        let at = estimate.level.map_or_else(String::new, |found| format!("{} simultaneous, ", level(found)));
        let floor = if self.is_floor_known { "" } else { "; A/A noise floor unknown" };
        format!(
            "{ours} compared with {theirs}: {point} the {} ({interval}{at}{} of study {}{floor})",
            title(&self.metric),
            count(self.rounds, "round"),
            self.ground.study
        )
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

/// An estimate of a ratio: `31.2× (30.1–32.4, 99.38 % simultaneous)`.
pub(crate) fn ratio_with_interval(estimate: &Estimate) -> String {
    let point = estimate.point.map_or_else(|| "–".to_owned(), ratio);
    match (estimate.interval, estimate.level) {
        (Some(interval), Some(at)) => format!("{point} ({}, {} simultaneous)", bounds(interval), level(at)),
        _ => point,
    }
}

/// `9 375`, with its interval: `98.1 µs (97.2–99.0, 95 %)`.
pub(crate) fn with_interval(metric: &str, estimate: &Estimate) -> String {
    let figure = |value: f64| phrase::figure(metric, value);
    let point = estimate.point.map_or_else(|| "no value".to_owned(), figure);
    match (estimate.interval, estimate.level) {
        (Some(bounds), Some(at)) => {
            let unit = metric::find(metric).map_or(Unit::Count, |metric| metric.family.unit);
            let reference = estimate.point.unwrap_or(bounds.1);
            format!("{point} ({}, {})", interval(bounds, reference, unit), level(at))
        }
        _ => point,
    }
}

/// What limits a comparison of arms that differ in these parameters, unless it is stated elsewhere.
pub(crate) fn caveat(remark: &Remark, parameters: &[&str]) -> Option<String> {
    match remark {
        Remark::CellLeftOut { cell, rounds, of_rounds } => {
            Some(format!("{cell} is left out: {} of {of_rounds}.", count(*rounds, "complete round")))
        }
        Remark::RoundsLeftOut { rounds, of_rounds } => {
            let rounds = count(*rounds, "round");
            Some(format!("{rounds} of {of_rounds} left out, because a trial is missing there."))
        }
        Remark::Audit(text) => Some(text.clone()),
        Remark::Interaction { farthest, .. } => Some(format!(
            "The effect of {} is not the same in every cell: {} is {} away from the mean over cells.",
            parameters.join(", "),
            farthest.cell,
            ratio(farthest.ratio)
        )),
        // A rule states audits and the noise floor by itself; the other remarks are not about comparisons.
        Remark::AuditFailed { .. }
        | Remark::NotProven { .. }
        | Remark::Durability { .. }
        | Remark::HeldAt { .. }
        | Remark::OnePlacement
        | Remark::LevelsLeftOut(_)
        | Remark::NoNoiseFloor { .. }
        | Remark::BaselineDiffersFromItself(_)
        | Remark::Bend { .. }
        | Remark::InsideNoise(_)
        | Remark::MaybeEnough(_)
        | Remark::NoiseBeyondTolerance { .. }
        | Remark::LessInCells(_)
        | Remark::BestIsLast
        | Remark::Gaps
        | Remark::NearLimit(_)
        | Remark::TiedByNoise => None,
    }
}

/// For cells with opposite answers: `depends on group_size: 2.00× at 1; 0.700× at 4`.
pub(crate) fn depends(opposing: &Opposing) -> String {
    let on = opposing.factor.as_deref().unwrap_or("the cell");
    let group = |group: &Group| {
        let (least, most) = group.ratios;
        let ratios = if least < most { format!("{} to {}", ratio(least), ratio(most)) } else { ratio(least) };
        format!("{ratios} at {}", group.level)
    };
    let groups: Vec<String> = opposing.groups.iter().map(group).collect();
    format!("depends on {on}: {}", groups.join("; "))
}
