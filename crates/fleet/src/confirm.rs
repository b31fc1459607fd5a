//! The second measurement of the suspects, against limits that move with the controls.

use crate::figures::{Answers, Measured, figure};
use crate::gather::Measurement;
use crate::question::Question;
use crate::rule::{ALPHA, CONTROLS_MIN, ROUNDS_MIN, are_close};
use crate::screen::Screened;
use crate::suspect::{Confirmation, DoubtedRun, SuspectOutcome};
use stats::family::holm;
use stats::interval::median_interval;
use stats::{Interval, sample, screening};
use std::collections::BTreeSet;

/// The names of the failed audits of a study in a run.
pub(crate) type Audits<'a> = &'a mut dyn FnMut(&str, &str) -> Vec<String>;

/// What each suspicion is after the second measurements, in their order.
pub(crate) fn confirm(
    screened: &Screened,
    answers: &[Answers<'_>],
    disks: &[Measured<'_>],
    questions: &[Question],
    audits: Audits<'_>,
) -> Vec<SuspectOutcome> {
    let suspects: BTreeSet<usize> = screened.suspects.iter().map(|suspicion| suspicion.disk).collect();
    let tried: Vec<SuspectOutcome> = screened
        .suspects
        .iter()
        .map(|suspicion| {
            let (distribution, disk) = (suspicion.distribution, suspicion.disk);
            let limit = screened.limits[distribution].unwrap_or(f64::NEG_INFINITY);
            let answers = &answers[distribution];
            let Some(second) = disks[disk].seconds(answers.recorded_as).next() else {
                return SuspectOutcome::MeasureAgain;
            };
            let drift = Drift::of_controls(answers, disks, &suspects, second);
            test(answers, (disk, second), limit, &drift)
        })
        .collect();
    let adjusted = adjusted(&tried);
    let judged = tried.into_iter().zip(adjusted).zip(&screened.suspects);
    judged
        .map(|((outcome, p), suspicion)| match outcome {
            SuspectOutcome::NotConfirmed(confirmation) => {
                let confirmation = Confirmation { p, ..confirmation };
                let answers = &answers[suspicion.distribution];
                let first = disks[suspicion.disk].firsts.get(&answers.recorded_as);
                let first = first.map_or("", |first| &first.run);
                judge(confirmation, first, &questions[answers.question].study, audits)
            }
            other => other,
        })
        .collect()
}

/// How much faster disks are that are not suspects and were measured again about when a suspect was.
struct Drift {
    controls: usize,
    median: f64,
    /// The slow end of its interval; `None` with too few controls.
    low: Option<f64>,
}

impl Drift {
    fn of_controls(
        answers: &Answers<'_>,
        disks: &[Measured<'_>],
        suspects: &BTreeSet<usize>,
        of_suspect: &Measurement,
    ) -> Self {
        let controls = answers.disks.iter().filter(|(disk, _)| !suspects.contains(disk));
        let drifts: Vec<f64> = controls
            .filter_map(|(disk, logs)| {
                let mut seconds = disks[*disk].seconds(answers.recorded_as);
                let second = seconds.find(|second| are_close(&second.began_at, &of_suspect.began_at))?;
                let again = second.answers.get(&answers.recorded_as)?;
                Some(answers.speed(again)? - answers.speed(logs)?)
            })
            .collect();
        let interval: Option<Interval> = median_interval(&drifts).ok();
        Self {
            controls: drifts.len(),
            median: sample::median(&drifts).unwrap_or(0.0),
            low: interval.map(|interval| interval.low),
        }
    }
}

/// A second measurement against its limit, with its own p-value; what is tested is not confirmed yet.
fn test(
    answers: &Answers<'_>,
    (disk, second): (usize, &Measurement),
    limit: f64,
    drift: &Drift,
) -> SuspectOutcome {
    let logs = second.answers.get(&answers.recorded_as).map(Vec::as_slice).unwrap_or_default();
    if logs.len() < ROUNDS_MIN {
        return SuspectOutcome::TooFewRounds { rounds: logs.len() };
    }
    let Some(low) = drift.low.filter(|_| drift.controls >= CONTROLS_MIN) else {
        return SuspectOutcome::TooFewControls { controls: drift.controls };
    };
    let speeds: Vec<f64> = logs.iter().map(|log| answers.sign * log).collect();
    // The controls show the drift with an interval; its slow end is in favour of the suspect.
    let limit = limit + low;
    SuspectOutcome::NotConfirmed(Confirmation {
        run: second.run.clone(),
        figure: figure(disk, logs),
        limit: answers.value(limit),
        controls: drift.controls,
        drift: drift.median.exp(),
        p: screening::below_limit_p(&speeds, limit).unwrap_or(1.0),
    })
}

/// The p-values of what was tested, adjusted over the suspects; 1 for what was not.
fn adjusted(tried: &[SuspectOutcome]) -> Vec<f64> {
    let own = |outcome: &SuspectOutcome| match outcome {
        SuspectOutcome::Slow(confirmation)
        | SuspectOutcome::NotConfirmed(confirmation)
        | SuspectOutcome::Doubted { confirmation, .. } => Some(confirmation.p),
        SuspectOutcome::TooFewControls { .. }
        | SuspectOutcome::TooFewRounds { .. }
        | SuspectOutcome::MeasureAgain => None,
    };
    let p_values: Vec<f64> = tried.iter().filter_map(own).collect();
    // Every p-value is a probability; without adjusted ones nothing is confirmed.
    let mut adjusted = holm(&p_values).unwrap_or_default().into_iter();
    tried.iter().map(|outcome| own(outcome).and_then(|_| adjusted.next()).unwrap_or(1.0)).collect()
}

/// What is proven, unless an audit failed in one of the two runs.
fn judge(confirmation: Confirmation, first: &str, study: &str, audits: Audits<'_>) -> SuspectOutcome {
    if confirmation.p > ALPHA {
        return SuspectOutcome::NotConfirmed(confirmation);
    }
    let runs = [(first, true), (&confirmation.run, false)].map(|(run, is_first)| DoubtedRun {
        run: run.to_owned(),
        is_first,
        audits: audits(run, study),
    });
    let runs: Vec<DoubtedRun> = runs.into_iter().filter(|run| !run.audits.is_empty()).collect();
    if runs.is_empty() {
        SuspectOutcome::Slow(confirmation)
    } else {
        SuspectOutcome::Doubted { confirmation, runs }
    }
}
