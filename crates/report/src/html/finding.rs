//! A finding: the answer, the sentence, its ratio plot, why, and what limits it.

use super::{audit, figure};
use crate::{quantity, wording};
use maud::{Markup, html as markup};
use model::metric::Unit;
use model::plan::StudyPlan;
use verdict::{Answer, Finding, StudyVerdict};

/// Every finding of a study, in the order of its asks: what was decided and what the answer begins with at once, the
/// others folded.
pub(super) fn list(study: &StudyVerdict, plan: Option<&StudyPlan>, index: usize) -> Markup {
    let first = study.findings.first().map(|finding| (finding.place, finding.metric.as_str()));
    let is_open = |finding: &Finding| {
        matches!(finding.answer, Answer::Different | Answer::Equivalent)
            || first == Some((finding.place, finding.metric.as_str()))
    };
    let (open, folded): (Vec<usize>, Vec<usize>) =
        (0..study.findings.len()).partition(|item| is_open(&study.findings[*item]));
    markup! {
        (articles(study, plan, index, &open))
        @if !folded.is_empty() {
            details {
                summary { "What was asked too and is not decided: " (wording::counted(folded.len(), "finding")) }
                (articles(study, plan, index, &folded))
            }
        }
    }
}

fn articles(study: &StudyVerdict, plan: Option<&StudyPlan>, index: usize, items: &[usize]) -> Markup {
    markup! {
        @for (place, item) in items.iter().enumerate() {
            @let finding = &study.findings[*item];
            article.finding {
                div.said {
                    h4 { (audit::answer_badge(finding.answer)) (doubt(study, finding)) " " span { (finding.statement) } }
                    p.figures { (wording::evidence(finding, plan)) }
                    @let above = place.checked_sub(1).map(|place| &study.findings[items[place]]);
                    (sentences("Mechanism", &finding.mechanism, above.map(|above| &above.mechanism)))
                    (sentences("Limits", &finding.caveats, above.map(|above| &above.caveats)))
                    (cells(finding))
                }
                (figure::forest(study, index, *item))
            }
        }
    }
}

/// Says which audits take away what was decided: they failed, or they are required and could not be carried out.
fn doubt(study: &StudyVerdict, finding: &Finding) -> Markup {
    if !matches!(finding.answer, Answer::Different | Answer::Equivalent) {
        return markup! {};
    }
    let failed: Vec<&str> = study.impugning(finding).map(|audit| audit.name.as_str()).collect();
    let open: Vec<&str> = study.unproven(finding).map(|audit| audit.name.as_str()).collect();
    markup! {
        @if !failed.is_empty() {
            " " (audit::badge("✕", &format!("Doubtful: {} failed", failed.join(", ")), "fail"))
        }
        @if !open.is_empty() {
            " " (audit::badge("?", &format!("Not proven: {} not carried out", open.join(", ")), "warn"))
        }
    }
}

/// Labelled sentences; those of the finding above are not repeated.
fn sentences(label: &str, sentences: &Vec<String>, above: Option<&Vec<String>>) -> Markup {
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
    if finding.by_cell.is_empty() {
        return markup! {};
    }
    markup! {
        details {
            summary { "Ratios cell by cell" }
            div.scroll role="group" aria-label="Ratios cell by cell" tabindex="0" {
                table {
                    thead { tr { th scope="col" { "Cell" } th.number scope="col" { "Ratio (interval)" } } }
                    tbody {
                        @for (label, ratio) in &finding.by_cell {
                            tr {
                                th scope="row" { (if label.is_empty() { "all" } else { label }) }
                                td.number { (quantity::with_interval(ratio, Unit::Count)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
