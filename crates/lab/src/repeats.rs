//! A factor that changes nothing in a configuration does not multiply its trials: one of its levels is measured. Pure.

use model::plan::Factor;
use model::{Configuration, Schema};
use std::collections::BTreeMap;

/// Configurations without repeats, and the factors that are left.
pub(crate) struct Distinct {
    pub(crate) factors: Vec<Factor>,
    pub(crate) configurations: Vec<Configuration>,
    /// The repeats, with the reason.
    pub(crate) repeats: Vec<String>,
}

/// Configurations that differ only in factors without effect become one: the one with the baseline's levels, if there
/// is one. A factor that has no effect in any configuration keeps one level, so that nothing is asked about it.
///
/// # Errors
/// A factor in `varied` has no effect anywhere.
pub(crate) fn without_repeats(
    schema: &Schema,
    mut factors: Vec<Factor>,
    baseline: &Configuration,
    configurations: Vec<Configuration>,
    varied: &[(String, Vec<String>)],
) -> Result<Distinct, String> {
    let names: Vec<String> = factors.iter().map(|factor| factor.name.clone()).collect();
    let idle = |values: &Configuration| {
        let idle = schema.definitions.without_effect(values);
        idle.filter(|(name, _)| names.iter().any(|factor| factor == name)).collect::<BTreeMap<_, _>>()
    };
    let all: Vec<BTreeMap<&str, &str>> = configurations.iter().map(idle).collect();
    let everywhere = |name: &str| all.iter().all(|idle| idle.contains_key(name));
    if let Some((name, levels)) = varied.iter().find(|(name, levels)| levels.len() > 1 && everywhere(name)) {
        let because = all.first().and_then(|idle| idle.get(name.as_str())).unwrap_or(&"");
        return Err(format!("{name} = {} would change nothing: {because}", levels.join(",")));
    }
    let is_usual = |values: &Configuration, idle: &BTreeMap<&str, &str>| {
        idle.keys().all(|name| baseline.get(name).is_none_or(|level| values.get(name) == Some(level)))
    };
    let mut kept: Vec<(String, Configuration)> = Vec::new();
    let mut repeats = Vec::new();
    for (values, idle) in configurations.into_iter().zip(&all) {
        let effective = values.0.keys().map(String::as_str).filter(|name| !idle.contains_key(name));
        let effective = values.label(effective);
        let because =
            || idle.iter().map(|(name, because)| format!("{name} changes nothing, because {because}"));
        let repeat = |values: &Configuration| {
            let label = values.label(names.iter().map(String::as_str));
            format!("{label}: {}", because().collect::<Vec<_>>().join("; "))
        };
        match kept.iter_mut().find(|(known, _)| *known == effective) {
            None => kept.push((effective, values)),
            Some((_, earlier)) if is_usual(&values, idle) && !is_usual(earlier, idle) => {
                repeats.push(repeat(earlier));
                *earlier = values;
            }
            Some(_) => repeats.push(repeat(&values)),
        }
    }
    let configurations: Vec<Configuration> = kept.into_iter().map(|(_, values)| values).collect();
    for factor in factors.iter_mut().filter(|factor| everywhere(&factor.name)) {
        factor
            .levels
            .retain(|level| configurations.iter().any(|values| values.get(&factor.name) == Some(level)));
    }
    Ok(Distinct { factors, configurations, repeats })
}
