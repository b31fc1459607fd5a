//! A table on a terminal: only a rule below the headings, so that the eye follows the columns.

use super::lines::{painted, spans};
use super::{Lines, width, wrap};
use crate::block::Table;
use crate::cell::{Cell, Column, Footnote};
use crate::text::Tone;

/// Spaces at each side of a column.
const MARGIN: usize = 1;

/// A column as text.
struct Shown {
    is_figures: bool,
    heading: String,
    cells: Vec<String>,
    width: usize,
}

/// A table that is laid out: its heading, and the lines of each row.
pub(super) struct Columns {
    columns: Vec<Shown>,
}

/// Lays a table out.
pub(super) fn lay_out(table: &Table, lines: &Lines) -> Columns {
    let mut columns: Vec<Shown> = table
        .columns
        .iter()
        .enumerate()
        .filter_map(|(place, column)| shown(lines, table, column, place))
        .collect();
    fit(&mut columns, lines.width);
    Columns { columns }
}

impl Columns {
    /// Writes the headings, and the rule below them.
    pub(super) fn heading(&self, lines: &mut Lines) {
        let headings: Vec<&str> = self.columns.iter().map(|column| column.heading.as_str()).collect();
        line(lines, &self.columns, &headings, Tone::Strong);
        let all: usize = self.columns.iter().map(|column| column.width + 2 * MARGIN).sum();
        lines.push(&"─".repeat(all));
    }

    /// Writes the cells of a row.
    pub(super) fn row(&self, lines: &mut Lines, row: usize) {
        let cells: Vec<&str> = self.columns.iter().map(|column| column.cells[row].as_str()).collect();
        line(lines, &self.columns, &cells, Tone::Plain);
    }
}

fn shown(lines: &Lines, table: &Table, column: &Column, place: usize) -> Option<Shown> {
    let (is_figures, heading) = match column {
        Column::Words(heading) => (false, heading),
        Column::Figures(heading) => (true, heading),
        Column::Drawings => return None,
    };
    let cells = table
        .rows
        .iter()
        .map(|row| row.cells.get(place).map_or_else(String::new, |it| cell(it, lines.colour)));
    let heading = spans(heading, false);
    Some(Shown { is_figures, heading, cells: cells.collect(), width: 0 })
}

fn cell(cell: &Cell, colour: bool) -> String {
    let badge = cell.badge.as_ref().map(|badge| painted(badge.tone, badge.word, colour));
    let text = Some(spans(&cell.text, colour)).filter(|text| !text.is_empty());
    let mark = cell.footnote.map(Footnote::mark);
    badge.into_iter().chain(text).chain(mark).collect::<Vec<_>>().join(" ")
}

/// Gives each column its width: that of its widest cell; if all of them are too wide, the widest shrink. Figures are
/// not broken, nor are words.
fn fit(columns: &mut [Shown], available: usize) {
    let widest = |texts: &mut dyn Iterator<Item = &str>| texts.map(width).max().unwrap_or(0);
    let least: Vec<usize> = columns
        .iter()
        .map(|column| {
            let cells = || column.cells.iter().map(String::as_str);
            let words =
                widest(&mut cells().chain([column.heading.as_str()]).flat_map(|text| text.split(' ')));
            if column.is_figures { words.max(widest(&mut cells())) } else { words }
        })
        .collect();
    for column in &mut *columns {
        let cells = column.cells.iter().map(String::as_str);
        column.width = widest(&mut cells.chain([column.heading.as_str()]));
    }
    let mut excess = columns.iter().map(|it| it.width + 2 * MARGIN).sum::<usize>().saturating_sub(available);
    while excess > 0 {
        let shrinking = columns.iter_mut().zip(&least).filter(|(column, least)| column.width > **least);
        let Some((column, _)) = shrinking.max_by_key(|(column, _)| column.width) else { break };
        column.width -= 1;
        excess -= 1;
    }
    // Where a column shrank, its lines break before its edge.
    for column in columns {
        let texts = column.cells.iter().chain([&column.heading]);
        column.width =
            texts.flat_map(|text| wrap(text, column.width)).map(|line| width(&line)).max().unwrap_or(0);
    }
}

/// Writes cells beside each other, in as many lines as the highest needs.
fn line(lines: &mut Lines, columns: &[Shown], cells: &[&str], tone: Tone) {
    let wrapped: Vec<Vec<String>> =
        columns.iter().zip(cells).map(|(column, cell)| wrap(cell, column.width)).collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    for row in 0..height {
        let mut line = String::new();
        for (column, cell) in columns.iter().zip(&wrapped) {
            let text = cell.get(row).map_or("", String::as_str);
            let blank = " ".repeat(column.width.saturating_sub(width(text)));
            let text = painted(tone, text, lines.colour);
            let (left, right) = if column.is_figures { (blank.as_str(), "") } else { ("", blank.as_str()) };
            line.extend([" ", left, &text, right, " "]);
        }
        lines.push(line.trim_end());
    }
}
