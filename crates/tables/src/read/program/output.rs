//! What the readers of programs give, and what they have in common.

use crate::cell::Cell;
use crate::number::Quantity;
use crate::read::limits::{NAME_MAX, ROWS_MAX};
use laws::Claim;
use std::sync::Arc;

/// The lines of a text with their numbers.
pub(in crate::read) type NumberedLine<'a> = (u64, &'a str);

/// What a program printed.
#[derive(Debug, Default)]
pub(in crate::read) struct Output {
    /// The line that each row begins at.
    pub(in crate::read) lines: Vec<u64>,
    pub(in crate::read) rows: Vec<Claim>,
    /// Sentences.
    pub(in crate::read) remarks: Vec<String>,
}

impl Output {
    /// Whether it has one row more than a table may have, so that the table is refused.
    pub(super) fn is_full(&self) -> bool {
        self.rows.len() > ROWS_MAX
    }

    /// Adds a row unless it is full.
    pub(super) fn push(&mut self, line: u64, row: Claim) {
        if !self.is_full() {
            self.lines.push(line);
            let mut row = Claim { place: format!("line {line}"), ..shortened(row) };
            let known = self.rows.last().map(|last| &last.setting.knobs);
            if let Some(known) = known.filter(|known| **known == row.setting.knobs) {
                row.setting.knobs = Arc::clone(known);
            }
            self.rows.push(row);
        }
    }
}

/// The row with names of a bounded length: a command line may give one long name to a hundred thousand rows.
fn shortened(mut row: Claim) -> Claim {
    let setting = &mut row.setting;
    let names = [Some(&mut row.label), setting.pattern.as_mut(), setting.engine.as_mut()];
    for name in names.into_iter().flatten().chain(Arc::make_mut(&mut setting.knobs).values_mut()) {
        name.truncate(name.floor_char_boundary(NAME_MAX));
    }
    row
}

/// A number as a program prints it.
pub(super) fn number(text: &str) -> Option<Quantity> {
    Cell::plain(text).quantity().ok()
}

pub(super) fn value(text: &str) -> Option<f64> {
    number(text).map(|found| found.printed.value)
}

/// What stands behind a name and its colon or equals sign.
pub(super) fn behind<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = line.trim().strip_prefix(name)?.trim_start();
    Some(rest.strip_prefix([':', '='])?.trim())
}
