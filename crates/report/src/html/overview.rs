//! The top of the page: which disk this is, where things are, and the answers in numbers.

use crate::headline::Headline;
use crate::{disk, doubt, wording};
use maud::{Markup, html as markup};
use model::host::Placement;
use model::plan::StudyPlan;
use model::run::Run;
use model::units::format_bytes_approximate;
use verdict::{StudyVerdict, Verdict};

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

/// Title, what this disk is, machine and date, and how far the answers have come.
pub(super) fn header(run: &Run, verdict: &Verdict, title: &str, headlines: &[Headline]) -> Markup {
    let host = &run.host;
    markup! {
        div.masthead {
            h1 { (title) }
            ul.tally aria-label="Summary" {
                @for (tone, words) in doubt::tally(run, verdict, headlines) {
                    li.(tone) { a href=(if matches!(tone, "pass") { "#answers" } else { "#trust" }) { (words) } }
                }
            }
        }
        p.lead { (disk::sentences(run, verdict).join(" ")) }
        p.machine {
            (host.name) " · " (host.processor) ", " (wording::counted(host.cpus, "CPU")) ", "
            (format_bytes_approximate(host.memory_bytes as f64)) " memory · Linux " (host.kernel)
            " · " time datetime=(run.plan.created_at) { (run.plan.created_at.replace('T', " ").replace('Z', " UTC")) }
        }
    }
}

/// The table of contents.
pub(super) fn navigation(verdict: &Verdict) -> Markup {
    markup! {
        nav #contents aria-label="Contents" {
            ul {
                li.brand { "Syncline" }
                li { a href="#answers" { "Answers" } }
                li { a href="#trust" { "Trust" } }
                @for (index, study) in verdict.studies.iter().enumerate() {
                    li { a href={ "#study-" (index) } { (study.name) } }
                }
                @if !verdict.advice.is_empty() { li { a href="#advice" { "Advice" } } }
                li { a href="#machine" { "Machine" } }
                li { a href="#parameters" { "Parameters" } }
                li { a href="#time" { "Time" } }
            }
        }
    }
}
