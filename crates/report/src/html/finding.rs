//! A finding: the answer, the sentence, its ratio plot, why, and what limits it.

use super::{audit, figure};
use crate::{quantity, wording};
use maud::{Markup, html as markup};
use model::metric::Unit;
use model::plan::StudyPlan;
use verdict::{Finding, StudyVerdict};

/// Every finding of a study, in the order of its asks.
pub(super) fn list(study: &StudyVerdict, plan: Option<&StudyPlan>, index: usize) -> Markup {
    markup! {
        @for (item, finding) in study.findings.iter().enumerate() {
            article.finding {
                div.said {
                    h4 { (audit::answer_badge(finding.answer)) " " span { (finding.statement) } }
                    p.figures { (wording::evidence(finding, plan)) }
                    @let above = item.checked_sub(1).and_then(|item| study.findings.get(item));
                    (sentences("Mechanism", &finding.mechanism, above.map(|above| &above.mechanism)))
                    (sentences("Limits", &finding.caveats, above.map(|above| &above.caveats)))
                    (cells(finding))
                }
                (figure::forest(study, index, item))
            }
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
