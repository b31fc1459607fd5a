//! What the check of a parameter reads from the plan and from the realised values.

use super::super::{Context, Trial};
use crate::basis::Scope;
use crate::verdict::Cell;
use model::plan::StudyPlan;

/// A failure of the parameter's effect between these configurations; their figures remain valid.
pub(super) fn effect(parameter: &str, configurations: impl IntoIterator<Item = usize>) -> [Scope; 1] {
    [Scope::Effect { parameter: parameter.to_owned(), configurations: configurations.into_iter().collect() }]
}

/// Whether configurations of the plan differ in a parameter.
pub(super) fn is_varied(plan: &StudyPlan, parameter: &str) -> bool {
    let mut values = plan.configurations.iter().map(|configuration| configuration.get(parameter));
    let first = values.next();
    values.any(|value| Some(value) != first)
}

/// The first trial of a configuration; all its trials have the same description.
pub(super) fn of_cell<'a>(context: &'a Context<'_>, cell: &Cell) -> Option<&'a Trial<'a>> {
    context.trials.get(cell.configuration)?.first()
}

/// A configuration's mean of a metric.
pub(super) fn mean(cell: &Cell, metric: &str) -> Option<f64> {
    cell.figures.get(metric)?.mean.point
}

/// A configuration's name in a sentence.
pub(super) fn name(label: &str) -> &str {
    if label.is_empty() { "the only configuration" } else { label }
}
