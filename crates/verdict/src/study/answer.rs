//! The answer to a study's question: its findings in a few sentences, and one more if an audit failed.

use crate::finding::Finding;
use crate::verdict::{Audit, StudyVerdict};
use model::figure::count;

impl StudyVerdict {
    /// The answer to the question.
    pub fn answer_text(&self) -> String {
        if self.trials.ok == 0 {
            return "No trial has succeeded yet, so there is no answer.".to_owned();
        }
        let told: Vec<&Finding> = self.answer.iter().filter_map(|place| self.findings.get(*place)).collect();
        let mut sentences: Vec<String> = told.iter().map(|finding| finding.statement()).collect();
        if sentences.is_empty() {
            sentences.push("It asks no question: see the figures.".to_owned());
        }
        sentences.extend(doubt(self, &told));
        sentences.extend(not_proven(self, &told));
        sentences.join(" ")
    }
}

fn names<'a>(audits: impl Iterator<Item = &'a Audit>) -> Vec<&'a str> {
    let mut names: Vec<&str> = audits.map(|audit| audit.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Audits that the answer requires and that could not be carried out.
fn not_proven(study: &StudyVerdict, told: &[&Finding]) -> Option<String> {
    let decided = told.iter().filter(|finding| finding.answer().is_decided());
    let names = names(decided.flat_map(|finding| study.unproven(finding)));
    let audits = count(names.len(), "audit");
    (!names.is_empty())
        .then(|| format!("This is not proven: {audits} could not be carried out ({}).", names.join(", ")))
}

/// The part of the answer that is not reliable, and what is left out for that reason.
fn doubt(study: &StudyVerdict, told: &[&Finding]) -> Option<String> {
    let is_doubtful = |finding: &&Finding| study.failed_for(finding).next().is_some();
    let failed = |of: &[&Finding]| {
        let names = names(of.iter().flat_map(|finding| study.failed_for(finding)));
        format!("{} failed: {}", count(names.len(), "audit"), names.join(", "))
    };
    let subjects = |of: &[&Finding]| {
        let mut subjects: Vec<String> = of.iter().map(|finding| finding.about()).collect();
        subjects.dedup();
        subjects.join("; ")
    };
    let (doubtful, sound): (Vec<&Finding>, Vec<&Finding>) = told.iter().copied().partition(is_doubtful);
    if !doubtful.is_empty() {
        let what = if sound.is_empty() {
            "this".to_owned()
        } else {
            format!("the part about {}", subjects(&doubtful))
        };
        return Some(format!("Do not rely on {what} before you know why {}.", failed(&doubtful)));
    }
    let first = study.findings.first()?;
    let withheld: Vec<&Finding> =
        study.findings.iter().filter(|finding| finding.is_of_topic(first)).filter(is_doubtful).collect();
    (!withheld.is_empty())
        .then(|| format!("Left out: {}, because {}.", subjects(&withheld), failed(&withheld)))
}
