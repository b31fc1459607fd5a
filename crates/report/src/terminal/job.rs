//! A run of a job file: a table of its jobs, then what limits trust in its figures.

use super::document::sections;
use super::{machine, time};
use crate::disk;
use model::run::Run;
use page::terminal::{Lines, WIDTH_MIN};
use page::{Section, Tone};
use verdict::Verdict;

/// Renders the figures of a job file's run, which the caller has as sections, and its audits. Such a run asks nothing,
/// so it has neither answers nor advice.
pub fn job(run: &Run, verdict: &Verdict, figures: Vec<Section>, width: usize, colour: bool) -> String {
    let mut page = Lines::new(width.max(WIDTH_MIN), colour);
    page.line(&machine(run));
    for remark in &verdict.remarks {
        page.item(Tone::Warn, "note", &remark.text());
    }
    sections(&mut page, figures);
    sections(&mut page, verdict.studies.iter().enumerate().map(|(place, study)| study.trust_section(place)));
    page.gap();
    page.item(Tone::Plain, "disk", &disk::sentences(run, verdict).join(" "));
    page.item(Tone::Plain, "time", &time(&verdict.time));
    page.finish()
}
