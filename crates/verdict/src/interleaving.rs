//! How the trials of each round ran, in turns or one after another, and which rounds the figures are of. Rounds of both
//! kinds are never mixed: what turns carry over, and what one trial after another meets, would both be in one figure.

use crate::slices::TrialSlices;
use model::plan::StudyPlan;
use model::trial::TrialRecord;
use serde::Serialize;
use stats::TRIALS_MIN;
use std::collections::BTreeSet;

/// How trials ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Alive together, in turns.
    InTurns,
    /// One after another.
    OneAfterAnother,
}

/// How a study ran whose plan lets its trials take turns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Interleaving {
    /// The rounds that the figures are of.
    pub used: Way,
    /// Analysed rounds whose trials took turns.
    pub rounds_in_turns: usize,
    /// Analysed rounds whose trials ran one after another although they could have taken turns.
    pub rounds_one_after_another: usize,
    /// Plan indices of the configurations that take turns.
    pub configurations: Vec<usize>,
    /// Shortest and longest slice of the trials, seconds; `None` if no record has it.
    pub slice_s: Option<(f64, f64)>,
    /// Fewest and most slices of a trial's phase; `None` if no record has them.
    pub slices: Option<(u32, u32)>,
}

/// The rounds of a study by how they ran.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds {
    in_turns: BTreeSet<u32>,
    one_after_another: BTreeSet<u32>,
}

impl Rounds {
    /// The analysed rounds that have these records. A study that takes no turns has none of either kind.
    pub(crate) fn of<'a>(plan: &StudyPlan, records: impl Iterator<Item = &'a TrialRecord>) -> Self {
        let mut rounds = Self::default();
        for record in records.filter(|record| plan.takes_turns(record.key.configuration)) {
            let round = record.key.round;
            if round < plan.warmup_rounds || record.warmup {
                continue;
            }
            if record.ensemble.is_empty() {
                rounds.one_after_another.insert(round);
            } else {
                rounds.in_turns.insert(round);
            }
        }
        // A round is of one kind.
        rounds.one_after_another.retain(|round| !rounds.in_turns.contains(round));
        rounds
    }

    /// Which rounds are used: those one after another as soon as they give an interval, because trials run that way
    /// only if turns carried something over.
    pub(crate) fn used(&self) -> Way {
        if self.in_turns.is_empty() || self.one_after_another.len() >= TRIALS_MIN {
            Way::OneAfterAnother
        } else {
            Way::InTurns
        }
    }

    /// Whether a round is left out of every figure.
    pub(crate) fn sets_aside(&self, round: u32) -> bool {
        match self.used() {
            Way::InTurns => self.one_after_another.contains(&round),
            Way::OneAfterAnother => self.in_turns.contains(&round),
        }
    }

    /// The number of rounds that are left out.
    pub(crate) fn set_aside(&self) -> u32 {
        let set_aside = match self.used() {
            Way::InTurns => &self.one_after_another,
            Way::OneAfterAnother => &self.in_turns,
        };
        u32::try_from(set_aside.len()).unwrap_or(u32::MAX)
    }

    /// Whether any ran one after another.
    pub(crate) fn have_left_turns(&self) -> bool {
        !self.one_after_another.is_empty()
    }

    /// The number of rounds in turns.
    pub(crate) fn in_turns(&self) -> usize {
        self.in_turns.len()
    }

    /// What a verdict reports; `None` if no round took turns.
    pub(crate) fn report<'a>(
        &self,
        plan: &StudyPlan,
        records: impl Iterator<Item = &'a TrialRecord>,
    ) -> Option<Interleaving> {
        if self.in_turns.is_empty() {
            return None;
        }
        let (mut slice_s, mut slices) = (None, None);
        let phases = records.filter_map(|record| record.measurement.as_ref()).flat_map(|it| &it.phases);
        for turns in phases.filter_map(|phase| phase.turns.as_ref()) {
            if turns.slice_s <= 0.0 {
                // A whole turn, which has no other beside it.
                continue;
            }
            if turns.slice_s.is_finite() {
                let (least, most) = slice_s.unwrap_or((turns.slice_s, turns.slice_s));
                slice_s = Some((turns.slice_s.min(least), turns.slice_s.max(most)));
            }
            let (least, most) = slices.unwrap_or((turns.slices, turns.slices));
            slices = Some((turns.slices.min(least), turns.slices.max(most)));
        }
        Some(Interleaving {
            used: self.used(),
            rounds_in_turns: self.in_turns.len(),
            rounds_one_after_another: self.one_after_another.len(),
            configurations: (0..plan.configurations.len()).filter(|index| plan.takes_turns(*index)).collect(),
            slice_s,
            slices,
        })
    }
}

/// The slices of the rounds in turns, also of those that are set aside.
pub(crate) fn phases(slices: &[TrialSlices]) -> BTreeSet<&str> {
    slices.iter().map(|trial| trial.phase.as_str()).collect()
}
