//! Whether the records contain everything that the plan and the other trials imply. A lost record leaves no error, and
//! the remaining ones may be a selection.

use super::failed_trials::FAIL_ABOVE;
use super::{Bearing, Check, Context, Judgement};
use crate::completeness::{LostMetrics, LostTrials, lost_metrics, lost_trials};
use crate::observations::{Observations, Place};
use crate::phrase::count;
use crate::verdict::Status;
use std::collections::BTreeMap;

/// The maximum number of losses of each kind that are listed.
const NAMED_MAX: usize = 12;

const RESTORE: &str =
    "Restore the run directory from a copy. Trials without a record run again when the run is resumed.";

/// It applies to every figure, because every figure comes from the records.
pub(super) const CHECK: Check =
    Check { name: "complete-records", bearing: |_| Some(Bearing::Required), moot: "", judge: check };

fn check(context: &Context<'_>) -> Judgement {
    let observations = context.observations;
    let recorded = observations.all().count();
    if recorded == 0 {
        return Judgement::not_assessable("No trial has a record.");
    }
    let trials = lost_trials(observations);
    let metrics = lost_metrics(observations, context.asked);
    let sidecars = &context.latencies.missing;
    if trials.count == 0 && metrics.is_empty() && sidecars.is_empty() {
        return Judgement::pass(format!(
            "{} of the rounds begun: every one has its record, its metrics and its sidecar.",
            count(recorded, "trial")
        ));
    }
    let lost = lost_by_configuration(&trials, &metrics);
    let selected = selected(observations, &lost);
    let total: usize = lost.values().sum();
    let is_selection = !selected.is_empty() || total as f64 > FAIL_ABOVE * (recorded + total) as f64;
    let status = if is_selection { Status::Fail } else { Status::Warn };
    let judgement = Judgement::new(status, summary(context, recorded, &trials, &metrics), RESTORE)
        .with(limited(
            trials.places.iter().map(|place| format!("No record: {}", shown(observations, *place))),
        ))
        .with(limited(metrics.iter().map(|lost| {
            format!("Not recorded in {}: {}", shown(observations, lost.place), lost.metrics.join(", "))
        })))
        .with(limited(sidecars.iter().map(|name| format!("No sidecar: sidecars/{name}"))));
    // A configuration with most of its records must not be invalidated together with one without.
    if selected.is_empty() { judgement } else { judgement.at(selected) }
}

fn summary(context: &Context<'_>, recorded: usize, trials: &LostTrials, metrics: &[LostMetrics]) -> String {
    let sidecars = &context.latencies.missing;
    let expected = recorded as u64 + trials.count;
    let mut parts = Vec::new();
    if trials.count > 0 {
        parts.push(format!("{} of {expected} trials that were due have no record", trials.count));
    }
    if !metrics.is_empty() {
        let which = count(metrics.len(), "trial");
        parts.push(format!("{which} lack metrics that their configuration or the study has"));
    }
    if !sidecars.is_empty() {
        let rest = match context.latencies.read {
            0 => "there are no curves",
            _ => "curves and statements about single operations rest on the others",
        };
        let expected = sidecars.len() + context.latencies.read;
        parts.push(format!("{} of {expected} sidecars are missing: {rest}", sidecars.len()));
    }
    format!("{}.", parts.join("; "))
}

/// The number of a configuration's trials without figures for the answer. A lost sidecar does not count.
fn lost_by_configuration(trials: &LostTrials, metrics: &[LostMetrics]) -> BTreeMap<usize, usize> {
    let mut lost = BTreeMap::new();
    let without_figure = metrics.iter().filter(|lost| lost.is_asked).map(|lost| &lost.place);
    for (_, configuration, ..) in trials.places.iter().chain(without_figure) {
        *lost.entry(*configuration).or_default() += 1;
    }
    lost
}

/// Configurations that lost so much, and more than a single trial, that the rest may be a selection.
fn selected(observations: &Observations<'_>, lost: &BTreeMap<usize, usize>) -> Vec<usize> {
    let mut recorded: BTreeMap<usize, usize> = BTreeMap::new();
    for record in observations.all() {
        *recorded.entry(record.key.configuration).or_default() += 1;
    }
    let is_selection = |(configuration, lost): (&usize, &usize)| {
        let known = recorded.get(configuration).copied().unwrap_or_default();
        *lost > 1 && *lost as f64 > FAIL_ABOVE * (known + *lost) as f64
    };
    lost.iter().filter(|entry| is_selection(*entry)).map(|(configuration, _)| *configuration).collect()
}

fn shown(observations: &Observations<'_>, (round, configuration, duplicate, block): Place) -> String {
    let arm = if duplicate { ", second trial of the baseline" } else { "" };
    let block = if block > 0 { format!(", block {}", block + 1) } else { String::new() };
    format!("{}, round {round}{block}{arm}", observations.plan.label(configuration))
}

fn limited(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<String> = lines.collect();
    if lines.len() > NAMED_MAX {
        let more = lines.len() - NAMED_MAX;
        lines.truncate(NAMED_MAX);
        lines.push(format!("… and {more} more"));
    }
    lines
}
