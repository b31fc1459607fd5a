//! The figures of each configuration: the response is each trial's own value, and n counts trials.

use crate::dependence::Dependences;
use crate::durability::{Classes, Declared};
use crate::observations::{Observations, value};
use crate::verdict::{Cell, Figure};
use crate::{best, control, estimate, references};
use model::figure::agreeing;
use model::metric::{self, STATISTICS, Statistic};
use std::collections::BTreeMap;

/// One cell per configuration, in plan order, with a figure for every one of these metrics, and a ratio to the best for
/// those that are asked about.
pub(crate) fn cells(
    observations: &Observations<'_>,
    metrics: &[String],
    asked: &[String],
    classes: &Classes,
    dependences: &Dependences,
) -> Vec<Cell> {
    let plan = observations.plan;
    let cell = |configuration: usize| {
        let levels = plan.factors.iter().map(|factor| {
            let level = plan.configurations[configuration].get(&factor.name);
            level.map(ToString::to_string).unwrap_or_default()
        });
        Cell {
            configuration,
            label: plan.label(configuration),
            levels: levels.collect(),
            n: observations.of_configuration(configuration).count(),
            durability: classes.get(&configuration).map(|found| Declared::new(found)).unwrap_or_default(),
            against_reference: BTreeMap::new(),
            against_best: BTreeMap::new(),
            figures: metrics
                .iter()
                .map(|metric| (metric.clone(), figure(observations, configuration, metric)))
                .collect(),
        }
    };
    let mut cells: Vec<Cell> = (0..plan.configurations.len()).map(cell).collect();
    for (configuration, against_reference) in references::ratios(plan, &cells, classes, dependences) {
        cells[configuration].against_reference = against_reference;
    }
    for (configuration, against_best) in best::ratios(plan, &cells, asked, dependences) {
        cells[configuration].against_best = against_best;
    }
    cells
}

fn figure(observations: &Observations<'_>, configuration: usize, metric: &str) -> Figure {
    let values: Vec<(u32, Option<f64>)> = observations
        .of_configuration(configuration)
        .map(|record| (record.key.round, value(record, metric)))
        .collect();
    let (rounds, mut known): (Vec<u32>, Vec<f64>) =
        values.iter().filter_map(|(round, value)| Some((*round, (*value)?))).unzip();
    let mut unsupported = known.is_empty().then(|| observations.reason(configuration, metric));
    // A missing figure is recorded as unsupported; a figure that is not recorded at all was lost.
    let lacking =
        observations.of_configuration(configuration).filter(|record| record.metric(metric).is_none()).count();
    if !known.is_empty() && lacking > 0 {
        unsupported = Some(format!("{lacking} of {} trials do not have it in their records", values.len()));
        known.clear();
    } else if !known.is_empty() && known.len() < values.len() && is_quantile(metric) {
        let (few, trials) = (known.len(), values.len());
        let (have, those) =
            (agreeing(few, "has", "have"), agreeing(few, "it is a fast one", "those are the fast ones"));
        unsupported =
            Some(format!("only {few} of {trials} trials {have} enough operations for it, and {those}"));
        known.clear();
    }
    Figure {
        mean: estimate::mean(&known),
        median: estimate::median(&known),
        outliers: estimate::outliers(&known)
            .into_iter()
            .filter_map(|index| rounds.get(index).copied())
            .collect(),
        unsupported,
        shape_warning: estimate::shape_warning(&known),
        compared: if observations.plan.blocks_per_round() > 1 {
            control::compared(observations, configuration, false, metric)
        } else {
            BTreeMap::new()
        },
        values,
    }
}

/// A trial has a quantile if it completed enough operations, so whether it has one depends on its speed. The mean of
/// the trials that have one is therefore not a figure of the configuration.
fn is_quantile(name: &str) -> bool {
    let statistic = metric::find(name).and_then(|metric| metric.statistic);
    statistic.is_some_and(|index| matches!(STATISTICS[index].1, Statistic::Quantile(_)))
}
