//! The audits of a study.

use super::in_numbers::{audits_in_numbers, audits_passed};
use crate::basis::Bearing;
use crate::finding::Finding;
use crate::verdict::{Audit, Status, StudyVerdict};
use page::{Block, Details, Forms, Item, List, Section, Text};

/// Sentences of evidence that are shown unfolded; an audit of every figure can have hundreds.
const EVIDENCE_SHOWN: usize = 4;

impl StudyVerdict {
    /// Whether an audit's outcome is about figures of a decided answer that requires the audit: what warns beside every
    /// answer alike hides this.
    pub fn limits_answers(&self, audit: &Audit) -> bool {
        let requires = |finding: &Finding| finding.rests_on.bearing(&audit.name) == Some(Bearing::Required);
        let mut decided = self.findings.iter().filter(|finding| finding.answer().is_decided());
        decided.any(|finding| requires(finding) && audit.concerns(&finding.rests_on))
    }
}

/// The part with the audits, worst first. Those that passed or do not apply are folded, and so are warnings that no
/// answer depends on.
pub(super) fn part(study: &StudyVerdict, place: usize) -> Section {
    let (closed, open) = closed_and_open(&study.audits);
    let (quiet, loud): (Vec<&Audit>, Vec<&Audit>) =
        open.into_iter().partition(|audit| audit.status == Status::Warn && !study.limits_answers(audit));
    let list = |audits: &[&Audit]| list(audits, |_, evidence| vec![Block::Only(Forms::Html, evidence)]);
    let mut blocks = if loud.is_empty() { Vec::new() } else { vec![list(&loud)] };
    if !quiet.is_empty() {
        let names: Vec<&str> = quiet.iter().map(|audit| audit.name.as_str()).collect();
        let which =
            if study.findings.is_empty() { "Warnings" } else { "No answer depends on these warnings" };
        let summary = format!("{which}: {}", names.join(", ")).into();
        blocks.push(Block::Details(Details { summary, blocks: vec![list(&quiet)] }));
    }
    if !closed.is_empty() {
        let summary = audits_passed(&study.audits).into();
        blocks.push(Block::Details(Details { summary, blocks: vec![list(&closed)] }));
    }
    let section = Section::new(format!("audits-{place}"), "Audits", blocks);
    section.folded(audits_in_numbers(&study.audits))
}

/// Every audit that did not pass, and the evidence of those that failed.
pub fn audits_in_full(audits: &[Audit]) -> Vec<Block> {
    let (_, open) = closed_and_open(audits);
    let mut blocks = vec![Block::paragraph(format!("{}.", audits_passed(audits)))];
    if !open.is_empty() {
        blocks.push(list(
            &open,
            |audit, evidence| if audit.status == Status::Fail { evidence } else { Vec::new() },
        ));
    }
    blocks
}

fn closed_and_open(audits: &[Audit]) -> (Vec<&Audit>, Vec<&Audit>) {
    audits.iter().partition(|audit| matches!(audit.status, Status::Pass | Status::NotApplicable))
}

fn list(audits: &[&Audit], shown: impl Fn(&Audit, Vec<Block>) -> Vec<Block>) -> Block {
    let item = |audit: &&Audit| {
        let text = Text::default().strong(audit.name.as_str()).plain(format!(": {}", audit.summary));
        let todo = (!audit.advice.is_empty())
            .then(|| Block::paragraph(Text::default().strong("What to do: ").plain(audit.advice.as_str())));
        let evidence: Vec<Item> = audit.evidence.iter().map(|sentence| Item::of(sentence.as_str())).collect();
        let evidence = if evidence.is_empty() {
            Vec::new()
        } else {
            shown(audit, Block::first(evidence, EVIDENCE_SHOWN, |more| format!("{more} more")))
        };
        Item::of(text).with_badge(audit.status.badge()).with_below(todo.into_iter().chain(evidence).collect())
    };
    Block::List(List::of(audits.iter().map(item).collect()))
}
