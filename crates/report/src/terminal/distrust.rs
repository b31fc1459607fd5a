//! What a reader must distrust before reading any figure: audits that failed or warned, and the noise floor.

use crate::doubt::{Doubt, doubts};
use crate::quantity;
use page::Tone;
use page::terminal::Lines;
use verdict::finding::floor_text;
use verdict::{EQUIVALENCE_MARGIN, Status, StudyVerdict, Verdict};

/// Floors that are printed one by one.
const FLOORS_MAX: usize = 4;

/// Failed audits and warnings that limit an answer, with their summaries; the names of the other warnings in one line;
/// and the noise floor. The first failure of an audit has the remedy.
pub(super) fn section(page: &mut Lines, verdict: &Verdict) {
    let doubts = doubts(verdict);
    let (failed, warned): (Vec<&Doubt<'_>>, Vec<&Doubt<'_>>) =
        doubts.iter().partition(|doubt| doubt.status == Status::Fail);
    let mut advised: Vec<&str> = Vec::new();
    for doubt in failed {
        let is_new = !advised.contains(&doubt.audit);
        let advice = if is_new { format!(" {}", doubt.advice) } else { String::new() };
        advised.push(doubt.audit);
        page.item(Tone::Bad, "FAIL", &format!("{}: {}{advice}", place(doubt, verdict), doubt.summary));
    }
    let (limiting, others): (Vec<&Doubt<'_>>, Vec<&Doubt<'_>>) =
        warned.into_iter().partition(|doubt| doubt.limits_answers);
    for doubt in limiting {
        page.item(Tone::Warn, "warn", &format!("{}: {}", place(doubt, verdict), doubt.summary));
    }
    if !others.is_empty() {
        let places: Vec<String> = others.into_iter().map(|doubt| place(doubt, verdict)).collect();
        page.item(Tone::Faint, "warn", &format!("these limit no answer: {}", places.join(" · ")));
    }
    let measured: Vec<&StudyVerdict> = verdict.studies.iter().filter(|study| study.trials.ok > 0).collect();
    if let Some((tone, words)) = floors(&measured) {
        page.item(tone, "noise floor", &words);
    }
}

/// The audits that failed: `drift in commit, depth`.
pub(super) fn failed(verdict: &Verdict) -> Vec<String> {
    let doubts = doubts(verdict);
    let failed = doubts.iter().filter(|doubt| doubt.status == Status::Fail);
    failed.map(|doubt| place(doubt, verdict)).collect()
}

/// `drift in commit, depth`.
fn place(doubt: &Doubt<'_>, verdict: &Verdict) -> String {
    let names = doubt.studies.iter().filter_map(|place| verdict.studies.get(*place));
    let names: Vec<&str> = names.map(|study| study.name.as_str()).collect();
    format!("{} in {}", doubt.audit, names.join(", "))
}

/// The largest floors, and the bound of the others; `None` if nothing was measured.
fn floors(studies: &[&StudyVerdict]) -> Option<(Tone, String)> {
    let mut known: Vec<(&str, &str, f64)> = Vec::new();
    let mut unknown: Vec<&str> = Vec::new();
    for study in studies {
        let of_study: Vec<(&str, f64)> = study
            .asked
            .iter()
            .filter_map(|metric| Some((metric.as_str(), study.noise.get(metric)?.floor()?)))
            .collect();
        if of_study.is_empty() {
            unknown.push(&study.name);
        }
        known.extend(of_study.into_iter().map(|(metric, ratio)| (study.name.as_str(), metric, ratio)));
    }
    known.sort_by(|a, b| b.2.total_cmp(&a.2));
    let above = known.iter().take_while(|(_, _, ratio)| *ratio > EQUIVALENCE_MARGIN).count();
    let words = |(study, metric, ratio): &(&str, &str, f64)| {
        format!("{study}: {} {}", quantity::named(metric).title, floor_text(*ratio))
    };
    let mut parts: Vec<String> = known.iter().take(above.clamp(1, FLOORS_MAX)).map(words).collect();
    if above > FLOORS_MAX {
        parts.push(format!("{} more above ±5 %", above - FLOORS_MAX));
    } else if known.len() > parts.len() {
        parts.push(format!("every other metric within {}", floor_text(known[parts.len()].2)));
    }
    if !unknown.is_empty() {
        parts.push(format!("unknown in {}", unknown.join(", ")));
    }
    let tone = if above > 0 { Tone::Warn } else { Tone::Plain };
    (!parts.is_empty()).then(|| {
        (
            tone,
            format!(
                "{} (the baseline against itself; Syncline calls no smaller difference an effect)",
                parts.join(" · ")
            ),
        )
    })
}
