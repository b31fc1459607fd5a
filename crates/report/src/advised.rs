//! Sentences about an advice that the terminal, the page and the fragments share.

use crate::{quantity, wording};
use advice::{Advice, Alternative, Effect, Expiry, Ground, NoAdvice, Recommendation, Setting, Why};
use model::units::format_bytes_approximate;

/// `study commit-modes (compare sync, dsync against fdatasync: commits/s, 20 trials)`.
pub(crate) fn grounds(found: &Recommendation) -> String {
    let of = |ground: &Ground| {
        let metric = quantity::named(&ground.metric).title;
        format!("study {} ({}: {metric}, {} trials)", ground.study, ground.finding, ground.trials)
    };
    let mut said: Vec<String> = Vec::new();
    for ground in found.grounds.iter().map(of) {
        if !said.contains(&ground) {
            said.push(ground);
        }
    }
    said.join("; ")
}

/// `littles-law, same-knobs passed; not carried out, and not required: steady-state`.
pub(crate) fn audits(found: &Recommendation) -> String {
    let passed = format!("{} passed", found.audits.join(", "));
    if found.unchecked.is_empty() {
        return passed;
    }
    format!("{passed}; not carried out, and not required: {}", found.unchecked.join(", "))
}

/// What it holds for.
pub(crate) fn expiry(expires: &Expiry) -> String {
    let mut parts =
        vec![format!("Linux {}", expires.kernel), expires.device.clone(), expires.filesystem.clone()];
    if expires.memory_bytes > 0 {
        parts.push(format!("{} of memory", format_bytes_approximate(expires.memory_bytes as f64)));
    }
    parts.extend(
        expires.size_bytes.map(|bytes| format!("files up to {}", format_bytes_approximate(bytes as f64))),
    );
    parts.retain(|part| !part.trim().is_empty());
    format!("{}; measure again when one of these changes", parts.join(", "))
}

/// Values that are not advised, each with its gain and its loss.
pub(crate) fn alternatives(setting: &str, found: &Recommendation) -> Vec<String> {
    let sentence = |other: &Alternative| {
        let loses = other.loses.as_ref();
        let loses = loses.map_or_else(String::new, |loses| format!("; it loses {}", wording::loss(loses)));
        format!("{setting} = {}: {}{loses}", other.value, wording::measured(&other.statement))
    };
    found.alternatives.iter().map(sentence).collect()
}

/// `commits/s × 1.30 (1.25–1.36), 99.3 % level`.
pub(crate) fn gain(effect: &Effect) -> String {
    let level = effect
        .ratio
        .level
        .map_or_else(String::new, |level| format!(", {} level", quantity::exact_percent(level)));
    let named = quantity::named(&effect.metric);
    format!("{} × {}{level}", named.title, quantity::ratio_with_bounds(&effect.ratio))
}

/// The settings that were measured but have no advised value.
pub(crate) fn measured_in_vain(advice: &Advice) -> impl Iterator<Item = (&Setting, &NoAdvice)> {
    advice.without().filter(|(_, none)| none.why != Why::NotMeasured)
}

/// The settings that no study of the run measured, with the command that measures them: `random_page_cost by syncline run
/// page-cost`.
pub(crate) fn not_measured(advice: &Advice) -> Vec<String> {
    let mut by_study: Vec<(&str, Vec<&str>)> = Vec::new();
    for (setting, none) in advice.without() {
        let (Why::NotMeasured, Some(study)) = (none.why, &none.study) else { continue };
        match by_study.iter_mut().find(|(known, _)| known == study) {
            Some((_, settings)) => settings.push(&setting.name),
            None => by_study.push((study, vec![&setting.name])),
        }
    }
    by_study
        .into_iter()
        .map(|(study, settings)| format!("{} by syncline run {study}", settings.join(", ")))
        .collect()
}

/// A kind of reason, in a word or two.
pub(crate) fn why(why: Why) -> &'static str {
    match why {
        Why::NotMeasured => "not measured",
        Why::Undecided => "undecided",
        Why::AuditFailed => "audit failed",
        Why::NotProven => "not proven",
        Why::Unsupported => "unsupported",
    }
}
