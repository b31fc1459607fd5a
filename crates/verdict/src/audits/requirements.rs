//! The audits that an answer requires, collected from the figures that it uses.

use super::bearing::Use;
use super::check::Check;
use super::list::AUDITS;
use crate::basis::{Bearing, Requirement};
use crate::verdict::Cell;
use model::metric::{self, Source};
use model::plan::StudyPlan;

/// The audits that support these metrics of these configurations, in the list's order, each with the configurations
/// that depend on it most. Configurations without an analysed trial have no figure.
pub(crate) fn requirements(
    plan: &StudyPlan,
    cells: &[Cell],
    configurations: &[usize],
    parameters: &[String],
    metrics: &[&str],
) -> Vec<Requirement> {
    let kinds: Vec<_> = kinds(metrics.iter().copied()).into_iter().map(Some).collect();
    of_kinds(plan, cells, configurations, parameters, &kinds)
}

/// The audits that must pass to prove that a configuration's acknowledged writes are durable, whatever their speed;
/// `None` if it does not declare that.
pub(crate) fn requirements_of_promise(
    plan: &StudyPlan,
    cells: &[Cell],
    configuration: usize,
) -> Option<Vec<Requirement>> {
    let mut measured = cells.iter().filter(|cell| cell.n > 0 && cell.configuration == configuration);
    Use::new(plan, measured.next()?, &[], None).filter(Use::promises_durability)?;
    let mut requirements = of_kinds(plan, cells, &[configuration], &[], &[None]);
    requirements.retain(|required| required.bearing == Bearing::Required);
    Some(requirements)
}

fn of_kinds(
    plan: &StudyPlan,
    cells: &[Cell],
    configurations: &[usize],
    parameters: &[String],
    kinds: &[Option<(Source, bool)>],
) -> Vec<Requirement> {
    let measured = cells.iter().filter(|cell| cell.n > 0 && configurations.contains(&cell.configuration));
    let uses: Vec<(usize, Use<'_>)> = measured
        .flat_map(|cell| {
            let uses = kinds.iter().filter_map(|kind| Use::new(plan, cell, parameters, *kind));
            uses.map(|used| (cell.configuration, used))
        })
        .collect();
    let of = |check: &Check| {
        let leaning = uses.iter().filter_map(|(configuration, used)| {
            (check.bearing)(used).map(|bearing| (bearing, *configuration))
        });
        let leaning: Vec<(Bearing, usize)> = leaning.collect();
        let bearing = leaning.iter().map(|(bearing, _)| *bearing).max()?;
        let most = leaning.iter().filter(|(found, _)| *found == bearing);
        let mut configurations: Vec<usize> = most.map(|(_, configuration)| *configuration).collect();
        configurations.sort_unstable();
        configurations.dedup();
        Some(Requirement { audit: check.name.to_owned(), bearing, configurations })
    };
    AUDITS.iter().filter_map(of).collect()
}

/// Whether any figure of a study, by itself or compared, depends on an audit.
pub(super) fn arises(check: &Check, plan: &StudyPlan, cells: &[Cell]) -> bool {
    let factors: Vec<String> = plan.factors.iter().map(|factor| factor.name.clone()).collect();
    let mut measured = cells.iter().filter(|cell| cell.n > 0);
    measured.any(|cell| {
        kinds(cell.figures.keys().map(String::as_str)).into_iter().any(|kind| {
            let mut uses =
                [&[][..], &factors].into_iter().filter_map(|names| Use::new(plan, cell, names, Some(kind)));
            uses.any(|used| (check.bearing)(&used).is_some())
        })
    })
}

/// The sources of these metrics, and whether they are latencies, each once.
fn kinds<'a>(metrics: impl Iterator<Item = &'a str>) -> Vec<(Source, bool)> {
    let mut kinds = Vec::new();
    for kind in metrics.map(kind) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

/// The source of a metric. An unknown metric may have any source; the clock has the most audits.
fn kind(name: &str) -> (Source, bool) {
    metric::find(name)
        .map_or((Source::Clock, false), |metric| (metric.family.source, metric.family.distribution))
}
