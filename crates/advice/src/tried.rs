//! Values of a setting that a run tried on the database itself: a study whose factor `settings` has one level for each.

use crate::cause::Cause;
use crate::comparison::Comparison;
use crate::evidence::{Arms, Evidence};
use crate::level::Level;
use crate::no_advice::NoAdvice;
use crate::setting::Facts;
use crate::statement::Statement;
use crate::weighed::{Choose, Weighed};
use model::plan::{Plan, StudyPlan};
use model::{Settings, Value};
use settings::Release;
use workload::transactions::PARAMETERS;

/// Servers and stores have their settings by the same name.
const FACTOR: &str = PARAMETERS.settings.name();

/// Where a database is tried.
pub(crate) struct Trying {
    pub(crate) workload: &'static str,
    pub(crate) held: fn() -> Vec<Level>,
    /// In each of them a value must not lose.
    pub(crate) metrics: &'static [&'static str],
}

/// Comparisons of a setting, fixed by the plan: one for each value that it tries, in each metric.
pub(crate) fn comparisons(plan: &Plan, facts: &Facts, trying: &Trying) -> usize {
    let of_workload = plan.studies.iter().filter(|study| study.workload == trying.workload);
    levels(of_workload, facts.name).len() * trying.metrics.len()
}

/// Every tried value against the default.
pub(crate) fn tried(evidence: &Evidence<'_>, facts: &Facts, trying: &Trying) -> Result<Weighed, NoAdvice> {
    let levels = levels(evidence.of_workload(trying.workload).map(|(_, plan)| plan), facts.name);
    let release = evidence.server_version(trying.workload).map_or(Release::Any, Release::Of);
    let of_version = facts.default.of(&release).newest();
    let (Some(default), false) = (of_version, levels.is_empty()) else {
        return Err(NoAdvice::not_measured(Cause::OnlyTheDatabase));
    };
    let (held, defaults) = ((trying.held)(), [PARAMETERS.settings.at(Settings::default())]);
    let mut found: Vec<(&str, Comparison)> = Vec::new();
    let mut missing = None;
    for (level, value) in &levels {
        let other = [(FACTOR, level.clone())];
        let of_value: Result<Vec<_>, _> = trying
            .metrics
            .iter()
            .map(|metric| {
                let arms = Arms {
                    workload: trying.workload,
                    held: &held,
                    base: &defaults,
                    other: &other,
                    across_classes: false,
                };
                evidence.contrast(arms, metric)
            })
            .collect();
        // A value that this machine refuses says nothing about the others.
        match of_value {
            Ok(comparisons) => found.extend(comparisons.into_iter().map(|one| (value.as_str(), one))),
            Err(none) => drop(missing.get_or_insert(none)),
        }
    }
    if let (true, Some(none)) = (found.is_empty(), missing) {
        return Err(none);
    }
    let pairs = found.iter().map(|(value, found)| found.pair((*value).to_owned(), default)).collect();
    Ok(Weighed {
        // An older server has the default of its own version.
        in_use: (facts.default.newest() != Some(default)).then(|| default.to_owned()),
        effects: found.iter().map(|(value, found)| found.effect(value, default)).collect(),
        needs: found.iter().find_map(|(_, found)| found.needs.clone()),
        grounds: found.into_iter().map(|(_, found)| found.ground).collect(),
        ..Weighed::new(Choose::Compared, Statement::of_pairs(pairs))
    })
}

/// The levels that set nothing but this setting, each with its value.
fn levels<'a>(plans: impl Iterator<Item = &'a StudyPlan>, name: &str) -> Vec<(Value, String)> {
    let mut levels: Vec<(Value, String)> = Vec::new();
    for level in plans.filter_map(|plan| plan.factor(FACTOR)).flat_map(|factor| &factor.levels) {
        let Ok(settings) = Settings::parse(&level.to_string()) else { continue };
        let alone = settings.iter().count() == 1;
        if let (true, Some(value)) = (alone, settings.get(name)) {
            let value = value.to_owned();
            if !levels.iter().any(|(known, _)| known == level) {
                levels.push((level.clone(), value));
            }
        }
    }
    levels
}
