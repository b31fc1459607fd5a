//! Audits and answers as badges and lists: a symbol, a word and a colour, never a colour alone.

use crate::wording;
use maud::{Markup, html as markup};
use verdict::{Answer, Audit, Status};

/// Sentences of evidence that are shown unfolded; an audit of every figure can have hundreds.
const EVIDENCE_SHOWN: usize = 4;

/// Symbol, word and class of an audit's status.
fn look(status: Status) -> (&'static str, &'static str, &'static str) {
    match status {
        Status::Fail => ("✕", "Fail", "fail"),
        Status::Warn => ("!", "Warn", "warn"),
        Status::NotAssessable => ("?", "Not assessable", "unknown"),
        Status::Pass => ("✓", "Pass", "pass"),
        Status::NotApplicable => ("–", "Not applicable", "unknown"),
    }
}

/// A status as a badge.
pub(super) fn status_badge(status: Status) -> Markup {
    let (symbol, word, class) = look(status);
    badge(symbol, word, class)
}

/// An answer as a badge.
pub(super) fn answer_badge(answer: Answer) -> Markup {
    match answer {
        Answer::Different => badge("≠", "Different", "accent"),
        Answer::Equivalent => badge("=", "Equivalent", "accent"),
        Answer::Undecided => badge("~", "Undecided", "warn"),
        Answer::NotAssessable => badge("?", "Not assessable", "unknown"),
    }
}

/// A symbol and a word in a tone.
pub(super) fn badge(symbol: &str, word: &str, class: &str) -> Markup {
    markup! {
        span class={ "badge " (class) } { span.symbol aria-hidden="true" { (symbol) } (word) }
    }
}

/// The audits of a study, worst first; those that passed or do not apply are folded.
pub(super) fn list(audits: &[Audit]) -> Markup {
    let (closed, open): (Vec<&Audit>, Vec<&Audit>) =
        audits.iter().partition(|audit| matches!(audit.status, Status::Pass | Status::NotApplicable));
    let counts = wording::audits_passed(audits);
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
