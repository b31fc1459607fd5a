//! The audits of a run, study by study, with what the failed ones found.

use super::WIDTH_MIN;
use super::document::sections;
use page::Tone;
use page::terminal::Lines;
use verdict::{StudyVerdict, Verdict};

/// Renders a verdict's audits for a terminal of `width` columns, with ANSI colours if `colour` is set. An audit's text
/// is shown whole.
pub fn run_audits(verdict: &Verdict, width: usize, colour: bool) -> String {
    let mut page = Lines::new(width.max(WIDTH_MIN), colour);
    for remark in &verdict.remarks {
        page.item(Tone::Warn, "note", &remark.text());
    }
    sections(&mut page, verdict.studies.iter().map(StudyVerdict::audits_section));
    page.finish()
}
