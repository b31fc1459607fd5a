//! Sentences about an advice that the terminal, the page and the fragments share.

use crate::settings::unmeasured;
use crate::{quantity, wording};
use advice::{Advice, Alternative, Decision, Expiry, Ground, Needs, NoAdvice, Recommendation, Setting, Why};
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

/// What was measured; `None` if the reason of the decision has it already.
pub(crate) fn measured(setting: &Setting, found: &Recommendation) -> Option<String> {
    Some(wording::measured(&found.statement)).filter(|measured| *measured != wording::reason(setting))
}

/// What would decide more; `None` if the reason of the decision has it already.
pub(crate) fn needs(setting: &Setting, found: &Recommendation) -> Option<String> {
    match setting.decision {
        Decision::Candidate(_) => None,
        Decision::ChangeTo(_)
        | Decision::Keep(_)
        | Decision::Judged(_)
        | Decision::NeedsTime(_)
        | Decision::DoesNotApply(_)
        | Decision::Withheld(_) => found.needs.as_ref().map(wording::needed),
    }
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

/// The settings that were measured but have no advised value.
pub(crate) fn measured_in_vain(advice: &Advice) -> impl Iterator<Item = (&Setting, &NoAdvice)> {
    advice.without().filter(|(_, none)| none.why != Why::NotMeasured)
}

/// The settings that no study of the run measured, with the command that measures them.
pub(crate) fn not_measured(advice: &Advice) -> Vec<String> {
    let line =
        |(needs, names): (Needs, Vec<String>)| format!("{}: {}", names.join(", "), wording::needed(&needs));
    unmeasured(advice).into_iter().map(line).collect()
}

/// A kind of reason, in a word or two.
pub(crate) fn why(why: Why) -> &'static str {
    match why {
        Why::NotMeasured => "not measured",
        Why::Undecided => "needs time",
        Why::AuditFailed => "audit failed",
        Why::NotProven => "not proven",
        Why::Unsupported => "unsupported",
        Why::DoesNotApply => "n/a",
    }
}

/// What a new value needs, does and risks: `after a restart`, the manual's address, what it requires and what it risks.
pub(crate) fn facts(setting: &Setting) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("candidates", wording::candidates(setting)),
        ("takes effect", wording::takes_effect(setting.takes_effect).to_owned()),
    ];
    let versions =
        (!setting.versions.are_all()).then(|| format!("version {}", wording::versions(setting.versions)));
    let requires: Vec<String> =
        versions.into_iter().chain(setting.requires.iter().map(|clause| (*clause).to_owned())).collect();
    facts.push(("requires", requires.join("; ")));
    facts.push(("risks", setting.risks.join("; ")));
    facts.push(("manual", setting.manual.to_owned()));
    facts.retain(|(_, fact)| !fact.is_empty());
    facts
}
