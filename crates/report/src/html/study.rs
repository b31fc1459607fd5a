//! One study: question, answer, its plot and how far everything is from the best; what is behind them is folded.

use super::part::folded;
use super::{audit, figure, finding, machine, tables};
use crate::wording;
use maud::{Markup, html as markup};
use model::plan::StudyPlan;
use model::run::Run;
use verdict::StudyVerdict;
use verdict::study::{audits_in_numbers, dependences, extent, findings_in_numbers, noise_floors};

/// Renders the section.
pub(super) fn section(run: &Run, study: &StudyVerdict, index: usize) -> Markup {
    let plan = wording::plan(run, study);
    markup! {
        section.study id={ "study-" (index) } aria-labelledby={ "title-" (index) } {
            p.kicker { "Study " (study.name) " · " a href="#contents" { "contents" } }
            h2 id={ "title-" (index) } { (study.question) }
            p.answer { (study.answer_text()) }
            p.extent { (extent(study, plan)) }
            @for failure in &study.failures { p.remark { "Not measured: " (failure) } }
            noscript { p.remark { "Plots need JavaScript; every figure is in the tables." } }
            @match figure::headline(study, index) {
                Ok(figure) => (figure),
                Err(why) => p.note { "No plot by configuration: " (why) "." },
            }
            (tables::against_best(study))
            (findings(study, index))
            (plots(study, plan, index))
            (mechanism(run, study, plan, index))
            @let hint = audits_in_numbers(&study.audits);
            (folded(Some(&format!("audits-{index}")), "Audits", &hint, &audit::list(&study.audits)))
            (figures(run, study, plan))
        }
    }
}

fn findings(study: &StudyVerdict, index: usize) -> Markup {
    let content = markup! {
        @if study.findings.is_empty() { p { "This study asks nothing, or has no records yet." } }
        @else {
            p.note {
                "In the ratio plots the diamond is the main effect with its simultaneous interval, circles are \
                 single cells (descriptive), the line marks no difference, the shaded band the noise floor. \
                 If cells lie beyond the floor on both sides, they come first, and their mean \
                 is drawn faint."
            }
        }
        (finding::list(study, index))
        (conditions(study))
        (noise(study))
    };
    folded(None, "Findings", &findings_in_numbers(&study.findings), &content)
}

/// The plots after the first one. For a plot without points one line gives the reason.
fn plots(study: &StudyVerdict, plan: Option<&StudyPlan>, index: usize) -> Markup {
    let plots = [
        ("Latency percentiles", figure::curves(study, index)),
        ("Throughput over time", figure::over_time(study, plan, index)),
        ("Round by round", figure::drift(study, index)),
    ];
    markup! {
        @for (heading, figure) in &plots {
            @match figure {
                Ok(figure) => (folded(None, heading, "", figure)),
                Err(why) => p.note.undrawn { (heading) ": no plot, " (why) "." },
            }
        }
    }
}

fn mechanism(run: &Run, study: &StudyVerdict, plan: Option<&StudyPlan>, index: usize) -> Markup {
    let parts = [figure::mechanism(study, index), tables::mechanism(study), machine::files(run, plan)];
    if parts.iter().all(|part| part.0.is_empty()) {
        return markup! {};
    }
    let content = markup! { @for part in &parts { (part) } };
    folded(None, "Mechanism evidence", "device counters, faults, files", &content)
}

fn figures(run: &Run, study: &StudyVerdict, plan: Option<&StudyPlan>) -> Markup {
    let content = markup! {
        (tables::asked(study))
        (tables::every_metric(study))
        (tables::trials(run, study, plan))
    };
    folded(None, "Figures", "every metric, medians, every trial", &content)
}

fn conditions(study: &StudyVerdict) -> Markup {
    let conditions = wording::conditions(study);
    markup! {
        @if !conditions.is_empty() {
            p.note { strong { (wording::CONDITIONS) } ": " (conditions.join("; ")) "." }
        }
    }
}

/// The A/A noise floor of each metric of the study's asks, and the dependence between rounds.
fn noise(study: &StudyVerdict) -> Markup {
    let (floors, dependences) = (noise_floors(study), dependences(study));
    markup! {
        @if !floors.is_empty() {
            p.note {
                strong { "Noise floor" } ", the baseline against itself; no difference inside it is claimed: "
                (floors.join("; ")) "."
            }
        }
        @if !dependences.is_empty() {
            p.note { strong { "Dependence between rounds" } ": " (dependences.join("; ")) "." }
        }
    }
}
