//! Which numbers of a published table can be believed: row by row, then check by check.

use super::WIDTH_MIN;
use super::document::sections;
use model::figure::{agreeing, count};
use page::terminal::Lines;
use page::{Section, Tone};
use tables::{Applied, Belief, NumberReport, Report, RowReport};
use verdict::study::audits_in_full;
use verdict::{Audit, Status};

/// The maximum number of unchecked numbers of a row that are named.
const NAMES_MAX: usize = 6;

/// Renders the judgement of a published table for a terminal of `width` columns, with ANSI colours if `colour` is set.
/// Control characters in names are replaced, so a file cannot control the terminal.
pub fn published_table(report: &Report, width: usize, colour: bool) -> String {
    let mut page = Lines::new(width.max(WIDTH_MIN), colour);
    page.heading(&format!("{} — {}", report.source, summary(report)));
    for remark in &report.remarks {
        page.item(Tone::Faint, "note", remark);
    }
    page.gap();
    for alike in report.rows.chunk_by(is_alike) {
        rows(&mut page, alike);
    }
    let lacks = |audit: &&Audit| matches!(audit.status, Status::NotAssessable | Status::NotApplicable);
    let (lacking, judged): (Vec<&Audit>, Vec<&Audit>) = report.audits.iter().partition(lacks);
    let judged: Vec<Audit> = judged.into_iter().cloned().collect();
    sections(&mut page, [Section::new("", "Audits", audits_in_full(&judged))]);
    if !lacking.is_empty() {
        let names: Vec<&str> = lacking.iter().map(|audit| audit.name.as_str()).collect();
        let (noun, verb) = if names.len() == 1 { ("check", "lacks") } else { ("checks", "lack") };
        page.item(Tone::Faint, "n/a ", &format!("{} {noun} {verb} data: {}", names.len(), names.join(", ")));
        if !report.unstated.is_empty() {
            let told = report.unstated.join(", ");
            page.under("do", &format!("State with --columns ROLE:VALUE what you know: {told}."));
        }
    }
    page.finish()
}

/// `of 32 rows 2 can be believed, 30 are not checked; 5 of 32 checks applied`.
fn summary(report: &Report) -> String {
    let beliefs = [
        Belief::CanBeBelieved,
        Belief::PartlyChecked,
        Belief::Doubtful,
        Belief::CannotBeBelieved,
        Belief::Unchecked,
    ];
    let counted = beliefs.iter().filter_map(|belief| {
        let count = report.rows.iter().filter(|row| row.belief == *belief).count();
        let is_or_are = agreeing(count, "is", "are");
        let words = match belief {
            Belief::Doubtful | Belief::PartlyChecked | Belief::Unchecked => {
                format!("{is_or_are} {}", belief.words())
            }
            Belief::CanBeBelieved | Belief::CannotBeBelieved => belief.words().to_owned(),
        };
        (count > 0).then(|| format!("{count} {words}"))
    });
    let rows = count(report.rows.len(), "row");
    let counted = counted.collect::<Vec<_>>().join(", ");
    format!("of {rows} {counted}; {}", applied(report.checks, is_clean(&report.audits)))
}

fn is_clean(audits: &[Audit]) -> bool {
    audits.iter().all(|audit| matches!(audit.status, Status::Pass | Status::NotAssessable))
}

/// `2 of 32 checks applied`, and whether they found nothing.
fn applied(checks: Applied, nothing_found: bool) -> String {
    let found = if nothing_found && checks.applied > 0 { "; nothing found" } else { "" };
    format!("{} of {} checks applied{found}", checks.applied, checks.of)
}

/// The numbers that no check of figures covered, if another number was covered.
fn unchecked(row: &RowReport) -> Option<String> {
    let is_unchecked = |number: &&NumberReport| number.belief == Belief::Unchecked;
    let names: Vec<&str> =
        row.numbers.iter().filter(is_unchecked).map(|number| number.name.as_str()).collect();
    let told = names.iter().take(NAMES_MAX).copied().collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(NAMES_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!names.is_empty() && names.len() < row.numbers.len()).then(|| format!("not checked: {told}{more}"))
}

fn is_alike(a: &RowReport, b: &RowReport) -> bool {
    a.belief == b.belief && a.reasons == b.reasons && a.checks == b.checks
}

/// Rows with the same result.
fn rows(page: &mut Lines, alike: &[RowReport]) {
    let Some(row) = alike.first() else { return };
    let (tone, words) = match row.belief {
        Belief::CannotBeBelieved => (Tone::Bad, "NOT BELIEVED"),
        Belief::Doubtful => (Tone::Warn, "doubtful    "),
        Belief::Unchecked => (Tone::Faint, "not checked "),
        Belief::PartlyChecked => (Tone::Good, "part checked"),
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
    if matches!(row.belief, Belief::Unchecked | Belief::PartlyChecked | Belief::CanBeBelieved) {
        page.under("", &applied(row.checks, row.reasons.is_empty()));
        if let Some(unchecked) = unchecked(row) {
            page.under("", &unchecked);
        }
    }
    for reason in &row.reasons {
        page.under("", reason);
    }
}
