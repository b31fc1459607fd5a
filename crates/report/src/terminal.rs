//! The verdict for a terminal: one readable table for each study, then sentences.

mod distrust;
mod document;
mod job;
mod published_table;
mod rank;
mod rating;
mod run_audits;
mod summary;

pub use job::job;
pub use published_table::published_table;
pub use rank::of_rank;
pub use run_audits::run_audits;

use crate::wording;
use advice::Advice;
use advice::current::Review;
use document::sections;
use model::run::Run;
use model::units::format_elapsed;
use page::Tone;
use page::terminal::{Lines, WIDTH_MIN};
use verdict::study::Plots;
use verdict::{StudyVerdict, TimeShare, Verdict};

/// With more studies the terminal shows only the answer of each: nobody reads twenty screens.
const STUDIES_IN_FULL_MAX: usize = 3;

/// Renders a verdict and what it says about settings for a terminal of `width` columns, with ANSI colours where
/// `colour` is set: what the studies come to, then the studies. A terminal shows the end of a long text, so the last
/// lines repeat what to set and which audits failed.
///
/// Control characters in names (of hosts, of devices) are replaced, so a record cannot control the terminal.
pub fn terminal(run: &Run, verdict: &Verdict, advice: &[Advice], width: usize, colour: bool) -> String {
    screen(run, verdict, advice, Lines::new(width.max(WIDTH_MIN), colour), Studies::All)
}

/// The end of a run. If the run has many studies, it has only what they come to; the report has their tables.
pub fn outcome(run: &Run, verdict: &Verdict, advice: &[Advice], width: usize, colour: bool) -> String {
    let studies = if verdict.studies.len() <= STUDIES_IN_FULL_MAX { Studies::All } else { Studies::None };
    screen(run, verdict, advice, Lines::new(width.max(WIDTH_MIN), colour), studies)
}

/// Which studies a screen has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Studies {
    All,
    None,
}

fn screen(run: &Run, verdict: &Verdict, advice: &[Advice], mut page: Lines, studies: Studies) -> String {
    page.line(&machine(run));
    for remark in &verdict.remarks {
        page.item(Tone::Warn, "note", &remark.text());
    }
    summary::section(&mut page, run, verdict, advice);
    let is_full = verdict.studies.len() <= STUDIES_IN_FULL_MAX;
    if studies == Studies::All {
        if !is_full {
            page.gap();
            page.item(
                Tone::Faint,
                "tables",
                "Arithmetic mean ± half the width of its 95 % t interval over n trials.",
            );
        }
        let section = |(place, study): (usize, &StudyVerdict)| {
            if is_full { study.section(run, place, Plots::none()) } else { study.in_short(run, place) }
        };
        sections(&mut page, verdict.studies.iter().enumerate().map(section));
    }
    page.gap();
    if !is_full {
        page.item(Tone::Faint, "more", "The report has the tables, findings and audits of every study.");
    }
    page.item(Tone::Plain, "time", &time(&verdict.time));
    if studies == Studies::All {
        summary::closing(&mut page, verdict, advice);
    }
    page.finish()
}

/// How good the disk is, question by question; empty if the run asks none of the questions.
pub fn rated(run: &Run, verdict: &Verdict, width: usize, colour: bool) -> String {
    let mut page = Lines::new(width.max(WIDTH_MIN), colour);
    rating::section(&mut page, run, verdict);
    page.finish()
}

/// Paragraphs behind their labels, as the other parts of a screen have them.
pub fn items(items: &[(&str, String)], width: usize) -> String {
    let mut page = Lines::new(width.max(WIDTH_MIN), false);
    for (label, text) in items {
        page.item(Tone::Plain, label, text);
    }
    page.finish()
}

/// What a reader of a run must distrust: failed and warning audits, and the noise floor.
pub fn distrust(verdict: &Verdict, width: usize, colour: bool) -> String {
    let mut page = Lines::new(width.max(WIDTH_MIN), colour);
    distrust::section(&mut page, verdict);
    page.finish()
}

/// All advice of a run, for a terminal of `width` columns.
pub fn advice(run: &Run, advice: &[Advice], width: usize, colour: bool) -> String {
    let mut page = Lines::new(width.max(WIDTH_MIN), colour);
    page.line(&machine(run));
    sections(&mut page, advice::section(advice));
    page.finish()
}

/// A settings file compared with an advice.
pub fn review(review: &Review, file: &str, width: usize, colour: bool) -> String {
    page::terminal::document(&review.document(file), width, colour)
}

/// One line about the machine and the disk.
fn machine(run: &Run) -> String {
    let host = &run.host;
    let disk = run
        .placement()
        .map_or_else(String::new, |placement| format!("{} · ", wording::medium(placement, " on ")));
    format!("{disk}{} · Linux {} · {}", host.name, host.kernel, run.plan.created_at)
}

/// Share of the wall time by activity.
fn time(time: &TimeShare) -> String {
    let parts = wording::time_parts(time);
    let total: f64 = parts.iter().map(|(_, seconds)| seconds).sum();
    if total <= 0.0 {
        return "nothing recorded yet".to_owned();
    }
    let shares: Vec<String> =
        parts.iter().map(|(what, seconds)| format!("{what} {:.0} %", 100.0 * seconds / total)).collect();
    format!("{} in all: {}", format_elapsed(total), shares.join(", "))
}
