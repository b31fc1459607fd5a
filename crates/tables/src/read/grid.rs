//! A table as text, whatever form it was printed in: its header and its cells.

use crate::number::{Decimal, Shown, quantity};
use crate::unit::Dimension;

/// What people write into a cell that has no value.
const EMPTY: &[&str] = &["", "-", "–", "—", "n/a", "na", "none"];
/// What happens to a cell that does not fit its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misfits {
    /// The file is refused: a CSV file is made by a program.
    Refuse,
    /// The cell is left out, and a remark says so: people write words into tables.
    Remark,
}

/// A table as text.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    pub(super) header_line: u64,
    pub(super) header: Vec<String>,
    /// Each line's number and its cells, as many as the header has.
    pub(super) lines: Vec<(u64, Vec<String>)>,
    pub(super) misfits: Misfits,
    /// What the numbers of the page around it show of decimal marks.
    pub(super) around: Shown,
}

/// Dimensions of results.
const MEASURED: &[Dimension] = &[Dimension::Time, Dimension::Rate, Dimension::Bandwidth];

pub(super) fn is_empty(cell: &str) -> bool {
    EMPTY.contains(&cell.to_ascii_lowercase().as_str())
}

impl Grid {
    /// The table with a header whose names differ, and with its units where they are read: where the first line has
    /// results, it is a row, and the columns have numbers.
    pub(super) fn headed(self) -> Self {
        let mut grid = self.units_in_cells();
        let is_result = |cell: &String| {
            let unit = quantity(cell, Some(Decimal::Point)).ok().and_then(|found| found.unit);
            cell.starts_with(|c: char| c.is_ascii_digit())
                && unit.is_some_and(|unit| MEASURED.contains(&unit.dimension))
        };
        if grid.header.iter().any(is_result) {
            let names = (1..=grid.header.len()).map(|place| place.to_string()).collect();
            let first = std::mem::replace(&mut grid.header, names);
            grid.lines.insert(0, (grid.header_line, first));
        }
        for index in 1..grid.header.len() {
            let earlier = grid.header[..index].iter().filter(|name| **name == grid.header[index]).count();
            if earlier > 0 {
                grid.header[index] = format!("{} ({})", grid.header[index], earlier + 1);
            }
        }
        grid
    }
}
