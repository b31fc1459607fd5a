//! Whether a study goes on taking turns: a pure function of its records, which the binary gives to the lab.

use crate::audits;
use crate::interleaving::Rounds;
use crate::latencies::ReadSidecar;
use crate::observations::Observations;
use crate::slices::{self, TrialSlices};
use model::plan::{Plan, StudyPlan};
use model::run::Run;
use stats::TRIALS_MIN;

/// Whether the trials of a round of this study take turns, by the rounds before it.
///
/// They do until the audit `carry-over` fails; from then on they run one after another, and the records show that by an empty
/// ensemble. The audit is asked at the looks of the study, or once after six rounds if it has none, because asking after every round
/// would raise more false alarms than the audit states. And it is asked only while six rounds are left: fewer would give no interval.
pub fn takes_turns(run: &Run, study: &StudyPlan, round: u32, sidecar: &ReadSidecar<'_>) -> bool {
    if !study.turns.are_taken() {
        return false;
    }
    let before = || run.of_study(study).filter(|record| record.key.round < round);
    let rounds = Rounds::of(study, before());
    if rounds.have_left_turns() {
        return false;
    }
    let done = study.rounds_begun(before().map(|record| record.key.round));
    if !is_asked(study, done) {
        return true;
    }
    let earlier = Run {
        plan: Plan { studies: vec![study.clone()], ..run.plan.clone() },
        records: before().cloned().collect(),
        ..run.clone()
    };
    let observations = Observations::new(&earlier, study);
    let slices: Vec<TrialSlices> = observations
        .analysed()
        .filter(|record| slices::took_turns(record))
        .filter_map(|record| Some(slices::of_trial(record, &sidecar(&record.key)?)))
        .flatten()
        .collect();
    !audits::carries_over(&observations, &slices)
}

/// Whether the audit is asked after this number of rounds.
fn is_asked(study: &StudyPlan, rounds: u32) -> bool {
    let least = u32::try_from(TRIALS_MIN).unwrap_or(u32::MAX);
    let is_look = if study.looks.is_empty() { rounds == least } else { study.looks.contains(&rounds) };
    is_look && rounds >= least && study.rounds.saturating_sub(rounds) >= least
}
