//! Latencies by the size of what operations moved: each trial's own percentiles, and n counts trials.

use crate::estimate;
use crate::observations::Observations;
use crate::verdict::SizedLatency;
use model::mechanism::Measured;
use model::trial::{SizeClass, TrialRecord};
use std::collections::BTreeSet;

/// One line for each configuration, operation and class of sizes, in this order; none if sizes do not vary.
pub(crate) fn sized_latencies(observations: &Observations<'_>) -> Vec<SizedLatency> {
    let plan = observations.plan;
    let of_configuration = |configuration: usize| {
        let trials: Vec<&[SizeClass]> = observations.of_configuration(configuration).map(classes).collect();
        let mut keys: BTreeSet<(usize, u64)> = BTreeSet::new();
        let mut operations: Vec<&str> = Vec::new();
        for class in trials.iter().copied().flatten() {
            let place = operations.iter().position(|known| *known == class.operation).unwrap_or_else(|| {
                operations.push(&class.operation);
                operations.len() - 1
            });
            keys.insert((place, class.bytes_max.unwrap_or(u64::MAX)));
        }
        let label = plan.label(configuration);
        let sized = |(place, bound): (usize, u64)| {
            let is_it = |class: &&SizeClass| {
                class.operation == operations[place] && class.bytes_max.unwrap_or(u64::MAX) == bound
            };
            let of_trials: Vec<Option<&SizeClass>> =
                trials.iter().map(|classes| classes.iter().find(is_it)).collect();
            SizedLatency {
                configuration,
                label: label.clone(),
                operation: operations[place].to_owned(),
                bytes_max: (bound != u64::MAX).then_some(bound),
                operations: of_trials
                    .iter()
                    .flatten()
                    .fold(0, |sum: u64, class| sum.saturating_add(class.operations)),
                mean_us: over_trials(&of_trials, |class| Some(class.mean_us)),
                p50_us: over_trials(&of_trials, |class| figure(&class.p50_us)),
                p99_us: over_trials(&of_trials, |class| figure(&class.p99_us)),
            }
        };
        keys.into_iter().map(sized).collect::<Vec<_>>()
    };
    (0..plan.configurations.len()).flat_map(of_configuration).collect()
}

fn classes(record: &TrialRecord) -> &[SizeClass] {
    let phases = record.measurement.iter().flat_map(|measurement| &measurement.phases);
    phases.map(|phase| phase.size_classes.as_slice()).find(|classes| !classes.is_empty()).unwrap_or_default()
}

fn figure(measured: &Measured<f64>) -> Option<f64> {
    measured.value().copied()
}

/// The mean over trials. A trial has a percentile if it has enough operations, so the mean of those that have one is
/// not a figure of the configuration.
fn over_trials(trials: &[Option<&SizeClass>], of: impl Fn(&SizeClass) -> Option<f64>) -> estimate::Estimate {
    let known: Vec<f64> =
        trials.iter().filter_map(|class| of((*class)?)).filter(|figure| figure.is_finite()).collect();
    if known.len() < trials.len() {
        let (few, all) = (known.len(), trials.len());
        let reason = Some(format!("{few} of {all} trials have enough operations for it"));
        return estimate::Estimate { point: None, interval: None, level: None, reason };
    }
    estimate::mean(&known)
}
