//! The answer to a study's question. The order of the asks in a study file is the study's own ranking: the answer begins
//! with the first ask, undecided or not, and goes on with what else was decided while it stays short. Failed audits are
//! told with it.

use crate::asks::LADDER;
use crate::phrase::count;
use crate::verdict::{Answer, Audit, Estimate, Finding, Status, TrialCounts};

/// Levels of one factor that an answer names at most.
const LEVELS_MAX: usize = 2;
/// Findings that an answer tells at most.
const FINDINGS_MAX: usize = 3;
/// An answer this long takes no further finding.
const LONG_CHARACTERS: usize = 480;

/// A few sentences, and one more where an audit failed.
pub(crate) fn sentences(findings: &[Finding], audits: &[Audit], counts: &TrialCounts) -> String {
    if counts.ok == 0 {
        return "No trial has ended well yet, so there is no answer.".to_owned();
    }
    let mut sentences: Vec<String> =
        told(findings).into_iter().map(|finding| finding.statement.clone()).collect();
    if sentences.is_empty() {
        sentences.push("The study asks nothing; its figures stand for themselves.".to_owned());
    }
    let failed: Vec<&str> =
        audits.iter().filter(|audit| audit.status == Status::Fail).map(|audit| audit.name.as_str()).collect();
    if !failed.is_empty() {
        sentences.push(format!(
            "Do not rely on this before reading why {} failed: {}.",
            count(failed.len(), "audit"),
            failed.join(", ")
        ));
    }
    sentences.join(" ")
}

/// The first ask's findings, then one decided finding of each further ask.
fn told(findings: &[Finding]) -> Vec<&Finding> {
    let mut told: Vec<&Finding> = Vec::new();
    for (index, ask) in findings.chunk_by(|a, b| (a.place, &a.ask) == (b.place, &b.ask)).enumerate() {
        let mut levels = main_effects(ask);
        if index > 0 {
            let length: usize = told.iter().map(|finding| finding.statement.chars().count()).sum();
            if told.len() >= FINDINGS_MAX || length >= LONG_CHARACTERS {
                break;
            }
            levels.retain(|finding| matches!(finding.answer, Answer::Different | Answer::Equivalent));
            levels.truncate(1);
        }
        told.extend(levels);
    }
    told
}

/// An ask's first metric: its levels, what was decided first, the largest effects first.
fn main_effects(ask: &[Finding]) -> Vec<&Finding> {
    let Some(first) = ask.first() else { return Vec::new() };
    let mut levels: Vec<&Finding> = ask.iter().filter(|finding| finding.metric == first.metric).collect();
    if first.ask == LADDER {
        // A price is told with those below it.
        return levels;
    }
    levels.sort_by(|a, b| {
        let key = |finding: &Finding| (importance(finding.answer), effect(finding));
        let ((a_rank, a_effect), (b_rank, b_effect)) = (key(a), key(b));
        a_rank.cmp(&b_rank).then(b_effect.total_cmp(&a_effect))
    });
    levels.truncate(LEVELS_MAX);
    levels
}

fn importance(answer: Answer) -> u8 {
    match answer {
        Answer::Different => 0,
        Answer::Equivalent => 1,
        Answer::Undecided => 2,
        Answer::NotAssessable => 3,
    }
}

/// How large an effect is, either way; the largest of its cells where they point different ways.
fn effect(finding: &Finding) -> f64 {
    let size = |estimate: &Estimate| {
        let ratio = estimate.point.filter(|ratio| *ratio > 0.0);
        ratio.map_or(0.0, |ratio| ratio.ln().abs())
    };
    match &finding.ratio {
        Some(ratio) => size(ratio),
        None => finding.by_cell.iter().map(|(_, ratio)| size(ratio)).fold(0.0, f64::max),
    }
}
