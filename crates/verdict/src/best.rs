//! Each configuration relative to the best of its durability class, for each metric: paired within rounds, and
//! descriptive.

use crate::dependence::Dependences;
use crate::durability::Declared;
use crate::engines;
use crate::references;
use crate::verdict::{AgainstBest, Cell};
use model::metric::{self, Better};
use model::plan::StudyPlan;
use std::collections::BTreeMap;

/// By configuration and metric, for every metric of the asks that has a better direction. A class with one measured
/// configuration has no best, neither has one whose engine was not used like the best's, and neither has a metric whose
/// best mean is zero: no ratio to it exists.
pub(crate) fn ratios(
    plan: &StudyPlan,
    cells: &[Cell],
    asked: &[String],
    dependences: &Dependences,
) -> BTreeMap<usize, BTreeMap<String, AgainstBest>> {
    let mut ratios: BTreeMap<usize, BTreeMap<String, AgainstBest>> = BTreeMap::new();
    let mut classes: Vec<&Declared> = cells.iter().map(|cell| &cell.durability).collect();
    classes.sort_unstable();
    classes.dedup();
    for (class, name) in classes.iter().flat_map(|class| asked.iter().map(move |name| (class, name))) {
        let members: Vec<(f64, &Cell)> = cells
            .iter()
            .filter(|cell| cell.durability == **class)
            .filter_map(|cell| Some((cell.figures.get(name)?.mean.point?, cell)))
            .collect();
        let Some(best) = best(name, &members).filter(|_| members.len() > 1) else { continue };
        for (_, cell) in &members {
            let is_best = cell.configuration == best;
            if engines::between(plan, cells, name, [best, cell.configuration]).is_some() {
                continue;
            }
            let ratio = (!is_best).then(|| {
                references::ratio(plan, cells, [best, cell.configuration], name, dependences.of_metric(name))
            });
            let against = AgainstBest { configuration: best, ratio };
            ratios.entry(cell.configuration).or_default().insert(name.clone(), against);
        }
    }
    ratios
}

/// The configuration with the best mean.
fn best(name: &str, members: &[(f64, &Cell)]) -> Option<usize> {
    let means = members.iter().filter(|(mean, _)| mean.is_finite());
    let (mean, cell) = match metric::find(name)?.family.better {
        Better::Higher => means.max_by(|a, b| a.0.total_cmp(&b.0)),
        Better::Lower => means.min_by(|a, b| a.0.total_cmp(&b.0)),
        Better::Neither => None,
    }?;
    (*mean > 0.0).then_some(cell.configuration)
}
