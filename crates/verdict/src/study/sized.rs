//! Latencies by the size of what operations moved, as a table.

use super::estimated::{cell, name, note};
use crate::verdict::{SizedLatency, StudyVerdict};
use model::metric::Unit;
use model::units::format_bytes_in_text;
use page::{Block, Cell, Column, Section, Table};

const HEADING: &str = "Latency by size";
const CLASSES: &str = "The size is that of what an operation moved: the object, or the range. A class has what is larger \
    than the class before it.";

/// `None` if sizes do not vary.
pub(super) fn part(study: &StudyVerdict) -> Option<Section> {
    let sized = &study.sized_latencies;
    if sized.is_empty() {
        return None;
    }
    let columns = vec![
        Column::Words("configuration".into()),
        Column::Words("operation".into()),
        Column::Words("bytes".into()),
        Column::Figures("operations".into()),
        Column::Figures("mean, µs".into()),
        Column::Figures("p50, µs".into()),
        Column::Figures("p99, µs".into()),
    ];
    let mut table = Table::new(HEADING, columns).with_keys(3);
    for of in sized {
        let mut row = vec![
            name(&of.label),
            Cell::of(of.operation.as_str()),
            Cell::of(size(of, sized)),
            Cell::of(of.operations.to_string()),
        ];
        row.extend([&of.mean_us, &of.p50_us, &of.p99_us].map(|us| cell(&mut table, us, Unit::Microseconds)));
        table.row(row);
    }
    let means = sized.iter().flat_map(|of| [&of.mean_us, &of.p50_us, &of.p99_us]);
    let note = format!("{CLASSES} {}", note(means));
    Some(
        Section::new("", HEADING, vec![Block::Table(table), Block::note(note)])
            .folded("percentiles for each class of sizes"),
    )
}

/// `to 16 KiB`, or `above 64 MiB` for the class without a bound.
fn size(of: &SizedLatency, all: &[SizedLatency]) -> String {
    match (of.bytes_max, all.iter().filter_map(|other| other.bytes_max).max()) {
        (Some(bytes), _) => format!("to {}", format_bytes_in_text(bytes)),
        (None, Some(bytes)) => format!("above {}", format_bytes_in_text(bytes)),
        (None, None) => "any".to_owned(),
    }
}
