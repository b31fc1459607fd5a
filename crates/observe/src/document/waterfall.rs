//! What the time of reads and syncs was spent on, side by side, mean and tail.

use super::cells::{NONE, SHARE_MIN};
use crate::observation::{Explanation, Part};
use model::figure::{elapsed, exact_percent, percent, round};
use model::traced::Segment;
use page::waterfall::{self, Bar, Pair};
use page::{Block, Cell, Column, Section, Table};
use std::collections::BTreeMap;

/// Columns of a class: mean and tail, each with its share.
const COLUMNS: usize = 4;

pub(super) fn section(explanations: &[Explanation]) -> Option<Section> {
    if explanations.is_empty() {
        return None;
    }
    let explained = explanations.iter().map(|of| {
        let class = of.class;
        let what = if of.operations == 1 { class.singular() } else { class.plural() };
        format!("{} {what} and the slowest {}", of.operations, of.slowest_operations)
    });
    let note = format!(
        "From the kernel's events of {}. Parts below {} are left out.",
        explained.collect::<Vec<_>>().join(", "),
        exact_percent(SHARE_MIN)
    );
    let pairs: Vec<Pair> = explanations.iter().map(pair).collect();
    let drawn = waterfall::draw(&pairs, "observed", "What the time of reads and syncs was spent on");
    let table = Block::Table(table(explanations));
    let blocks = drawn.map(Block::Figure).into_iter().chain([table, Block::note(note)]).collect();
    Some(Section::new("waterfall", "Where the time goes", blocks))
}

fn table(explanations: &[Explanation]) -> Table {
    let mut columns = vec![Column::Words("time is spent on".into())];
    let mut rows: BTreeMap<Segment, Vec<Cell>> = BTreeMap::new();
    for (place, of) in explanations.iter().enumerate() {
        let name = of.class.singular();
        columns.push(Column::Figures(format!("{name}, mean µs").into()));
        columns.push(Column::Figures("share".into()));
        columns.push(Column::Figures("slowest 1 % µs".into()));
        columns.push(Column::Figures("share".into()));
        for (offset, parts) in [(0, &of.parts), (2, &of.slowest_parts)] {
            for part in parts.iter().filter(|part| part.share >= SHARE_MIN) {
                let row = rows.entry(part.segment).or_insert_with(|| vec![Cell::of(part.segment.name())]);
                row.resize(1 + COLUMNS * explanations.len(), Cell::of(NONE));
                let column = 1 + COLUMNS * place + offset;
                row[column] = Cell::of(round(part.mean_us));
                row[column + 1] = Cell::of(percent(part.share));
            }
        }
    }
    let mut table = Table::new("what the time is spent on", columns);
    for row in rows.into_values() {
        table.row(row);
    }
    let mut whole = vec![Cell::of("whole")];
    for of in explanations {
        for mean_us in [of.mean_us, of.slowest_mean_us] {
            whole.extend([Cell::of(round(mean_us)), Cell::of(NONE)]);
        }
    }
    table.row(whole);
    table
}

fn pair(of: &Explanation) -> Pair {
    let mean = format!("mean {}: {}", of.class.singular(), elapsed(of.mean_us));
    let slowest = format!("slowest {}: {}", exact_percent(0.01), elapsed(of.slowest_mean_us));
    Pair {
        title: of.class.plural().to_owned(),
        bars: [bar(mean, &of.parts), bar(slowest, &of.slowest_parts)],
    }
}

fn bar(name: String, parts: &[Part]) -> Bar {
    let part =
        |part: &Part| waterfall::Part { segment: part.segment, share: part.share, mean_us: part.mean_us };
    Bar { name, parts: parts.iter().map(part).collect() }
}
