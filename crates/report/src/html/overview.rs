//! The first screen: which disk this is, the answers, and what could not be trusted.

use super::audit;
use crate::wording;
use maud::{Markup, html as markup};
use model::host::Placement;
use model::plan::StudyPlan;
use model::run::Run;
use model::units::format_bytes_approximate;
use verdict::{Status, StudyVerdict, Verdict};

/// The plan of a study, by name.
pub(super) fn plan<'a>(run: &'a Run, study: &StudyVerdict) -> Option<&'a StudyPlan> {
    run.plan.studies.iter().find(|plan| plan.name == study.name)
}

/// The distinct placements that trials found, in order of appearance.
pub(super) fn placements(run: &Run) -> Vec<&Placement> {
    let mut distinct: Vec<&Placement> = Vec::new();
    for placement in run.records.iter().filter_map(|record| Some(&record.measurement.as_ref()?.placement)) {
        if !distinct.contains(&placement) {
            distinct.push(placement);
        }
    }
    distinct
}

/// The disk in a few words.
pub(super) fn title(run: &Run) -> String {
    match wording::principal_placement(run) {
        Some(placement) => format!("{}, {}", wording::device(placement), placement.filesystem),
        None => format!("{}: nothing measured yet", run.host.name),
    }
}

/// Title, machine and date.
pub(super) fn header(run: &Run, title: &str) -> Markup {
    let host = &run.host;
    markup! {
        p.kicker { "Syncline · database storage report" }
        h1 { (title) }
        p.lead {
            (host.name) " · " (host.processor) ", " (host.cpus) " CPUs, "
            (format_bytes_approximate(host.memory_bytes as f64)) " · Linux " (host.kernel)
            " · " time datetime=(run.plan.created_at) { (run.plan.created_at.replace('T', " ").replace('Z', " UTC")) }
        }
    }
}

/// Links to the sections.
pub(super) fn navigation(verdict: &Verdict) -> Markup {
    markup! {
        nav aria-label="Sections" {
            @for (index, study) in verdict.studies.iter().enumerate() {
                a href={ "#study-" (index) } { (study.name) }
            }
            @if !verdict.advice.is_empty() { a href="#advice" { "Advice" } }
            a href="#machine" { "Machine" }
            a href="#parameters" { "Parameters" }
            a href="#time" { "Time" }
        }
    }
}

/// One card per study; nothing where there is a single study, whose section says the same right below.
pub(super) fn answers(verdict: &Verdict) -> Markup {
    if verdict.studies.len() < 2 {
        return markup! {};
    }
    markup! {
        section aria-labelledby="answers" {
            h2 #answers { "Answers" }
            div.cards {
                @for (index, study) in verdict.studies.iter().enumerate() {
                    article.card {
                        h3 { a href={ "#study-" (index) } { (study.name) } }
                        p.answer { (study.answer) }
                        p.question { (study.question) }
                    }
                }
            }
        }
    }
}

/// Audits that failed or warned, over all studies, and the run's remarks.
pub(super) fn trust(verdict: &Verdict) -> Markup {
    let mut open: Vec<(&StudyVerdict, &verdict::Audit)> = verdict
        .studies
        .iter()
        .flat_map(|study| study.audits.iter().map(move |audit| (study, audit)))
        .filter(|(_, audit)| matches!(audit.status, Status::Fail | Status::Warn))
        .collect();
    open.sort_by_key(|(_, audit)| audit.status);
    markup! {
        section.trust aria-labelledby="trust" {
            h2 #trust { "What could not be trusted" }
            @if open.is_empty() && verdict.remarks.is_empty() {
                p { "No audit failed or warned." }
            }
            ul.audits {
                @for (study, found) in &open {
                    li {
                        (audit::status_badge(found.status))
                        p { strong { (found.name) } " in " (study.name) ": " (found.summary) }
                    }
                }
            }
            @for remark in &verdict.remarks { p.remark { (remark) } }
        }
    }
}
