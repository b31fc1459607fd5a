//! What was observed of a program, beside what the arm measured that repeats its load, as a table.

use crate::estimate::Estimate;
use crate::quantity::{plus_minus, plus_minus_text, reason};
use crate::verdict::{Replayed, StudyVerdict};
use model::figure::{exact_percent, ratio};
use page::quantity::named;
use page::{Block, Cell, Column, Section, Table};

const NONE: &str = "–";
const NOTE: &str = "Observed are the figures that the study states under [observed]: of a running program that \
    `observe` saw, where a latency is the time in the system call, or of a log of operations. Replayed is the arithmetic mean ± half the width of its 95 % t interval over n trials; a latency of reads and writes counts from \
    the time at which the operation was due, and so also holds its wait for the one before.";

/// `None` if the study repeats nothing that was observed.
pub(super) fn part(study: &StudyVerdict) -> Option<Section> {
    if study.replayed.is_empty() {
        return None;
    }
    let columns = vec![
        Column::Words("figure".into()),
        Column::Figures("observed".into()),
        Column::Figures("replayed".into()),
        Column::Figures("ratio".into()),
        Column::Words("goal".into()),
    ];
    let mut table = Table::new("Observed and replayed", columns);
    for of in &study.replayed {
        let row = row(&mut table, of);
        table.row(row);
    }
    Some(Section::new("", "Observed and replayed", vec![Block::Table(table), Block::note(NOTE)]))
}

fn row(table: &mut Table, of: &Replayed) -> Vec<Cell> {
    let named = named(&of.metric);
    let observed = Estimate { point: Some(of.observed), interval: None, level: None, reason: None };
    let replayed = plus_minus(&of.replayed, named.unit);
    let why = || of.unsupported.as_deref().unwrap_or(reason(&of.replayed)).to_owned();
    let why = of.replayed.interval.is_none().then(|| table.footnote(why()));
    let goal = match of.is_within {
        Some(true) => format!("within {}", exact_percent(of.tolerance)),
        Some(false) => format!("not within {}", exact_percent(of.tolerance)),
        None => NONE.to_owned(),
    };
    vec![
        Cell::of(named.heading()),
        Cell::of(plus_minus_text(&observed, named.unit)),
        Cell { spread: replayed.spread, suffix: replayed.suffix, ..Cell::of(replayed.point) }
            .with_footnote(why),
        Cell::of(of.ratio.map_or_else(|| NONE.to_owned(), ratio)),
        Cell::of(goal),
    ]
}
