//! Whether arms with different durability are compared: a commit that survives only a killed process costs less.

use super::{Bearing, Check, Context, Judgement, Use};
use crate::arms::{self, Others, Stratum};
use crate::durability::{self, Classes, names};
use crate::observations::value;
use crate::references;
use crate::verdict::Status;
use model::durability::DurabilityClass;
use model::plan::StudyPlan;
use model::study::{Ask, AskKind};

pub(super) const CHECK: Check = Check {
    name: "durability-class",
    bearing,
    moot: "Nothing is written, so durability does not matter.",
    judge: check,
};

/// A ratio claims that both arms did the same.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    let bearing = if used.is_compared() || used.is_promise() { Bearing::Required } else { Bearing::Limiting };
    used.description.writes().map(|_| bearing)
}

fn check(context: &Context<'_>) -> Judgement {
    let classes = context.classes;
    if classes.is_empty() {
        return Judgement::not_assessable("No trial succeeded.");
    }
    let plan = context.observations.plan;
    let (torn, at): (Vec<String>, Vec<usize>) = classes
        .iter()
        .filter(|(_, found)| found.len() > 1)
        .map(|(configuration, found)| {
            let label = plan.label(*configuration);
            (format!("{label}: its trials declare {}.", names(found)), *configuration)
        })
        .unzip();
    if !torn.is_empty() {
        let advice = "Analyse runs of one version of the program only.";
        return Judgement::new(Status::Fail, "One configuration has trials of different durability.", advice)
            .at(at)
            .with(torn);
    }
    let (broken, at): (Vec<String>, Vec<usize>) = broken(context).into_iter().unzip();
    if !broken.is_empty() {
        let summary =
            "Acknowledged entries were missing after a kill that their durability class should survive.";
        let advice = "Do not trust this engine at this level: report it with the run directory.";
        return Judgement::new(Status::Fail, summary, advice).at(at).with(broken);
    }
    let mut evidence: Vec<String> =
        plan.asks.iter().filter_map(|ask| compared_across(plan, classes, ask)).collect();
    evidence.dedup();
    if evidence.is_empty() {
        let all: Vec<DurabilityClass> = classes.values().flatten().copied().collect();
        return Judgement::pass(format!(
            "Arms that are compared share a durability class ({}).",
            names(&all)
        ));
    }
    let summary = "Arms of different durability classes are compared: their guarantees differ.";
    let advice = "Read this ratio as the price of durability, not as one arm being faster.";
    Judgement::new(Status::Warn, summary, advice).with(evidence)
}

/// Configurations that lost entries to a kill although they declare that a killed process loses none.
fn broken(context: &Context<'_>) -> Vec<(String, usize)> {
    let plan = context.observations.plan;
    let mut lost: Vec<(usize, f64)> = Vec::new();
    for record in context.observations.analysed() {
        let promises = record.measurement.as_ref().is_some_and(|m| m.durability != DurabilityClass::None);
        let missing = value(record, "lost_after_kill").filter(|missing| promises && *missing > 0.0);
        if let Some(missing) = missing {
            match lost.iter_mut().find(|(configuration, _)| *configuration == record.key.configuration) {
                Some((_, most)) => *most = most.max(missing),
                None => lost.push((record.key.configuration, missing)),
            }
        }
    }
    let sentence = |(configuration, most): (usize, f64)| {
        (format!("{}: up to {most} entries in one kill.", plan.label(configuration)), configuration)
    };
    lost.into_iter().map(sentence).collect()
}

fn compared_across(plan: &StudyPlan, classes: &Classes, ask: &Ask) -> Option<String> {
    let others = match ask.kind {
        // Between references the ratio is the price of the class, and the finding states that.
        AskKind::Compare if !ask.references.is_empty() => return None,
        AskKind::Compare | AskKind::Rank => Others::AtBaseline,
        AskKind::Crossover => Others::All,
        AskKind::Trend | AskKind::Knee | AskKind::Threshold | AskKind::Across => return None,
    };
    let compared = arms::compared(ask)?;
    references::pairs(plan, classes, ask).into_iter().find_map(|(baseline, level)| {
        let strata = arms::strata(plan, &[(compared, vec![baseline, level])], others);
        let at = |place: usize| strata.iter().filter_map(move |stratum: &Stratum| stratum.configurations.get(place).copied());
        let (ours, theirs) = durability::difference(classes, at(0), at(1))?;
        let (ours, theirs) = (names(&ours), names(&theirs));
        Some(format!(
            "{compared}: writes acknowledged by {baseline} have class {ours}, those by {level} class {theirs}."
        ))
    })
}
