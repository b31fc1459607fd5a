//! Audits and answers as badges and lists.

use maud::{Markup, html as markup};
use page::Tone;
use page::html::sign;
use verdict::study::audits_passed;
use verdict::{Answer, Audit, Status};

/// Sentences of evidence that are shown unfolded; an audit of every figure can have hundreds.
const EVIDENCE_SHOWN: usize = 4;

/// A status as a badge.
pub(super) fn status_badge(status: Status) -> Markup {
    match status {
        Status::Fail => sign(Tone::Bad, "✕", "Fail"),
        Status::Warn => sign(Tone::Warn, "!", "Warn"),
        Status::NotAssessable => sign(Tone::Faint, "?", "Not assessable"),
        Status::Pass => sign(Tone::Good, "✓", "Pass"),
        Status::NotApplicable => sign(Tone::Faint, "–", "Not applicable"),
    }
}

/// An answer as a badge.
pub(super) fn answer_badge(answer: Answer) -> Markup {
    match answer {
        Answer::Different => sign(Tone::Plain, "≠", "Different"),
        Answer::Equivalent => sign(Tone::Plain, "=", "Equivalent"),
        Answer::Undecided => sign(Tone::Warn, "~", "Undecided"),
        Answer::NotAssessable => sign(Tone::Faint, "?", "Not assessable"),
    }
}

/// The audits of a study, worst first; those that passed or do not apply are folded.
pub(super) fn list(audits: &[Audit]) -> Markup {
    let (closed, open): (Vec<&Audit>, Vec<&Audit>) =
        audits.iter().partition(|audit| matches!(audit.status, Status::Pass | Status::NotApplicable));
    let counts = audits_passed(audits);
    markup! {
        @if open.is_empty() && !closed.is_empty() { p { (counts) "." } }
        ul.audits { @for audit in open { li { (one(audit)) } } }
        @if !closed.is_empty() {
            details {
                summary { (counts) }
                ul.audits { @for audit in closed { li { (one(audit)) } } }
            }
        }
    }
}

fn sentences(sentences: &[String]) -> Markup {
    markup! {
        @if !sentences.is_empty() { ul.evidence { @for sentence in sentences { li { (sentence) } } } }
    }
}

fn one(audit: &Audit) -> Markup {
    markup! {
        (status_badge(audit.status))
        div {
            p { strong { (audit.name) } " " (audit.summary) }
            @if !audit.advice.is_empty() { p.todo { strong { "What to do: " } (audit.advice) } }
            @let (first, rest) = audit.evidence.split_at(audit.evidence.len().min(EVIDENCE_SHOWN));
            (sentences(first))
            @if !rest.is_empty() {
                details { summary { (rest.len()) " more" } (sentences(rest)) }
            }
        }
    }
}
