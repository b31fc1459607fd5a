//! Whether throughput had settled, by SNIA's rule (Solid State Storage Performance Test Specification 2.0): five
//! averages of a minute each within 20 % of each other and without a slope. Trials of seconds are too short for that.
//! For every trial the audit reports the last third relative to the first, which shows a cache that fills or a drive
//! that slows down.

use super::{Bearing, Check, Context, Judgement, Use};
use crate::latencies::{Ends, Throughput};
use crate::phrase::{bounds, count, limit, percent, ratio};
use crate::verdict::Status;
use model::trial::{SteadyRamp, TrialKey};
use stats::steady_state::{SteadyState, steady_state};

/// Throughput changed if the interval of last ÷ first third lies wholly beyond this factor in either direction.
const MOVED: f64 = 1.20;

pub(super) const CHECK: Check =
    Check { name: "steady-state", bearing, moot: "No figure is read from the clock.", judge: check };

/// A rate that has not settled depends on the trial's length.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    used.is_timed().then_some(Bearing::Limiting)
}

fn check(context: &Context<'_>) -> Judgement {
    by_ramp(context).unwrap_or_else(|| by_series(context))
}

/// For trials that should become steady before the measurement: whether they did.
fn by_ramp(context: &Context<'_>) -> Option<Judgement> {
    let ramps: Vec<(&TrialKey, &SteadyRamp)> = context
        .trials
        .iter()
        .flatten()
        .filter_map(|trial| {
            Some((&trial.record.key, trial.record.measurement.as_ref()?.steady_ramp.as_ref()?))
        })
        .collect();
    if ramps.is_empty() {
        return None;
    }
    let unsteady: Vec<_> = ramps.iter().filter(|(_, ramp)| !ramp.steady).collect();
    let plan = context.observations.plan;
    if unsteady.is_empty() {
        let summary = format!(
            "Throughput had settled before it was measured, in {} (SNIA's rule).",
            count(ramps.len(), "trial")
        );
        return Some(Judgement::pass(summary));
    }
    let sentence = |(key, ramp): &&(&TrialKey, &SteadyRamp)| {
        let minutes = ramp.interval_s * ramp.operations_per_s.len() as f64 / 60.0;
        format!("{} (round {}): not steady after {minutes:.1} min.", plan.label(key.configuration), key.round)
    };
    let summary = format!(
        "Throughput had not settled when it was measured in {} of {}.",
        unsteady.len(),
        count(ramps.len(), "trial")
    );
    let advice = "Give it more time (steady_time_max), or fill the drive first (precondition_passes).";
    let at: Vec<usize> = unsteady.iter().map(|(key, _)| key.configuration).collect();
    Some(Judgement::new(Status::Warn, summary, advice).at(at).with(unsteady.iter().map(sentence)))
}

fn by_series(context: &Context<'_>) -> Judgement {
    let (assessed, unsteady) = by_the_rule(context);
    let ends = &context.latencies.ends;
    let moved: Vec<usize> =
        ends.iter().filter(|ends| has_moved(ends)).map(|ends| ends.configuration).collect();
    let thirds = ends.iter().map(|ends| sentence(context, ends));
    let advice = "Run longer, or fill the drive first (precondition_passes, ramp_time): these figures are of a drive \
                  or cache that was still changing.";
    let judgement = if !unsteady.is_empty() {
        let summary =
            format!("Throughput had not settled in {} of {}.", unsteady.len(), count(assessed, "trial"));
        Judgement::new(Status::Warn, summary, advice)
            .at(unsteady.iter().map(|(configuration, _)| *configuration))
    } else if !moved.is_empty() {
        let summary = format!(
            "Throughput moved by more than {} from the first to the last third of the trials in {} of {}.",
            limit(MOVED - 1.0),
            moved.len(),
            count(ends.len(), "configuration")
        );
        Judgement::new(Status::Warn, summary, advice).at(moved)
    } else if assessed == 0 {
        Judgement::not_assessable(
            "Not assessable on trials of seconds: SNIA's rule needs five averages of a minute each.",
        )
    } else {
        Judgement::pass(format!("Throughput had settled in {} (SNIA's rule).", count(assessed, "trial")))
    };
    judgement.with(unsteady.into_iter().map(|(_, sentence)| sentence)).with(thirds)
}

/// Trials to which SNIA's rule could be applied; for each that broke it, its configuration and a sentence.
fn by_the_rule(context: &Context<'_>) -> (usize, Vec<(usize, String)>) {
    let plan = context.observations.plan;
    let mut unsteady = Vec::new();
    let mut assessed = 0;
    for Throughput { configuration, round, per_minute } in &context.latencies.throughputs {
        match steady_state(per_minute) {
            SteadyState::Steady { .. } => assessed += 1,
            SteadyState::NotSteady { range, slope_excursion } => {
                assessed += 1;
                let sentence = format!(
                    "{} (round {round}): the last five minutes range over {} of their average and move by {}.",
                    plan.label(*configuration),
                    percent(range),
                    percent(slope_excursion)
                );
                unsteady.push((*configuration, sentence));
            }
            SteadyState::NotAssessable(_) => {}
        }
    }
    (assessed, unsteady)
}

fn has_moved(ends: &Ends) -> bool {
    ends.ratio().is_ok_and(|found| found.interval.low > MOVED || found.interval.high < 1.0 / MOVED)
}

fn sentence(context: &Context<'_>, ends: &Ends) -> String {
    let label = context.observations.plan.label(ends.configuration);
    let label = if label.is_empty() { "the only configuration" } else { &label };
    let (words, trials) = ("the last third gave", count(ends.logs.len(), "trial"));
    match ends.ratio() {
        Ok(found) => {
            let interval = bounds((found.interval.low, found.interval.high));
            format!(
                "{label}: {words} {} the operations of the first (95 % interval {interval}, {trials}).",
                ratio(found.interval.estimate)
            )
        }
        Err(why) => {
            let point = crate::estimate::ratio_point(&ends.logs).map_or_else(|| "no".to_owned(), ratio);
            format!("{label}: {words} {point} the operations of the first ({why}).")
        }
    }
}
