//! Trials by outcome, what went wrong, and how the time was spent.

use crate::observations::{Observations, is_analysed, is_warmup, why};
use crate::run_remark::RunRemark;
use crate::verdict::{TimeShare, TrialCounts};
use model::figure::agreeing;
use model::run::Run;
use model::trial::{TrialOutcome, TrialRecord};

/// Trials of a study by outcome.
pub(crate) fn trials(observations: &Observations<'_>) -> TrialCounts {
    let plan = observations.plan;
    let wanted = plan.rounds_wanted(observations.rounds_begun());
    let rounds = u64::from(plan.warmup_rounds) + u64::from(wanted);
    let planned = usize::try_from(rounds).unwrap_or(usize::MAX).saturating_mul(plan.trials_per_round());
    let mut counts = TrialCounts { planned, ..TrialCounts::default() };
    let mut recorded = 0;
    for record in observations.all() {
        recorded += 1;
        match record.outcome {
            TrialOutcome::Ok if is_analysed(plan, record) && observations.sets_aside(record) => {
                counts.set_aside += 1;
            }
            TrialOutcome::Ok if is_analysed(plan, record) => counts.ok += 1,
            TrialOutcome::Ok if record.measurement.is_some() && is_warmup(plan, record) => counts.warmup += 1,
            TrialOutcome::Ok | TrialOutcome::Failed(_) => counts.failed += 1,
            TrialOutcome::Killed(_) => counts.killed += 1,
            TrialOutcome::Unsupported(_) => counts.unsupported += 1,
        }
    }
    counts.missing = planned.saturating_sub(recorded);
    counts
}

/// What went wrong: a sentence for each cause and configuration, with its rounds.
pub(crate) fn failures(observations: &Observations<'_>) -> Vec<String> {
    let mut causes: Vec<(usize, String, Vec<u32>)> = Vec::new();
    for record in observations.all() {
        let Some(why) = cause(record) else { continue };
        let configuration = record.key.configuration;
        match causes.iter_mut().find(|(index, known, _)| *index == configuration && *known == why) {
            Some((_, _, rounds)) => rounds.push(record.key.round),
            None => causes.push((configuration, why, vec![record.key.round])),
        }
    }
    causes.sort();
    let sentence = |(configuration, why, rounds): (usize, String, Vec<u32>)| {
        let rounds: Vec<String> = rounds.iter().map(u32::to_string).collect();
        let word = agreeing(rounds.len(), "round", "rounds");
        format!("{} ({word} {}): {why}", observations.plan.label(configuration), rounds.join(", "))
    };
    causes.into_iter().map(sentence).collect()
}

/// What went wrong in a trial, including a record without its measurement; `None` if nothing did.
pub(crate) fn cause(record: &TrialRecord) -> Option<String> {
    match (&record.outcome, &record.measurement) {
        (TrialOutcome::Ok, None) => Some("failed: the record holds no measurement".to_owned()),
        (outcome, _) => why(outcome),
    }
}

/// Seconds of the whole run by activity, over trials of every outcome.
///
/// A record's `prepare_s` is not part of its `wall_s`: a separate request prepares files before the trial.
pub(crate) fn time(run: &Run) -> TimeShare {
    let mut time = TimeShare::default();
    let mut total_s = 0.0;
    for record in &run.records {
        total_s += seconds(record.wall_s) + seconds(record.prepare_s);
        time.preparing_s += seconds(record.prepare_s);
        if let Some(measurement) = &record.measurement {
            for phase in &measurement.phases {
                time.measuring_s += seconds(phase.duration_s);
                time.settling_s += seconds(phase.counted_s() - phase.duration_s);
            }
            time.aftermath_s += seconds(measurement.aftermath_s);
            time.quiescing_s += seconds(measurement.quiesce_s);
            time.cache_s += seconds(measurement.cache_s);
        }
    }
    let accounted_s = time.measuring_s
        + time.settling_s
        + time.aftermath_s
        + time.preparing_s
        + time.quiescing_s
        + time.cache_s;
    time.other_s = (total_s - accounted_s).max(0.0);
    time
}

/// A span of time as recorded; an invalid one counts as zero.
fn seconds(recorded: f64) -> f64 {
    if recorded.is_finite() { recorded.max(0.0) } else { 0.0 }
}

/// Remarks about the run as a whole.
pub(crate) fn remarks(run: &Run, studies: &[Observations<'_>]) -> Vec<RunRemark> {
    let mut remarks: Vec<RunRemark> = run.remarks.iter().cloned().map(RunRemark::Read).collect();
    let mut sessions: Vec<u32> = run.records.iter().map(|record| record.session).collect();
    sessions.sort_unstable();
    sessions.dedup();
    if sessions.len() > 1 {
        remarks.push(RunRemark::Resumed { sessions: sessions.len() });
    }
    for observations in studies {
        let study = || observations.plan.name.clone();
        let TrialCounts { missing, planned, .. } = trials(observations);
        let is_resumable = run.plan.is_resumable();
        let of_study = [
            (
                missing,
                RunRemark::Missing { study: study(), trials: missing, of_trials: planned, is_resumable },
            ),
            (observations.repeated, RunRemark::Repeated { study: study(), records: observations.repeated }),
            (observations.foreign, RunRemark::Unplanned { study: study(), records: observations.foreign }),
        ];
        remarks.extend(of_study.into_iter().filter(|(count, _)| *count > 0).map(|(_, remark)| remark));
    }
    remarks.extend(
        run.plan.skipped.iter().map(|it| RunRemark::Skipped { study: it.study.clone(), why: it.why.clone() }),
    );
    let known = |name: &str| run.plan.studies.iter().any(|study| study.name == name);
    let records = run.records.iter().filter(|record| !known(&record.key.study)).count();
    remarks.extend((records > 0).then_some(RunRemark::OfNoStudy { records }));
    remarks
}
