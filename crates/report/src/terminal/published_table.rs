//! What can be believed of a published table: row by row, then check by check.

use super::prose::{Page, Tone};
use super::{WIDTH_MIN, section};
use published::{Belief, Report, RowReport};
use verdict::{Audit, Status};

/// Findings of a failed check that are shown.
const EVIDENCE_MAX: usize = 4;

/// Renders the judgement of a published table for a terminal of `width` columns, with ANSI colours where `colour` is
/// set. Control characters in names are replaced, so a file cannot steer the terminal.
pub fn published_table(report: &Report, width: usize, colour: bool) -> String {
    let mut page = Page::new(width.max(WIDTH_MIN), colour);
    page.heading(&format!("{} — {}", report.source, summary(report)));
    for remark in &report.remarks {
        page.item(Tone::Faint, "note", remark);
    }
    page.gap();
    for alike in report.rows.chunk_by(|a, b| a.belief == b.belief && a.reasons == b.reasons) {
        rows(&mut page, alike);
    }
    section::audits(&mut page, &report.audits);
    evidence(&mut page, &report.audits);
    page.finish()
}

/// What the failed checks found: figures that a reader can check again.
fn evidence(page: &mut Page, audits: &[Audit]) {
    for audit in audits.iter().filter(|audit| audit.status == Status::Fail) {
        page.gap();
        page.item(Tone::Plain, &audit.name, "");
        for found in audit.evidence.iter().take(EVIDENCE_MAX) {
            page.under("", found);
        }
        let more = audit.evidence.len().saturating_sub(EVIDENCE_MAX);
        if more > 0 {
            page.under("", &format!("… and {more} more (--json has them all)"));
        }
    }
}

/// `of 32 rows 2 can be believed, 30 cannot be believed`.
fn summary(report: &Report) -> String {
    let beliefs = [Belief::CanBeBelieved, Belief::Doubtful, Belief::CannotBeBelieved, Belief::Unchecked];
    let counted = beliefs.iter().filter_map(|belief| {
        let count = report.rows.iter().filter(|row| row.belief == *belief).count();
        let is_or_are = if count == 1 { "is" } else { "are" };
        let words = match belief {
            Belief::Doubtful | Belief::Unchecked => format!("{is_or_are} {}", belief.words()),
            Belief::CanBeBelieved | Belief::CannotBeBelieved => belief.words().to_owned(),
        };
        (count > 0).then(|| format!("{count} {words}"))
    });
    let rows = if report.rows.len() == 1 { "row" } else { "rows" };
    format!("of {} {rows} {}", report.rows.len(), counted.collect::<Vec<_>>().join(", "))
}

/// Rows of which the same is to be said.
fn rows(page: &mut Page, alike: &[RowReport]) {
    let Some(row) = alike.first() else { return };
    let (tone, words) = match row.belief {
        Belief::CannotBeBelieved => (Tone::Bad, "NOT BELIEVED"),
        Belief::Doubtful => (Tone::Warn, "doubtful    "),
        Belief::Unchecked => (Tone::Faint, "not checked "),
        Belief::CanBeBelieved => (Tone::Good, "believed    "),
    };
    let label = match alike.last().filter(|_| alike.len() > 1) {
        Some(last) => format!(
            "{} rows, from {} ({}) to {} ({})",
            alike.len(),
            row.label,
            row.place,
            last.label,
            last.place
        ),
        None => format!("{} ({})", row.label, row.place),
    };
    page.item(tone, words, &label);
    for reason in &row.reasons {
        page.under("", reason);
    }
}
