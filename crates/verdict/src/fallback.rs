//! Whether a study goes on taking turns: a pure function of its records, which the binary gives to the lab.

use crate::audits;
use crate::interleaving::Rounds;
use crate::latencies::ReadSidecar;
use crate::observations::Observations;
use crate::slices::{self, TrialSlices};
use model::plan::StudyPlan;
use model::run::Run;
use model::trial::TrialRecord;
use stats::TRIALS_MIN;

/// Whether the trials of a round of this study take turns, by the rounds before it.
///
/// They do until the audit `carry-over` fails; from then on they run one after another, and the records show that by an
/// empty ensemble. The audit is asked at the looks of the study, or once after six rounds if it has none, because
/// asking after every round would raise more false alarms than the audit states. And it is asked only while six rounds
/// are left: fewer would give no interval.
pub fn takes_turns(run: &Run, study: &StudyPlan, round: u32, sidecar: &ReadSidecar<'_>) -> bool {
    study.turns.are_taken() && !has_left(run, study, round) && !leaves_turns(run, study, round, sidecar)
}

/// Whether this round of a study is the first whose trials run one after another, because those of the rounds before it
/// took turns and carried something over.
pub fn leaves_turns(run: &Run, study: &StudyPlan, round: u32, sidecar: &ReadSidecar<'_>) -> bool {
    let done = study.rounds_begun(before(run, study, round).map(|record| record.key.round));
    if !study.turns.are_taken() || has_left(run, study, round) || !is_asked(study, done) {
        return false;
    }
    let earlier = Run {
        plan: run.plan.clone(),
        host: run.host.clone(),
        records: before(run, study, round).cloned().collect(),
        remarks: Vec::new(),
    };
    let observations = Observations::new(&earlier, study);
    let slices: Vec<TrialSlices> = observations
        .analysed()
        .filter(|record| slices::took_turns(record))
        .filter_map(|record| Some(slices::of_trial(record, &sidecar(&record.key)?)))
        .flatten()
        .collect();
    audits::carries_over(&observations, &slices)
}

/// The records of earlier rounds.
fn before<'a>(run: &'a Run, study: &'a StudyPlan, round: u32) -> impl Iterator<Item = &'a TrialRecord> {
    run.of_study(study).filter(move |record| record.key.round < round)
}

fn has_left(run: &Run, study: &StudyPlan, round: u32) -> bool {
    Rounds::of(study, before(run, study, round)).have_left_turns()
}

/// Whether the audit is asked after this number of rounds.
fn is_asked(study: &StudyPlan, rounds: u32) -> bool {
    let least = u32::try_from(TRIALS_MIN).unwrap_or(u32::MAX);
    let is_look = if study.looks.is_empty() { rounds == least } else { study.looks.contains(&rounds) };
    is_look && rounds >= least && study.rounds.saturating_sub(rounds) >= least
}
