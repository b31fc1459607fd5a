//! A fleet: who is slow, who is a suspect, and how the figures are distributed.

use super::prose::{Page, Tone};
use super::{WIDTH_MIN, table};
use crate::quantity;
use crate::wording::{counted, fleet as words};
use comfy_table::{Attribute, Cell, CellAlignment, ContentArrangement, Table};
use fleet::{DiskResult, Distribution, Standing, Statement};
use model::figure::round_figure;
use model::printable;

/// Suspicions of a disk that are printed; the page has all.
const SUSPICIONS_MAX: usize = 3;
/// Disks of one standing that are printed.
const DISKS_MAX: usize = 20;
/// Notes about what is missing or not used that are printed.
const GAPS_MAX: usize = 20;
/// Rows of the table of distributions.
const ROWS_MAX: usize = 16;

/// Renders the statement about a fleet for a terminal of `width` columns, with ANSI colours if `colour` is set.
pub fn fleet(statement: &Statement, width: usize, colour: bool) -> String {
    let mut page = Page::new(width.max(WIDTH_MIN), colour);
    page.heading(&words::title(statement));
    page.line(&words::summary(statement));
    for (standing, heading, tone) in [
        (Standing::Slow, "Proven slow", Tone::Bad),
        (Standing::Suspect, "To be measured again", Tone::Warn),
        (Standing::NotChecked, "Not checked", Tone::Warn),
        (Standing::NotConfirmed, "Suspected once and not confirmed", Tone::Faint),
    ] {
        disks(&mut page, statement, standing, (heading, tone));
    }
    strata(&mut page, statement);
    distributions(&mut page, statement);
    page.gap();
    let gaps: Vec<String> = words::gaps(statement).collect();
    for gap in gaps.iter().take(GAPS_MAX) {
        page.item(Tone::Warn, "note", gap);
    }
    if gaps.len() > GAPS_MAX {
        page.item(Tone::Faint, "more", &counted(gaps.len() - GAPS_MAX, "more note"));
    }
    for rule in words::rules(statement) {
        page.item(Tone::Faint, "rule", &rule);
    }
    page.finish()
}

fn disks(page: &mut Page, statement: &Statement, standing: Standing, (heading, tone): (&str, Tone)) {
    let found = || statement.disks.iter().enumerate().filter(|(_, disk)| disk.standing == standing);
    let count = found().count();
    if count == 0 {
        return;
    }
    page.gap();
    page.heading(heading);
    for (index, result) in found().take(DISKS_MAX) {
        disk(page, statement, (index, result), tone);
    }
    if count > DISKS_MAX {
        page.item(Tone::Faint, "more", &counted(count - DISKS_MAX, "more disk"));
    }
}

fn disk(page: &mut Page, statement: &Statement, (index, result): (usize, &DiskResult), tone: Tone) {
    let suspicions: Vec<_> = statement.suspicions_of(index).collect();
    page.item(tone, &words::disk(&result.disk), &words::stratum(&statement.strata[result.stratum].stratum));
    if result.standing == Standing::NotChecked || result.failed.count > 0 {
        page.under("", &words::lacks(result));
    }
    for suspect in suspicions.iter().take(SUSPICIONS_MAX) {
        let distribution = &statement.distributions[suspect.distribution];
        let asked = &statement.questions[distribution.question];
        page.under("", &words::first(suspect, distribution, asked));
        page.under("", &words::second(suspect, asked));
    }
    if suspicions.len() > SUSPICIONS_MAX {
        page.under("", &format!("and {}", counted(suspicions.len() - SUSPICIONS_MAX, "more question")));
    }
    if !result.differences.is_empty() {
        let differences: Vec<String> = result.differences.iter().map(words::difference).collect();
        page.under("differs", &differences.join(", "));
    }
}

fn strata(page: &mut Page, statement: &Statement) {
    page.gap();
    page.heading("Strata");
    for result in &statement.strata {
        let tone = if result.assessable { Tone::Plain } else { Tone::Warn };
        let judged =
            if result.assessable { String::new() } else { format!(" · {}", words::too_small(result)) };
        let measured = words::measured(result).map_or_else(String::new, |measured| format!(" · {measured}"));
        let what = format!("{}{measured}{judged}", words::stratum(&result.stratum));
        page.item(tone, &counted(result.disks, "disk"), &what);
    }
}

/// The figures of the first measurements; the questions of suspects first, then the first metric of each configuration.
fn distributions(page: &mut Page, statement: &Statement) {
    let mut shown: Vec<usize> = statement.suspects.iter().map(|suspect| suspect.distribution).collect();
    let is_first = |place: &usize| {
        let distribution = &statement.distributions[*place];
        let asked = &statement.questions[distribution.question];
        let before = statement.questions[..distribution.question].iter();
        !before.rev().any(|other| other.study == asked.study && other.parameters == asked.parameters)
    };
    shown.extend((0..statement.distributions.len()).filter(is_first));
    let mut seen = std::collections::BTreeSet::new();
    shown.retain(|place| seen.insert(*place));
    if shown.is_empty() {
        return;
    }
    page.gap();
    page.heading("The first measurement of every disk");
    let rows: Vec<&Distribution> =
        shown.iter().take(ROWS_MAX).map(|place| &statement.distributions[*place]).collect();
    let text = rendered(statement, &rows, page.width, page.colour);
    page.block(&text);
    for distribution in &rows {
        let asked = &statement.questions[distribution.question];
        if let Some(latencies) = words::latencies(distribution, &quantity::named(&asked.metric)) {
            page.under("", &format!("{}: {latencies}", words::question(asked)));
        }
    }
    if shown.len() > ROWS_MAX || shown.len() < statement.distributions.len() {
        page.item(Tone::Faint, "more", "--html FILE writes a page with every question and every disk.");
    }
}

fn rendered(statement: &Statement, rows: &[&Distribution], width: usize, colour: bool) -> String {
    let mut table = Table::new();
    table.load_style(table::style()).set_content_arrangement(ContentArrangement::Dynamic);
    table.force_no_tty().set_width(u16::try_from(width).unwrap_or(u16::MAX));
    if colour {
        table.enforce_styling();
    }
    let headings = ["question", "stratum", "disks", "slowest", "median", "fastest", "limit"];
    let heading =
        |(column, text)| Cell::new(text).set_alignment(alignment(column)).add_attribute(Attribute::Bold);
    table.set_header(headings.into_iter().enumerate().map(heading));
    for distribution in rows {
        let asked = &statement.questions[distribution.question];
        let named = quantity::named(&asked.metric);
        let show = |value: f64| round_figure(value, named.unit);
        let (slow, fast) = words::ends(distribution, &named);
        let cells = [
            words::question(asked),
            (distribution.stratum + 1).to_string(),
            distribution.figures.len().to_string(),
            show(slow),
            show(distribution.median),
            show(fast),
            distribution.limit.map_or_else(|| "–".to_owned(), show),
        ];
        let cells = cells.into_iter().enumerate();
        table.add_row(
            cells.map(|(column, text)| Cell::new(printable(&text)).set_alignment(alignment(column))),
        );
    }
    table.trim_fmt()
}

fn alignment(column: usize) -> CellAlignment {
    if column == 0 { CellAlignment::Left } else { CellAlignment::Right }
}
