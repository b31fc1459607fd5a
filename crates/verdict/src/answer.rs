//! The answer to a study's question. The order of the asks in a study file is the study's own ranking: the answer begins
//! with the first ask, undecided or not, and goes on with what else was decided while it stays short. Failed audits are
//! told with it.

use crate::asks::LADDER;
use crate::attribution::{impugning, unproven};
use crate::phrase::count;
use crate::verdict::{Answer, Audit, Estimate, Finding, TrialCounts};

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
    let told = told(findings, audits);
    let mut sentences: Vec<String> = told.iter().map(|finding| finding.statement.clone()).collect();
    if sentences.is_empty() {
        sentences.push("The study asks nothing; its figures stand for themselves.".to_owned());
    }
    sentences.extend(warning(findings, &told, audits));
    sentences.extend(unproven_of(&told, audits));
    sentences.join(" ")
}

/// Names of the failed audits that a finding rests on.
fn failed<'a>(finding: &'a Finding, audits: &'a [Audit]) -> Vec<&'a str> {
    impugning(audits, &finding.rests_on).map(|audit| audit.name.as_str()).collect()
}

/// Which audits that is told requires and that could not be carried out.
fn unproven_of(told: &[&Finding], audits: &[Audit]) -> Option<String> {
    let mut names: Vec<&str> = told
        .iter()
        .filter(|finding| matches!(finding.answer, Answer::Different | Answer::Equivalent))
        .flat_map(|finding| unproven(audits, &finding.rests_on))
        .map(|audit| audit.name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    (!names.is_empty()).then(|| {
        format!(
            "This is not proven: {} could not be carried out ({}).",
            count(names.len(), "audit"),
            names.join(", ")
        )
    })
}

/// What of that is told must not be relied on, and what is not told for that reason.
fn warning(findings: &[Finding], told: &[&Finding], audits: &[Audit]) -> Option<String> {
    let (doubtful, sound): (Vec<&Finding>, Vec<&Finding>) =
        told.iter().copied().partition(|finding| !failed(finding, audits).is_empty());
    let names = |of: &[&Finding]| {
        let mut names: Vec<&str> = of.iter().flat_map(|finding| failed(finding, audits)).collect();
        names.sort_unstable();
        names.dedup();
        format!("{} failed: {}", count(names.len(), "audit"), names.join(", "))
    };
    let subjects = |of: &[&Finding]| {
        let mut subjects: Vec<&str> = of.iter().map(|finding| finding.subject.as_str()).collect();
        subjects.dedup();
        subjects.join("; ")
    };
    if !doubtful.is_empty() {
        let what = if sound.is_empty() {
            "this".to_owned()
        } else {
            format!("what is said of {}", subjects(&doubtful))
        };
        return Some(format!("Do not rely on {what} before reading why {}.", names(&doubtful)));
    }
    let is_withheld = |finding: &&Finding| {
        let is_of_first = findings.first().is_some_and(|first| is_headline(finding, first));
        is_of_first && !failed(finding, audits).is_empty()
    };
    let withheld: Vec<&Finding> = findings.iter().filter(is_withheld).collect();
    (!withheld.is_empty())
        .then(|| format!("Not told here: {}, because {}.", subjects(&withheld), names(&withheld)))
}

/// Whether a finding is of the first ask's first metric, which the answer begins with.
fn is_headline(finding: &Finding, first: &Finding) -> bool {
    (finding.place, &finding.ask, &finding.metric) == (first.place, &first.ask, &first.metric)
}

/// The first ask's findings, then one decided finding of each further ask.
fn told<'a>(findings: &'a [Finding], audits: &[Audit]) -> Vec<&'a Finding> {
    let mut told: Vec<&Finding> = Vec::new();
    for (index, ask) in findings.chunk_by(|a, b| (a.place, &a.ask) == (b.place, &b.ask)).enumerate() {
        let mut levels = main_effects(ask, audits);
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

/// An ask's first metric: its levels, what can be relied on first, then what was decided, the largest effects first.
fn main_effects<'a>(ask: &'a [Finding], audits: &[Audit]) -> Vec<&'a Finding> {
    let Some(first) = ask.first() else { return Vec::new() };
    let mut levels: Vec<&Finding> = ask.iter().filter(|finding| finding.metric == first.metric).collect();
    if first.ask == LADDER {
        // A price is told with those below it.
        return levels;
    }
    let is_doubtful = |finding: &Finding| impugning(audits, &finding.rests_on).next().is_some();
    levels.sort_by(|a, b| {
        let key = |finding: &Finding| (is_doubtful(finding), importance(finding.answer), effect(finding));
        let ((a_doubtful, a_rank, a_effect), (b_doubtful, b_rank, b_effect)) = (key(a), key(b));
        a_doubtful.cmp(&b_doubtful).then(a_rank.cmp(&b_rank)).then(b_effect.total_cmp(&a_effect))
    });
    // What can be relied on is told alone, as long as it says anything.
    if levels.first().is_some_and(|finding| !is_doubtful(finding) && finding.answer != Answer::NotAssessable)
    {
        levels.retain(|finding| !is_doubtful(finding));
    }
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
