//! Whether arms differ in the factor and in nothing else. Page 001 compared 8 jobs with 12; page 000's `mode` changed
//! data reads and the log together. Engines that had unlike reads in flight, caches or durability are not ranked: those
//! answers are withheld (`engines.rs`).

use super::{Bearing, Check, Context, Judgement, Use};
use crate::arms::{self, Others};
use crate::engines;
use crate::phrase::title;
use crate::references;
use crate::verdict::Status;
use model::Value;
use model::plan::StudyPlan;
use model::study::Ask;

pub(super) const CHECK: Check =
    Check { name: "same-knobs", bearing, moot: "Nothing is compared.", judge: check };

/// A ratio shows the factor's effect only if nothing else differs.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    used.is_compared().then_some(Bearing::Required)
}

fn check(context: &Context<'_>) -> Judgement {
    let plan = context.observations.plan;
    let (at, strayed): (Vec<usize>, Vec<String>) = strayed(context).into_iter().unzip();
    if !strayed.is_empty() {
        let summary = "Trials ran with other values than the plan's.";
        let advice = "Start a new run: records of this one belong to another plan.";
        return Judgement::new(Status::Fail, summary, advice).at(at).with(strayed);
    }
    let unlike = unlike_engines(context);
    if !unlike.is_empty() {
        let summary = "Engines that were not used alike are compared: no result is claimed.";
        let advice = "Give these engines the same reads in flight, cache and durability class.";
        // What they are compared in is withheld already, and everything else stays valid.
        return Judgement::new(Status::Fail, summary, advice).about([]).with(unlike);
    }
    let mut differences: Vec<String> =
        plan.asks.iter().flat_map(|ask| more_than_the_factor(context, ask)).collect();
    differences.extend(unlike_writes(context));
    differences.sort();
    differences.dedup();
    if !differences.is_empty() {
        let summary = "Compared arms differ in more than the factor.";
        let advice =
            "Take the effect as the effect of all these parameters together, or vary them one by one.";
        return Judgement::new(Status::Warn, summary, advice).with(differences);
    }
    let mut together: Vec<String> = plan.asks.iter().filter_map(|ask| caveat(plan, ask)).collect();
    together.dedup();
    Judgement::pass("Compared arms differ in the factor only.").with(together)
}

/// What differs between engines that an ask compares, for each metric that depends on it.
fn unlike_engines(context: &Context<'_>) -> Vec<String> {
    let plan = context.observations.plan;
    each_comparison(context, |compared, metric, configurations| {
        let unlike = engines::unlike(plan, context.cells, &[compared], metric, configurations);
        unlike.map(|unlike| format!("{}: {unlike}.", title(metric)))
    })
}

/// How engines that an ask compares take writes differently.
fn unlike_writes(context: &Context<'_>) -> Vec<String> {
    let plan = context.observations.plan;
    each_comparison(context, |_, metric, configurations| {
        let &[one, other] = configurations else { return None };
        let unlike = engines::writes_unlike(plan, metric, [one, other]);
        unlike.map(|unlike| format!("{}: {unlike}.", title(metric)))
    })
}

/// What there is to say about the configurations that each ask compares, by metric.
fn each_comparison(
    context: &Context<'_>,
    evidence: impl Fn(&str, &str, &[usize]) -> Option<String>,
) -> Vec<String> {
    let plan = context.observations.plan;
    let mut found: Vec<String> = Vec::new();
    for ask in &plan.asks {
        let Some(compared) = arms::compared(ask) else { continue };
        let pairs = references::pairs(plan, context.classes, ask).into_iter();
        let strata = pairs.flat_map(|(baseline, level)| {
            arms::strata(plan, &[(compared, vec![baseline, level])], Others::AtBaseline)
        });
        for stratum in strata {
            for metric in &ask.on {
                let said = evidence(compared, metric, &stratum.configurations);
                found.extend(said.filter(|said| !found.contains(said)));
            }
        }
    }
    found
}

/// What a factor changes together, if one parameter stands for several.
pub(super) fn caveat(plan: &StudyPlan, ask: &Ask) -> Option<String> {
    let compared = arms::compared(ask)?;
    let sets_several =
        plan.descriptions.iter().filter_map(|description| description.names.sets_several.as_ref());
    let (parameter, own) = sets_several.into_iter().find(|(parameter, _)| parameter == compared)?;
    Some(format!(
        "{parameter} changes page reads and the log together; {} separate them (study commit-modes).",
        own.join(" and ")
    ))
}

/// Configurations with a trial whose recorded values differ from the plan.
fn strayed(context: &Context<'_>) -> Vec<(usize, String)> {
    let plan = context.observations.plan;
    let mut found: Vec<(usize, String)> = Vec::new();
    for record in context.observations.analysed() {
        let index = record.key.configuration;
        let Some(planned) = plan.configurations.get(index) else { continue };
        if found.last().is_some_and(|(last, _)| *last == index) || *planned == record.values {
            continue;
        }
        let differences: Vec<String> = arms::other_differences(&[], planned, &record.values)
            .into_iter()
            .map(|(name, planned, ran)| format!("{name} was planned as {planned} and was {ran}"))
            .collect();
        found.push((index, format!("{}: {}.", plan.label(index), differences.join(", "))));
    }
    found.sort();
    found.dedup_by_key(|(index, _)| *index);
    found
}

/// The differences between the arms of an ask, and between the levels that it follows, beside the factor: a sentence
/// for each factor, or for each arm if arms are named.
fn more_than_the_factor(context: &Context<'_>, ask: &Ask) -> Vec<String> {
    let plan = context.observations.plan;
    let followed = arms::compared(ask).is_none_or(|compared| compared != ask.factor);
    let followed = followed.then(|| {
        let factor = plan.factor(&ask.factor)?;
        let baseline = arms::baseline_level(plan, factor)?;
        let others = factor.levels.iter().filter(|level| *level != baseline);
        others.into_iter().find_map(|level| difference(plan, &ask.factor, baseline, level))
    });
    let compared = arms::compared(ask).unwrap_or_default();
    let pairs = references::pairs(plan, context.classes, ask).into_iter();
    let mut differences = pairs.filter_map(|(baseline, level)| difference(plan, compared, baseline, level));
    let compared: Vec<String> =
        if compared == "arm" { differences.collect() } else { differences.next().into_iter().collect() };
    followed.flatten().into_iter().chain(compared).collect()
}

fn difference(plan: &StudyPlan, compared: &str, baseline: &Value, level: &Value) -> Option<String> {
    // Named arms are lists of values by intent; the audit still reports their differences.
    let own = plan.descriptions.first().map_or(&[][..], |description| &description.names.arm_parameters);
    let (own, allowed) = match (compared, own) {
        ("arm", []) => (&[][..], 1),
        ("arm", own) => (own, 0),
        (_, _) => (&[][..], 0),
    };
    arms::strata(plan, &[(compared, vec![baseline, level])], Others::All).iter().find_map(|stratum| {
        let one = plan.configurations.get(*stratum.configurations.first()?)?;
        let other = plan.configurations.get(*stratum.configurations.get(1)?)?;
        let mut differences = arms::other_differences(&[compared], one, other);
        differences.retain(|(name, _, _)| !own.contains(name));
        if differences.len() <= allowed {
            return None;
        }
        let named: Vec<String> = differences
            .iter()
            .map(|(name, ours, theirs)| format!("{name} {ours} against {theirs}"))
            .collect();
        Some(format!("{compared} {baseline} against {level} also changes {}.", named.join(", ")))
    })
}
