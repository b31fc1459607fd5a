//! Which configurations are compared: arms that differ in one factor, for each cell of the other factors.

use model::plan::{Factor, StudyPlan};
use model::study::{Ask, AskKind};
use model::{Configuration, Value};
use std::collections::BTreeMap;

/// A factor and its levels that take part.
pub(crate) type Axis<'a> = (&'a str, Vec<&'a Value>);

/// The configurations of one cell of the other factors: one for each combination of the axes' levels, the last axis
/// fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stratum {
    /// The other factors' levels: `group_size=4`; empty if there is no other factor.
    pub(crate) label: String,
    /// Index in the plan of each combination's configuration.
    pub(crate) configurations: Vec<usize>,
}

/// Which of the other factors' levels take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    /// Every level: the result is averaged over all of them.
    All,
    /// Factors that the baseline names stay at its level; the others are compared level by level.
    AtBaseline,
}

/// The factor whose levels are an ask's arms; `None` if the ask follows one factor along its levels.
pub(crate) fn compared(ask: &Ask) -> Option<&str> {
    match ask.kind {
        AskKind::Compare | AskKind::Rank => Some(&ask.factor),
        AskKind::Crossover => ask.between.as_deref(),
        AskKind::Trend | AskKind::Knee | AskKind::Threshold | AskKind::Across => None,
    }
}

/// The level that the others are compared with: the baseline's, or the first if the baseline does not name the factor.
pub(crate) fn baseline_level<'a>(plan: &'a StudyPlan, factor: &'a Factor) -> Option<&'a Value> {
    let named = plan.baseline.get(&factor.name).filter(|level| factor.levels.contains(level));
    named.or_else(|| factor.levels.first())
}

/// The cells of the other factors in which every combination of the axes' levels has a configuration, in plan order.
pub(crate) fn strata(plan: &StudyPlan, axes: &[Axis<'_>], others: Others) -> Vec<Stratum> {
    let on_axis = |name: &str| axes.iter().any(|(axis, _)| *axis == name);
    let other_names: Vec<&str> =
        plan.factors.iter().map(|factor| factor.name.as_str()).filter(|name| !on_axis(name)).collect();
    let combinations = axes.iter().map(|(_, levels)| levels.len()).product();
    let mut order: Vec<String> = Vec::new();
    let mut cells: BTreeMap<String, Vec<Option<usize>>> = BTreeMap::new();
    for (index, configuration) in plan.configurations.iter().enumerate() {
        let Some(place) = place(axes, configuration) else { continue };
        if others == Others::AtBaseline && !is_at_baseline(plan, configuration, &other_names) {
            continue;
        }
        let label = configuration.label(other_names.iter().copied());
        let cell = cells.entry(label.clone()).or_insert_with(|| {
            order.push(label);
            vec![None; combinations]
        });
        cell[place].get_or_insert(index);
    }
    let complete = order.into_iter().filter_map(|label| {
        let configurations = cells.get(&label)?.iter().copied().collect::<Option<Vec<usize>>>()?;
        Some(Stratum { label, configurations })
    });
    complete.collect()
}

/// A configuration's index among the combinations of the axes' levels.
fn place(axes: &[Axis<'_>], configuration: &Configuration) -> Option<usize> {
    axes.iter().try_fold(0, |place, (axis, levels)| {
        let value = configuration.get(axis)?;
        let level = levels.iter().position(|level| *level == value)?;
        Some(place * levels.len() + level)
    })
}

/// The levels that [`Others::AtBaseline`] fixes: `filesystem=host mode=buffered`; `None` if it fixes none.
pub(crate) fn held(plan: &StudyPlan, axes: &[&str]) -> Option<String> {
    let named =
        plan.factors.iter().filter(|factor| factor.levels.len() > 1 && !axes.contains(&factor.name.as_str()));
    let label = plan.baseline.label(named.map(|factor| factor.name.as_str()));
    (!label.is_empty()).then_some(label)
}

fn is_at_baseline(plan: &StudyPlan, configuration: &Configuration, others: &[&str]) -> bool {
    others.iter().all(|name| match plan.baseline.get(name) {
        Some(level) => configuration.get(name) == Some(level),
        None => true,
    })
}

/// The parameters, except the factors, in which configurations differ, with both values.
pub(crate) fn other_differences(
    factors: &[&str],
    one: &Configuration,
    other: &Configuration,
) -> Vec<(String, String, String)> {
    let names = one.0.keys().chain(other.0.keys().filter(|name| !one.0.contains_key(*name)));
    let text = |value: Option<&Value>| value.map_or_else(|| "absent".to_owned(), ToString::to_string);
    names
        .filter(|name| !factors.contains(&name.as_str()))
        .filter(|name| one.get(name) != other.get(name))
        .map(|name| (name.clone(), text(one.get(name)), text(other.get(name))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use synthetic::Synthetic;

    #[test]
    fn a_cell_without_its_partner_is_no_comparison() {
        let mut plan = Synthetic::commit().plan();
        assert_eq!(strata_of_mode(&plan).len(), 2);
        plan.configurations.remove(0);
        assert_eq!(strata_of_mode(&plan).len(), 1);
    }

    #[test]
    fn factors_that_the_baseline_names_stay_there() {
        let mut plan = Synthetic::commit().plan();
        plan.baseline.0.insert("group_size".to_owned(), Value::Count(4));
        let strata = strata_of_mode(&plan);
        assert_eq!(strata.len(), 1);
        assert_eq!(strata[0].label, "group_size=4");
        assert_eq!(held(&plan, &["mode"]).as_deref(), Some("group_size=4"));
        assert_eq!(held(&plan, &["mode", "group_size"]), None);
    }

    fn strata_of_mode(plan: &StudyPlan) -> Vec<Stratum> {
        let factor = plan.factor("mode").unwrap();
        let baseline = baseline_level(plan, factor).unwrap();
        strata(plan, &[("mode", vec![baseline, &factor.levels[1]])], Others::AtBaseline)
    }
}
