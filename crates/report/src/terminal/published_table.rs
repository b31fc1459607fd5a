//! What can be believed of a published table: row by row, then check by check.

use super::prose::{Page, Tone};
use super::{WIDTH_MIN, section};
use published::{Belief, Report, RowReport};

/// Renders the judgement of a published table for a terminal of `width` columns, with ANSI colours where `colour` is
/// set. Control characters in names are replaced, so a file cannot steer the terminal.
pub fn published_table(report: &Report, width: usize, colour: bool) -> String {
    let mut page = Page::new(width.max(WIDTH_MIN), colour);
    page.heading(&format!("{} — {}", report.source, summary(report)));
    for remark in &report.remarks {
        page.item(Tone::Faint, "note", remark);
    }
    page.gap();
    for row in &report.rows {
        self::row(&mut page, row);
    }
    section::audits(&mut page, &report.audits);
    page.finish()
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

fn row(page: &mut Page, row: &RowReport) {
    let (tone, words) = match row.belief {
        Belief::CannotBeBelieved => (Tone::Bad, "NOT BELIEVED"),
        Belief::Doubtful => (Tone::Warn, "doubtful    "),
        Belief::Unchecked => (Tone::Faint, "not checked "),
        Belief::CanBeBelieved => (Tone::Good, "believed    "),
    };
    page.item(tone, words, &format!("{} ({})", row.label, row.place));
    for reason in &row.reasons {
        page.under("", reason);
    }
}
