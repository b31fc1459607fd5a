//! Two compared runs: the differences around them, then a table for each metric.

use super::{WIDTH_MIN, table};
use crate::wording::{self, counted};
use crate::{change, quantity};
use comfy_table::{Attribute, Cell, CellAlignment, ContentArrangement, Table};
use model::printable;
use page::Tone;
use page::terminal::Lines;
use verdict::Status;
use verdict::compare::{Comparison, Difference, Outcome, Row, Ruling, RunFacts, StudyComparison};

/// Renders a comparison and its limits for a terminal of `width` columns, with ANSI colours if `colour` is set.
pub fn comparison(comparison: &Comparison, rulings: &[Ruling], width: usize, colour: bool) -> String {
    let mut page = Lines::new(width.max(WIDTH_MIN), colour);
    for (letter, side) in [("A", &comparison.a), ("B", &comparison.b)] {
        page.item(Tone::Strong, letter, &run(side));
    }
    page.line(&wording::machines(&comparison.machines));
    differences(&mut page, "What differs", &comparison.surroundings);
    differences(&mut page, "Set differently, as allowed", &comparison.knobs);
    for compared in &comparison.studies {
        study(&mut page, compared);
    }
    page.gap();
    page.item(Tone::Strong, "Summary", &change::summary(comparison));
    for remark in &comparison.remarks {
        page.item(Tone::Warn, "note", &wording::comparison_remark(remark));
    }
    for found in rulings {
        ruling(&mut page, found);
    }
    page.finish()
}

fn ruling(page: &mut Lines, ruling: &Ruling) {
    let (tone, word) = match ruling.outcome {
        Outcome::Broken => (Tone::Bad, "BROKEN"),
        Outcome::Undecided => (Tone::Warn, "NOT DECIDED"),
        Outcome::NotJudged => (Tone::Warn, "not judged"),
        Outcome::Kept => (Tone::Good, "kept"),
    };
    page.item(tone, word, &format!("{}: {}", ruling.gate, change::held(ruling)));
    for (held, what) in [(&ruling.broken, "beyond the limit"), (&ruling.undecided, "not decided")] {
        for held in held {
            page.under("", &format!("{what}: {}", change::held_row(held)));
        }
    }
    for reason in &ruling.unjudged {
        let why = wording::unjudged(reason, &ruling.gate.metric);
        page.under("", &format!("{} not judged: {why}", counted(reason.rows.len(), "comparison")));
    }
}

fn run(side: &RunFacts) -> String {
    let RunFacts { name, host, kernel, disk, created_at, program_version: _ } = side;
    format!("{name} · {disk} · {host} · Linux {kernel} · {created_at}")
}

fn differences(page: &mut Lines, heading: &str, differences: &[Difference]) {
    if differences.is_empty() {
        return;
    }
    page.gap();
    page.heading(heading);
    let widest = differences.iter().map(|it| it.what.chars().count()).max().unwrap_or(0);
    for Difference { what, a, b } in differences {
        page.item(Tone::Faint, &format!("{what:widest$}"), &format!("{} → {}", shown(a), shown(b)));
    }
}

fn shown(value: &str) -> &str {
    if value.is_empty() { "nothing" } else { value }
}

fn study(page: &mut Lines, study: &StudyComparison) {
    page.gap();
    page.heading(&format!("{} — {}", study.name, study.question));
    let mut notes: Vec<String> = Vec::new();
    for metric in &study.metrics {
        let rows: Vec<&Row> = study.rows.iter().filter(|row| row.metric == *metric).collect();
        page.gap();
        let text = rendered(metric, &rows, &mut notes, page.width, page.colour);
        page.block(&text);
    }
    page.gap();
    page.item(Tone::Faint, "±", "half the width of the 95 % t interval of the mean over n trials");
    if let Some(cut) = wording::cut(study.rows.iter().flat_map(|row| [&row.a, &row.b])) {
        page.item(Tone::Faint, "( )", cut);
    }
    if let Some(level) = change::level(&study.rows) {
        let share = match study.family {
            1 => String::new(),
            family => format!(": {family} comparisons share 5 % of error"),
        };
        page.item(Tone::Faint, "[ ]", &format!("{level} interval of the change{share}"));
    }
    if let Some(note) = change::rounds_note(&study.rows) {
        page.item(Tone::Faint, "+ rounds", note);
    }
    for (index, note) in notes.iter().enumerate() {
        page.item(Tone::Faint, &format!("[{}]", index + 1), note);
    }
    for left_out in &study.left_out {
        page.item(Tone::Warn, "note", &wording::left_out(left_out));
    }
    for audit in &study.audits {
        let (tone, word) = match audit.status {
            Status::Fail => (Tone::Bad, "FAIL"),
            Status::Warn | Status::NotAssessable | Status::Pass | Status::NotApplicable => {
                (Tone::Warn, "warn")
            }
        };
        page.item(tone, word, &format!("{} in {}: {}", audit.name, audit.side, audit.summary));
    }
}

fn rendered(metric: &str, rows: &[&Row], notes: &mut Vec<String>, width: usize, colour: bool) -> String {
    let named = quantity::named(metric);
    let mut table = Table::new();
    table.load_style(table::style()).set_content_arrangement(ContentArrangement::Dynamic);
    table.force_no_tty().set_width(u16::try_from(width).unwrap_or(u16::MAX));
    if colour {
        table.enforce_styling();
    }
    let headings = [named.heading(), "A".to_owned(), "B".to_owned(), "B against A".to_owned()];
    let headings = headings.into_iter().chain(["answer".to_owned(), "n".to_owned()]);
    table.set_header(headings.enumerate().map(|(column, heading)| {
        Cell::new(printable(&heading)).set_alignment(alignment(column)).add_attribute(Attribute::Bold)
    }));
    for row in rows {
        let mut answer = change::answer(row);
        if let Some(why) = &row.why {
            answer.push_str(&mark(notes, &wording::row_reason(why, metric)));
        }
        let cells = [
            printable(change::place(row)).into_owned(),
            quantity::plus_minus_text(&row.a, named.unit),
            quantity::plus_minus_text(&row.b, named.unit),
            change::with_interval(row.ratio.as_ref()),
            answer,
            format!("{}+{}", row.n_a, row.n_b),
        ];
        let cells = cells.into_iter().enumerate();
        table.add_row(cells.map(|(column, text)| Cell::new(text).set_alignment(alignment(column))));
    }
    table.trim_fmt()
}

fn alignment(column: usize) -> CellAlignment {
    if column == 0 || column == 4 { CellAlignment::Left } else { CellAlignment::Right }
}

/// ` [2]`: the number of a note below the tables.
fn mark(notes: &mut Vec<String>, note: &str) -> String {
    let place = notes.iter().position(|known| known == note).unwrap_or_else(|| {
        notes.push(note.to_owned());
        notes.len() - 1
    });
    format!(" [{}]", place + 1)
}
