//! Which configuration of one run corresponds to which of the other, and what was set differently.

use super::comparison::Difference;
use super::reason::Lone;
use super::refusal::Refusal;
use crate::arms::other_differences;
use model::plan::{Plan, StudyPlan};
use model::run::Run;
use model::suggestion;
use std::collections::BTreeSet;

/// A difference that is not a parameter.
const FORMAT_VERSION: &str = "format_version";
const FRESH_PLACEMENT: &str = "fresh_placement";

/// The maximum number of listed values of a parameter, and of listed configurations that one side lacks.
const NAMED_MAX: usize = 3;

/// The configurations that both runs of a study have.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pairing {
    /// Label, index in A's plan, index in B's plan.
    pub(super) pairs: Vec<(String, usize, usize)>,
    /// What was set differently.
    pub(super) knobs: Vec<Difference>,
    /// Configurations without a partner.
    pub(super) left_out: Vec<Lone>,
}

/// Refuses allowed names that neither run has.
pub(super) fn known(a: &Run, b: &Run, allowed: &[String]) -> Result<(), Refusal> {
    let mut names: BTreeSet<&str> = BTreeSet::from([FORMAT_VERSION, FRESH_PLACEMENT]);
    for study in a.plan.studies.iter().chain(&b.plan.studies) {
        names.extend(study.configurations.iter().flat_map(|values| values.0.keys()).map(String::as_str));
    }
    match allowed.iter().find(|name| !names.contains(name.as_str())) {
        None => Ok(()),
        Some(name) => {
            Err(Refusal::UnknownKnob(suggestion::unknown("parameter", name, names.iter().copied())))
        }
    }
}

/// What differs between the plans as a whole.
pub(super) fn of_plans(a: &Plan, b: &Plan) -> Vec<Difference> {
    difference(FORMAT_VERSION.to_owned(), &a.format_version, &b.format_version).into_iter().collect()
}

/// The pairs of a study. Two configurations correspond if all factors of either run have the same level, except the
/// factors that are allowed to differ.
pub(super) fn pair(a: &StudyPlan, b: &StudyPlan, allowed: &[String]) -> Result<Pairing, Refusal> {
    if a.workload != b.workload {
        return Err(Refusal::NothingInCommon(format!(
            "study {} runs the workload {} in A and {} in B: nothing in them can be compared",
            a.name, a.workload, b.workload
        )));
    }
    let mut factors: Vec<&str> = Vec::new();
    for factor in a.factors.iter().chain(&b.factors) {
        let name = factor.name.as_str();
        if !factors.contains(&name) && !allowed.iter().any(|known| known == name) {
            factors.push(name);
        }
    }
    let labels = |plan: &StudyPlan| -> Vec<String> {
        plan.configurations.iter().map(|values| values.label(factors.iter().copied())).collect()
    };
    let (ours, theirs) = (labels(a), labels(b));
    unambiguous(a, &ours, 'A')?;
    unambiguous(b, &theirs, 'B')?;
    let mut pairing = Pairing::default();
    for (index, label) in ours.iter().enumerate() {
        if let Some(other) = theirs.iter().position(|known| known == label) {
            pairing.pairs.push((label.clone(), index, other));
        }
    }
    if pairing.pairs.is_empty() {
        return Err(Refusal::NothingInCommon(format!(
            "study {} has no configuration in both runs: A has {}, B has {}",
            a.name,
            some(&ours),
            some(&theirs)
        )));
    }
    let place = difference(format!("{}: {FRESH_PLACEMENT}", a.name), &a.fresh_placement, &b.fresh_placement);
    pairing.knobs = place.into_iter().chain(set_differently(a, b, &factors, &pairing.pairs)).collect();
    for (side, own, other) in [('A', &ours, &theirs), ('B', &theirs, &ours)] {
        let names: Vec<String> = own.iter().filter(|label| !other.contains(label)).cloned().collect();
        if !names.is_empty() {
            pairing.left_out.push(Lone { side, names });
        }
    }
    Ok(pairing)
}

/// If a factor is allowed to differ, several configurations may become the same; then the pairing is ambiguous.
fn unambiguous(plan: &StudyPlan, labels: &[String], side: char) -> Result<(), Refusal> {
    let twice = (1..labels.len()).find(|index| labels[..*index].contains(&labels[*index]));
    match twice {
        None => Ok(()),
        Some(index) => {
            let first = labels.iter().position(|label| *label == labels[index]).unwrap_or(index);
            Err(Refusal::NothingInCommon(format!(
                "study {}: with what is allowed to differ, {} and {} of {side} are the same configuration",
                plan.name,
                plan.label(first),
                plan.label(index)
            )))
        }
    }
}

/// The parameters other than the factors that differ in any pair, with all their values.
fn set_differently(
    a: &StudyPlan,
    b: &StudyPlan,
    factors: &[&str],
    pairs: &[(String, usize, usize)],
) -> Vec<Difference> {
    let mut found: Vec<(String, Vec<String>, Vec<String>)> = Vec::new();
    for (_, ours, theirs) in pairs {
        let differing = other_differences(factors, &a.configurations[*ours], &b.configurations[*theirs]);
        for (name, mut one, mut other) in differing {
            for (text, plan, index) in [(&mut one, a, *ours), (&mut other, b, *theirs)] {
                let unrecorded = plan.description(index).and_then(|it| it.names.unrecorded.get(&name));
                if let Some(words) = unrecorded {
                    words.clone_into(text);
                }
            }
            let place = found.iter().position(|(known, _, _)| *known == name).unwrap_or_else(|| {
                found.push((name, Vec::new(), Vec::new()));
                found.len() - 1
            });
            let (_, ours, theirs) = &mut found[place];
            for (values, value) in [(ours, one), (theirs, other)] {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        }
    }
    let difference = |(name, ours, theirs): (String, Vec<String>, Vec<String>)| Difference {
        what: format!("{}: {name}", a.name),
        a: some(&ours),
        b: some(&theirs),
    };
    found.into_iter().map(difference).collect()
}

fn difference<T: PartialEq + ToString>(what: String, a: &T, b: &T) -> Option<Difference> {
    (a != b).then(|| Difference { what, a: a.to_string(), b: b.to_string() })
}

/// The first few, and the number of the others.
fn some(names: &[String]) -> String {
    let shown: Vec<&str> = names
        .iter()
        .take(NAMED_MAX)
        .map(|name| if name.is_empty() { "its one configuration" } else { name.as_str() })
        .collect();
    let more = names.len().saturating_sub(NAMED_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
