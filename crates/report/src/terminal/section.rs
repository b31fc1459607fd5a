//! The text of one study below its table: answer, findings, audits, noise floor.

use super::table;
use crate::doubt::limits_answers;
use crate::{figures, quantity, wording};
use model::plan::StudyPlan;
use page::Tone;
use page::terminal::Lines;
use std::collections::BTreeSet;
use verdict::study::{audits_passed, dependences, extent, noise_floors};
use verdict::{Answer, Audit, Status, StudyVerdict};

/// The maximum number of findings of a failed audit that are shown.
const EVIDENCE_MAX: usize = 4;

/// Writes one study.
pub(super) fn study(page: &mut Lines, study: &StudyVerdict, plan: Option<&StudyPlan>) {
    page.gap();
    page.heading(&format!("{} — {}", study.name, study.question));
    page.line(&extent(study, plan));
    page.gap();
    let metrics = figures::all(study, plan);
    let (text, footnotes) = table::headline(study, &metrics, page.width, page.colour);
    page.block(&text);
    page.item(Tone::Faint, "±", "half the width of the 95 % t interval of the mean over n trials");
    if let Some(cut) = quantity::cut(wording::means(study, &metrics)) {
        page.item(Tone::Faint, "( )", cut);
    }
    if study.cells.iter().any(|cell| !cell.against_reference.is_empty()) {
        page.item(Tone::Faint, "÷", wording::AGAINST_REFERENCE);
    }
    for (index, note) in footnotes.0.iter().enumerate() {
        page.item(Tone::Faint, &format!("[{}]", index + 1), note);
    }
    page.gap();
    page.item(Tone::Strong, "Answer", &study.answer_text());
    findings(page, study);
    conditions(page, study);
    audits(page, &study.audits, |audit| limits_answers(study, audit));
    noise(page, study);
    failures(page, study);
}

/// One study among several: the question, its figures, its answer, what failed.
pub(super) fn answer(page: &mut Lines, study: &StudyVerdict, plan: Option<&StudyPlan>) {
    page.gap();
    page.heading(&format!("{} — {}", study.name, study.question));
    page.line(&extent(study, plan));
    let metrics = figures::few(study, plan);
    if !metrics.is_empty() {
        let (text, left_out) = table::short(study, &metrics, page.width, page.colour);
        page.gap();
        page.block(&text);
        if left_out > 0 {
            let left_out = wording::counted(left_out, "more configuration");
            page.item(Tone::Faint, "…", &format!("{left_out} in the report"));
        }
        page.gap();
    }
    page.item(Tone::Strong, "Answer", &study.answer_text());
    conditions(page, study);
    failures(page, study);
}

fn conditions(page: &mut Lines, study: &StudyVerdict) {
    let conditions = wording::conditions(study);
    if !conditions.is_empty() {
        page.item(Tone::Plain, wording::CONDITIONS, &conditions.join(" · "));
    }
}

/// A sentence that explains or limits several findings is printed with the first of them; the failed audit that a finding
/// rests on is printed with each.
fn findings(page: &mut Lines, study: &StudyVerdict) {
    if study.findings.is_empty() {
        return;
    }
    page.gap();
    page.heading("Findings");
    let mut said: BTreeSet<String> = BTreeSet::new();
    for finding in &study.findings {
        let is_doubtful = study.failed_for(finding).next().is_some();
        let is_unproven = study.unproven(finding).next().is_some();
        let (tone, word) = match finding.answer() {
            Answer::Different | Answer::Equivalent if is_doubtful => (Tone::Bad, "doubtful      "),
            Answer::Different | Answer::Equivalent if is_unproven => (Tone::Warn, "not proven    "),
            Answer::Different => (Tone::Good, "different     "),
            Answer::Equivalent => (Tone::Good, "equivalent    "),
            Answer::Undecided => (Tone::Warn, "undecided     "),
            Answer::NotAssessable => (Tone::Faint, "not assessable"),
        };
        page.item(tone, word, &finding.statement());
        page.under("", &finding.evidence());
        let reasons = finding.counters().into_iter().map(|sentence| ("why", sentence));
        let limits = finding.limits().into_iter().map(|sentence| ("but", sentence));
        for (label, sentence) in reasons.chain(limits) {
            if said.insert(sentence.clone()) {
                page.under(label, &sentence);
            }
        }
    }
}

/// Warnings that do not stand out are named in one line.
pub(super) fn audits(page: &mut Lines, audits: &[Audit], stands_out: impl Fn(&Audit) -> bool) {
    page.gap();
    let counts = audits_passed(audits);
    if audits.iter().all(|audit| matches!(audit.status, Status::Pass | Status::NotApplicable)) {
        page.item(Tone::Good, "Audits", &counts);
        return;
    }
    page.heading(&format!("Audits that did not pass ({counts})"));
    let is_folded = |audit: &&Audit| audit.status == Status::Warn && !stands_out(audit);
    for audit in audits.iter().filter(|audit| !is_folded(audit)) {
        let (tone, word) = match audit.status {
            Status::Fail => (Tone::Bad, "FAIL"),
            Status::Warn => (Tone::Warn, "warn"),
            Status::NotAssessable => (Tone::Faint, "n/a "),
            Status::Pass | Status::NotApplicable => continue,
        };
        page.item(tone, word, &format!("{}: {}", audit.name, audit.summary));
        if !audit.advice.is_empty() {
            page.under("do", &audit.advice);
        }
    }
    let folded: Vec<&str> = audits.iter().filter(is_folded).map(|audit| audit.name.as_str()).collect();
    if !folded.is_empty() {
        page.item(Tone::Faint, "warn", &format!("no answer depends on: {}", folded.join(", ")));
    }
}

/// The findings of the failed audits: figures that a reader can verify.
pub(super) fn evidence(page: &mut Lines, audits: &[Audit]) {
    for audit in audits.iter().filter(|audit| audit.status == Status::Fail) {
        page.gap();
        page.item(Tone::Plain, &audit.name, "");
        for found in audit.evidence.iter().take(EVIDENCE_MAX) {
            page.under("", found);
        }
        let more = audit.evidence.len().saturating_sub(EVIDENCE_MAX);
        if more > 0 {
            page.under("", &format!("… and {more} more (--format json has them all)"));
        }
    }
}

fn noise(page: &mut Lines, study: &StudyVerdict) {
    let floors = noise_floors(study);
    if !floors.is_empty() {
        page.gap();
        page.item(
            Tone::Plain,
            "Noise floor",
            &format!("{} (the baseline against itself)", floors.join(" · ")),
        );
    }
    let dependences = dependences(study);
    if !dependences.is_empty() {
        page.item(Tone::Plain, "Dependence between rounds", &dependences.join(" · "));
    }
}

fn failures(page: &mut Lines, study: &StudyVerdict) {
    for failure in &study.failures {
        page.item(Tone::Bad, "not measured", failure);
    }
}
