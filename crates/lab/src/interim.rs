//! Which trial comes next under a budget: first a look at every study, then rounds for those whose answer is undecided.
//! Pure: the caller passes what the records say, because the lab draws no conclusions.

use crate::next::{Due, first_missing, fits, in_order, round_seconds, rounds_begun, rounds_left_behind};
use model::plan::{Plan, StudyPlan};
use model::trial::{TrialKey, TrialRecord};
use std::collections::BTreeSet;
use std::time::Duration;

/// Fewer rounds give no interval.
pub(crate) const ROUNDS_MIN: u32 = 6;

/// What a study's records say at a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterimAnswer {
    /// Its answer is found.
    Decided,
    /// It is not.
    Undecided {
        /// Further rounds that would probably decide; `None` if no realistic number is known to.
        rounds_needed: Option<u32>,
        /// Whether the study only guards against a loss, so that others go on before it.
        is_control: bool,
    },
}

/// Tells a study's standing; given the plan, all records and the study's index.
pub type Judge<'a> = dyn Fn(&Plan, &[TrialRecord], usize) -> InterimAnswer + 'a;

/// The looks of a study whose first comes after `rounds` rounds: half as many again, twice, three times. After fewer
/// than six there is nothing to look at, and `None`.
pub fn looks_after(rounds: u32) -> Option<Vec<u32>> {
    (ROUNDS_MIN..=u32::MAX / 3)
        .contains(&rounds)
        .then(|| vec![rounds, rounds + rounds.div_ceil(2), 2 * rounds, 3 * rounds])
}

/// Lets a study end at looks, the first of which comes after its rounds as they are.
pub fn look_repeatedly(study: &mut StudyPlan) {
    if let Some(looks) = looks_after(study.rounds) {
        study.rounds = looks.last().copied().unwrap_or(study.rounds);
        study.looks = looks;
    }
}

/// The first look of every study in the order of the plan, then rounds up to the next look for one undecided study
/// after the other; a study that is between two looks goes on to the next without being looked at.
///
/// Those come first that would probably be decided by the rounds and the time that are left: of these, controls come
/// last, and otherwise the ones come first that would take least time until they are decided, so that as many as
/// possible are. What would probably stay undecided has what time is left over: the studies first that were looked at
/// least. Rounds are begun only as far as they are expected to fit into the time left, and a round once begun is
/// finished.
///
/// Which study goes on depends on its records, and that favours no answer: a study that does not go on spends less of
/// its error than it might (`verdict` gives each look its part).
pub fn by_looks(
    plan: &Plan,
    records: &[TrialRecord],
    time_left: Option<Duration>,
    judge: &Judge<'_>,
) -> Option<Due> {
    if let Some(due) = in_order(plan, records, time_left) {
        return Some(due);
    }
    let recorded: BTreeSet<&TrialKey> = records.iter().map(|record| &record.key).collect();
    let steps: Vec<Step> =
        (0..plan.studies.len()).filter_map(|index| Step::after_first_look(plan, records, index)).collect();
    let fits = |step: &Step, rounds: u32| fits(&plan.studies[step.study], records, rounds, time_left);
    let go_on = |step: &Step| {
        let warmup = plan.studies[step.study].warmup_rounds;
        let rounds = step.begun.saturating_add(warmup)..step.next_look.saturating_add(warmup);
        first_missing(plan, step.study, rounds, &recorded)
    };
    if let Some(between) = steps.iter().filter(|step| fits(step, 1)).find(|step| !step.is_at_look) {
        return go_on(between);
    }
    let mut candidates: Vec<(Prospect, &Step)> = steps
        .iter()
        .filter(|step| step.is_at_look && fits(step, step.rounds()))
        .filter_map(|step| match judge(plan, records, step.study) {
            InterimAnswer::Decided => None,
            InterimAnswer::Undecided { rounds_needed, is_control } => {
                let needed = rounds_needed.filter(|needed| fits(step, *needed));
                Some((step.prospect(needed, is_control), step))
            }
        })
        .collect();
    candidates
        .sort_by(|(a, _), (b, _)| a.order().partial_cmp(&b.order()).unwrap_or(std::cmp::Ordering::Equal));
    candidates.first().and_then(|(_, step)| go_on(step))
}

/// A study that has had its first look, and how it may go on.
struct Step {
    study: usize,
    /// Analysed rounds that it has.
    begun: u32,
    next_look: u32,
    is_at_look: bool,
    looks_before: usize,
    /// Analysed rounds that it may have yet.
    rounds_left: u32,
    round_s: f64,
}

impl Step {
    /// `None` if the study has not had its first look, or has had its last.
    fn after_first_look(plan: &Plan, records: &[TrialRecord], index: usize) -> Option<Self> {
        let study = &plan.studies[index];
        let begun = rounds_begun(study, records);
        // Rounds in turns that carried something over count at no look, so the looks come that much later.
        let left_behind = rounds_left_behind(study, records);
        let counted = begun.saturating_sub(left_behind);
        let next_look = study.looks.iter().copied().find(|look| *look > counted)?;
        let next_look = next_look.saturating_add(left_behind).min(study.rounds);
        (begun >= study.rounds_first() && next_look > begun).then(|| Self {
            study: index,
            begun,
            next_look,
            is_at_look: study.looks.contains(&counted),
            looks_before: study.looks.iter().filter(|look| **look <= counted).count(),
            rounds_left: study.rounds.saturating_sub(begun),
            round_s: round_seconds(study, records),
        })
    }

    /// Rounds to the next look.
    fn rounds(&self) -> u32 {
        self.next_look - self.begun
    }

    fn prospect(&self, rounds_needed: Option<u32>, is_control: bool) -> Prospect {
        match rounds_needed.filter(|needed| *needed <= self.rounds_left) {
            Some(needed) => Prospect {
                is_unlikely: false,
                is_control,
                looks_before: 0,
                seconds: self.round_s * f64::from(needed),
            },
            None => Prospect {
                is_unlikely: true,
                is_control,
                looks_before: self.looks_before,
                seconds: self.round_s * f64::from(self.rounds()),
            },
        }
    }
}

/// Which study goes on first: the least.
struct Prospect {
    is_unlikely: bool,
    is_control: bool,
    /// Looks at a study that would probably stay undecided; otherwise 0.
    looks_before: usize,
    /// Until it would be decided, or until its next look.
    seconds: f64,
}

impl Prospect {
    fn order(&self) -> (bool, bool, usize, f64) {
        (self.is_unlikely, self.is_control, self.looks_before, self.seconds)
    }
}
