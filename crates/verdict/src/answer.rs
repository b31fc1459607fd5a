//! The answer to a study's question: the main effect and the main trend, undecided and failed audits included.

use crate::phrase::count;
use crate::verdict::{Answer, Audit, Finding, Status, TrialCounts};

/// Levels of one factor that an answer names at most.
const LEVELS_MAX: usize = 2;

/// One or two sentences, and a third where an audit failed.
pub(crate) fn sentences(findings: &[Finding], audits: &[Audit], counts: &TrialCounts) -> String {
    if counts.ok == 0 {
        return "No trial has ended well yet, so there is no answer.".to_owned();
    }
    let mut sentences: Vec<String> = Vec::new();
    sentences.extend(main_effects(findings).into_iter().map(|finding| finding.statement.clone()));
    sentences.extend(first_of(findings, "trend ").map(|finding| finding.statement.clone()));
    if sentences.is_empty() {
        sentences.extend(findings.first().map(|finding| finding.statement.clone()));
    }
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

fn first_of<'a>(findings: &'a [Finding], ask: &str) -> Option<&'a Finding> {
    findings.iter().find(|finding| finding.ask.starts_with(ask))
}

/// The first comparison's first metric: its levels, what was decided first, the largest effects first.
fn main_effects(findings: &[Finding]) -> Vec<&Finding> {
    let Some(first) = first_of(findings, "compare ") else { return Vec::new() };
    let mut levels: Vec<&Finding> = findings
        .iter()
        .filter(|finding| finding.ask == first.ask && finding.metric == first.metric)
        .collect();
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

fn effect(finding: &Finding) -> f64 {
    let ratio = finding.ratio.as_ref().and_then(|ratio| ratio.point);
    ratio.filter(|ratio| *ratio > 0.0).map_or(0.0, |ratio| ratio.ln().abs())
}
