//! One study: question, answer, plots, findings, evidence, audits, tables.

use super::{audit, figure, finding, machine, tables};
use crate::wording;
use maud::{Markup, html as markup};
use model::run::Run;
use verdict::StudyVerdict;

/// Renders the section.
pub(super) fn section(run: &Run, study: &StudyVerdict, index: usize) -> Markup {
    let plan = wording::plan(run, study);
    let mechanism = [figure::mechanism(study, index), tables::mechanism(study), machine::files(run, plan)];
    markup! {
        section.study id={ "study-" (index) } aria-labelledby={ "title-" (index) } {
            p.kicker { "Study " (study.name) " · " a href="#contents" { "contents" } }
            h2 id={ "title-" (index) } { (study.question) }
            p.answer { (wording::answer(study)) }
            p.extent { (wording::extent(study, plan)) }
            @for failure in &study.failures { p.remark { "Not measured: " (failure) } }
            noscript { p.remark { "Plots need JavaScript; every figure is in the tables." } }
            (figure::headline(study, index))
            (figure::curves(study, index))
            (figure::over_time(study, plan, index))
            (figure::drift(study, index))
            h3 { "Findings" }
            @if study.findings.is_empty() { p { "Nothing was asked of this study, or nothing is recorded yet." } }
            @else {
                p.note {
                    "In the ratio plots the diamond is the main effect with its simultaneous interval, circles are \
                     single cells (descriptive), the line marks no difference, the shaded band the noise floor. \
                     Where cells lie beyond the floor on both sides, they come first, and what they come to together \
                     is drawn faint."
                }
            }
            (finding::list(study, index))
            (noise(study))
            @if mechanism.iter().any(|part| !part.0.is_empty()) {
                h3 { "Mechanism evidence" }
                @for part in &mechanism { (part) }
            }
            h3 id={ "audits-" (index) } { "Audits" }
            (audit::list(&study.audits))
            h3 { "Figures" }
            (tables::headline(study))
            (tables::every_metric(study))
            (tables::trials(run, study, plan))
        }
    }
}

/// The A/A noise floor of each asked metric.
fn noise(study: &StudyVerdict) -> Markup {
    let floors = wording::noise_floors(study);
    markup! {
        @if !floors.is_empty() {
            p.note {
                strong { "Noise floor" } ", the baseline against itself; no difference inside it is claimed: "
                (floors.join("; ")) "."
            }
        }
    }
}
