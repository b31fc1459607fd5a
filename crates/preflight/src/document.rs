//! A preflight in words: every limit with its outcome and its figures.

use crate::judge::{JudgedRow, Ruling};
use model::figure::count;
use page::{Block, Document, Item, List, Section, Text};
use verdict::compare::LimitOutcome;
use verdict::quantity::with_interval;

/// The rulings on the disk below a directory.
pub fn document(directory: &str, rulings: &[Ruling]) -> Document {
    let items = rulings.iter().map(item).collect();
    let level = rulings.iter().flat_map(|ruling| &ruling.rows).find_map(|row| row.estimate.as_ref()?.level);
    let note = level.map(|_| {
        Block::note("In brackets: the interval of the mean over trials. All intervals hold together at 95 %.")
    });
    let blocks = [Block::List(List::of(items))].into_iter().chain(note).collect();
    Document {
        title: format!("Preflight of {directory}").into(),
        conclusion: vec![Section::new("limits", "Limits", blocks)],
        closing: Some(closing(rulings).into()),
        footer: concat!("Syncline ", env!("CARGO_PKG_VERSION"), " · Student's t, Bonferroni's bound").into(),
        ..Document::default()
    }
}

fn item(ruling: &Ruling) -> Item {
    let rows = ruling.rows.iter().map(|row| Item::of(row_in_words(ruling, row)));
    let without = ruling.why.iter().map(|why| Item::of(why.as_str()));
    let below: Vec<Item> = rows.chain(without).collect();
    Item::of(Text::default().code(ruling.limit.text.as_str()))
        .with_badge(ruling.outcome.badge())
        .with_below(vec![Block::List(List::of(below))])
}

/// `commit-modes: 8 120 µs (7 900–8 400, 98.3 %)`, and the outcome if it is not that of the limit.
fn row_in_words(ruling: &Ruling, row: &JudgedRow) -> String {
    let figure = row.estimate.as_ref().map(|estimate| with_interval(estimate, ruling.limit.unit()));
    let why = row.why.as_ref().map(|why| format!("not judged: {why}"));
    let outcome =
        (row.outcome != ruling.outcome && row.why.is_none()).then(|| row.outcome.badge().word.to_owned());
    let parts: Vec<String> = figure.into_iter().chain(why).chain(outcome).collect();
    format!("{}: {}", row.row, parts.join("; "))
}

/// `3 limits: 2 kept, 1 broken.`
fn closing(rulings: &[Ruling]) -> String {
    use LimitOutcome::{Broken, Kept, NotJudged, Undecided};
    let of = |outcome| rulings.iter().filter(|ruling| ruling.outcome == outcome).count();
    let counts: Vec<String> = [Kept, Undecided, NotJudged, Broken]
        .into_iter()
        .filter(|outcome| of(*outcome) > 0)
        .map(|outcome| format!("{} {}", of(outcome), outcome.badge().word))
        .collect();
    format!("{}: {}.", count(rulings.len(), "limit"), counts.join(", "))
}
