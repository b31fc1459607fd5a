//! What was observed of a program, beside what the arm measured that repeats its load.

use crate::verdict::{Cell, Figure, Replayed};
use model::metric::{self, Metric};
use model::plan::StudyPlan;
use model::study::ARM_FACTOR;

/// A rate, a size or a depth that is repeated is as near as this.
const TOLERANCE: f64 = 0.10;
/// A latency that is repeated is as near as this: it is the disk's, and not set by the study.
const LATENCY_TOLERANCE: f64 = 0.20;

/// Every figure that the study has of an observation, latencies last; none if the command line made several
/// configurations of the arm.
pub(crate) fn replayed(plan: &StudyPlan, cells: &[Cell]) -> Vec<Replayed> {
    let Some(observed) = &plan.observed else { return Vec::new() };
    let repeats = |cell: &&Cell| plan.configurations[cell.configuration].is(ARM_FACTOR, &observed.arm);
    let mut arms = cells.iter().filter(repeats);
    let (Some(arm), None) = (arms.next(), arms.next()) else { return Vec::new() };
    let both = |metric: Metric| {
        let name = metric.name();
        let figure = *observed.figures.get(&name)?;
        let within = observed.rates_within.unwrap_or(TOLERANCE);
        let tolerance = if metric.family.distribution { LATENCY_TOLERANCE } else { within };
        Some(beside(metric, figure, arm.figures.get(&name)?, tolerance))
    };
    let mut metrics: Vec<Metric> = metric::all().collect();
    metrics.sort_by_key(|metric| metric.family.distribution);
    metrics.into_iter().filter_map(both).collect()
}

fn beside(metric: Metric, observed: f64, figure: &Figure, tolerance: f64) -> Replayed {
    let replayed = figure.mean.clone();
    let ratio = replayed.point.map(|point| point / observed).filter(|ratio| ratio.is_finite());
    Replayed {
        metric: metric.name(),
        observed,
        replayed,
        unsupported: figure.unsupported.clone(),
        ratio,
        tolerance,
        is_within: ratio.map(|ratio| (ratio - 1.0).abs() <= tolerance),
    }
}
