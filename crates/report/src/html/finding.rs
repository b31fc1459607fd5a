//! A finding: the answer, the sentence, its ratio plot, the explanation, and its limits.

use super::{audit, figure};
use crate::{quantity, wording};
use maud::{Markup, html as markup};
use model::metric::Unit;
use page::Tone;
use page::html::sign;
use verdict::{Finding, StudyVerdict};

/// Every finding of a study, in the order of its asks: decided findings and those at the start of the answer unfolded, the
/// others folded.
pub(super) fn list(study: &StudyVerdict, index: usize) -> Markup {
    let first = study.findings.first();
    let is_open = |finding: &Finding| {
        finding.answer().is_decided() || first.is_some_and(|first| finding.is_of_topic(first))
    };
    let (open, folded): (Vec<usize>, Vec<usize>) =
        (0..study.findings.len()).partition(|item| is_open(&study.findings[*item]));
    markup! {
        (articles(study, index, &open))
        @if !folded.is_empty() {
            details {
                summary { "Further undecided questions: " (wording::counted(folded.len(), "finding")) }
                (articles(study, index, &folded))
            }
        }
    }
}

fn articles(study: &StudyVerdict, index: usize, items: &[usize]) -> Markup {
    markup! {
        @for (place, item) in items.iter().enumerate() {
            @let finding = &study.findings[*item];
            article.finding {
                div.said {
                    h4 { (audit::answer_badge(finding.answer())) (doubt(study, finding)) " " span { (finding.statement()) } }
                    p.figures { (finding.evidence()) }
                    @let above = place.checked_sub(1).map(|place| &study.findings[items[place]]);
                    (sentences("Mechanism", &finding.counters(), above.map(Finding::counters).as_deref()))
                    (sentences("Limits", &finding.limits(), above.map(Finding::limits).as_deref()))
                    (cells(finding))
                }
                (figure::forest(study, index, *item))
            }
        }
    }
}

/// Names the audits that invalidate a decided finding: they failed, or they are required and could not be carried out.
fn doubt(study: &StudyVerdict, finding: &Finding) -> Markup {
    if !finding.answer().is_decided() {
        return markup! {};
    }
    let failed: Vec<&str> = study.failed_for(finding).map(|audit| audit.name.as_str()).collect();
    let open: Vec<&str> = study.unproven(finding).map(|audit| audit.name.as_str()).collect();
    markup! {
        @if !failed.is_empty() {
            " " (sign(Tone::Bad, "✕", &format!("Doubtful: {} failed", failed.join(", "))))
        }
        @if !open.is_empty() {
            " " (sign(Tone::Warn, "?", &format!("Not proven: {} not carried out", open.join(", "))))
        }
    }
}

/// Labelled sentences; those of the previous finding are not repeated.
fn sentences(label: &str, sentences: &[String], above: Option<&[String]>) -> Markup {
    markup! {
        @if sentences.is_empty() {}
        @else if above == Some(sentences) { p.label { (label) ": as above" } }
        @else {
            p.label { (label) }
            ul { @for sentence in sentences { li { (sentence) } } }
        }
    }
}

/// The ratios of single cells as a table, for readers without the plot.
fn cells(finding: &Finding) -> Markup {
    if finding.part_estimates().next().is_none() {
        return markup! {};
    }
    markup! {
        details {
            summary { "Ratios cell by cell" }
            div.scroll role="group" aria-label="Ratios cell by cell" tabindex="0" {
                table {
                    thead { tr { th scope="col" { "Cell" } th.number scope="col" { "Ratio (interval)" } } }
                    tbody {
                        @for (label, ratio) in finding.parts() {
                            tr {
                                th scope="row" { (if label.is_empty() { "all" } else { &label }) }
                                td.number { (quantity::with_interval(ratio, Unit::Count)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
