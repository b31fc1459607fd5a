//! Metrics that would give the same comparison twice: one is the other times a constant of the configuration, as
//! transactions are commits times the group size. The workload says which, in the configuration's description. Asked
//! about together, the first is compared and the others are not: a copy proves nothing more, and would take its share
//! of the error.

use crate::arms;
use model::Configuration;
use model::plan::StudyPlan;
use model::study::{Ask, AskKind};

/// The metrics of an ask without the copies of earlier ones.
pub(super) fn without_copies(plan: &StudyPlan, ask: &Ask, metrics: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for metric in metrics {
        if !kept.iter().any(|known| are_copies(plan, ask, known, &metric)) {
            kept.push(metric);
        }
    }
    kept
}

/// Whether the ratio of any two arms that the ask compares is the same for both metrics.
fn are_copies(plan: &StudyPlan, ask: &Ask, one: &str, other: &str) -> bool {
    match ask.kind {
        AskKind::Compare | AskKind::Trend | AskKind::Crossover | AskKind::Knee | AskKind::Rank => {}
        // A limit and a figure for all levels are about the figures themselves.
        AskKind::Threshold | AskKind::Across => return false,
    }
    let compared = arms::compared(ask).unwrap_or(&ask.factor);
    let quotients: Option<Vec<(&Configuration, f64)>> = plan
        .configurations
        .iter()
        .enumerate()
        .map(|(index, values)| Some((values, quotient(plan, index, one, other)?)))
        .collect();
    // Arms that are named differ in whatever they like.
    let is_held = |a: &Configuration, b: &Configuration| {
        let mut others = plan.factors.iter().map(|factor| &factor.name).filter(|name| *name != compared);
        compared == "arm" || others.all(|name| a.get(name) == b.get(name))
    };
    quotients.is_some_and(|all| {
        let same = |(a, one): &(&Configuration, f64)| {
            all.iter().all(|(b, other)| !is_held(a, b) || one.to_bits() == other.to_bits())
        };
        !all.is_empty() && all.iter().all(same)
    })
}

/// The second metric ÷ the first at a configuration; `None` if neither is a multiple of the other, nor both of a third.
fn quotient(plan: &StudyPlan, configuration: usize, one: &str, other: &str) -> Option<f64> {
    let description = plan.description(configuration)?;
    let root = |metric: &str| {
        let multiple = description.figures.multiples.iter().find(|multiple| multiple.metric == metric);
        multiple.map_or_else(|| (metric.to_owned(), 1.0), |found| (found.of.clone(), found.times))
    };
    let ((one, first), (other, second)) = (root(one), root(other));
    (one == other).then(|| second / first)
}
