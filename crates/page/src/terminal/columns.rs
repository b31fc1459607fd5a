//! A table on a terminal: only a rule below the headings, so that the eye follows the columns. If the terminal is too
//! narrow for columns, each row is a few lines.

use super::lines::{painted, spans};
use super::{Lines, width, wrap};
use crate::block::Table;
use crate::cell::{Cell, Column, Footnote, Spread};
use crate::text::Tone;
use crate::unbreakable;

/// Spaces at each side of a column.
const MARGIN: usize = 1;

/// A column as text.
#[derive(Clone)]
struct Shown {
    /// For figures, whether they may break before their intervals; `None` for words.
    figures_break: Option<bool>,
    heading: String,
    cells: Vec<String>,
    width: usize,
}

/// A table that is laid out: its heading, and the lines of each row.
pub(super) struct Columns {
    columns: Vec<Shown>,
}

/// How a table is printed.
pub(super) enum Layout {
    /// As columns, in one part or several.
    Beside(Vec<Columns>),
    /// As a few lines for each row.
    Below(Vec<Record>),
}

/// A row as lines.
pub(super) struct Record {
    /// What names it.
    name: String,
    /// Headings and cells.
    cells: Vec<(String, String)>,
}

/// Lays a table out: as columns if they fit, otherwise as lines.
pub(super) fn lay_out(table: &Table, lines: &Lines) -> Layout {
    let parts = beside(table, lines);
    if parts.iter().all(|part| part.width() <= lines.width) {
        return Layout::Beside(parts);
    }
    let columns = table.columns.iter().enumerate();
    let columns: Vec<(usize, Shown)> =
        columns.filter_map(|(place, column)| Some((place, shown(lines, table, column, place)?))).collect();
    Layout::Below((0..table.rows.len()).map(|row| Record::of(table.keys, &columns, row)).collect())
}

/// Beside each other as many columns as fit, behind those that name a row.
fn beside(table: &Table, lines: &Lines) -> Vec<Columns> {
    let all = table.columns.iter().enumerate();
    let mut columns: Vec<Shown> =
        all.filter_map(|(place, column)| shown(lines, table, column, place)).collect();
    let others = columns.split_off(table.keys.min(columns.len()));
    let keys = columns;
    let least = |columns: &[Shown]| columns.iter().map(|column| column.least() + 2 * MARGIN).sum::<usize>();
    let room = lines.width.saturating_sub(least(&keys));
    let mut parts: Vec<Vec<Shown>> = vec![keys.clone()];
    let mut used = 0;
    for column in others {
        let width = least(std::slice::from_ref(&column));
        if table.keys > 1 && used > 0 && used + width > room {
            parts.push(keys.clone());
            used = 0;
        }
        used += width;
        if let Some(part) = parts.last_mut() {
            part.push(column);
        }
    }
    let fitted = |mut columns: Vec<Shown>| {
        fit(&mut columns, lines.width);
        Columns { columns }
    };
    parts.into_iter().map(fitted).collect()
}

fn widest(texts: &mut dyn Iterator<Item = &str>) -> usize {
    texts.map(width).max().unwrap_or(0)
}

impl Shown {
    /// The least width: figures are not broken, nor are words.
    fn least(&self) -> usize {
        let cells = || self.cells.iter().map(String::as_str);
        let words = widest(&mut cells().chain([self.heading.as_str()]).flat_map(|text| text.split(' ')));
        match self.figures_break {
            Some(false) => words.max(widest(&mut cells())),
            Some(true) | None => words,
        }
    }

    /// Whether its figures have intervals, which are beside them so far.
    fn has_whole_intervals(&self) -> bool {
        let has_interval = |cell: &String| before_and_interval(cell).nth(1).is_some();
        self.figures_break == Some(false) && self.cells.iter().any(has_interval)
    }

    /// Breaks lines before intervals: the other spaces of the cells break no more.
    fn break_before_intervals(&mut self) {
        self.figures_break = Some(true);
        for cell in &mut self.cells {
            let parts =
                before_and_interval(cell).map(|part| part.replace(' ', &unbreakable::SPACE.to_string()));
            *cell = parts.collect::<Vec<_>>().join(" ");
        }
    }
}

/// A figure and its interval: `1.08` and `[1.05 to 1.11]`, or `1.08` and `± 0.03`.
fn before_and_interval(cell: &str) -> impl Iterator<Item = &str> {
    let place = [" ± ", " [", " ("].iter().find_map(|start| cell.find(start));
    let (before, interval) = place.map_or((cell, None), |place| (&cell[..place], Some(&cell[place + 1..])));
    std::iter::once(before.trim_end()).chain(interval)
}

impl Record {
    /// A row of these columns, at these places of the table; the first `keys` columns name it.
    fn of(keys: usize, columns: &[(usize, Shown)], row: usize) -> Self {
        // What aligns the cells of a column is not part of them. A thin space in a number is.
        let tight =
            |cell: &str| cell.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        let cells = |is_key: bool| {
            let of_part = columns.iter().filter(move |(place, _)| (*place < keys.max(1)) == is_key);
            of_part.map(move |(_, column)| (column.heading.clone(), tight(&column.cells[row])))
        };
        let name = |(heading, cell)| if keys > 1 { format!("{heading} {cell}") } else { cell };
        Self {
            name: cells(true).map(name).collect::<Vec<_>>().join(" · "),
            cells: cells(false).filter(|(_, cell)| !cell.is_empty()).collect(),
        }
    }

    /// Writes the name, and below it each cell behind its heading.
    pub(super) fn write(&self, lines: &mut Lines, (name, cell): (usize, usize)) {
        lines.behind(name, &[], &self.name);
        for (heading, text) in &self.cells {
            lines.behind(cell, &[(Tone::Faint, heading)], text);
        }
    }
}

impl Columns {
    fn width(&self) -> usize {
        self.columns.iter().map(|column| column.width + 2 * MARGIN).sum()
    }

    /// Writes the headings, and the rule below them.
    pub(super) fn heading(&self, lines: &mut Lines) {
        let headings: Vec<&str> = self.columns.iter().map(|column| column.heading.as_str()).collect();
        line(lines, &self.columns, &headings, Tone::Strong);
        lines.push(&"─".repeat(self.width()));
    }

    /// Writes the cells of a row.
    pub(super) fn row(&self, lines: &mut Lines, row: usize) {
        let cells: Vec<&str> = self.columns.iter().map(|column| column.cells[row].as_str()).collect();
        line(lines, &self.columns, &cells, Tone::Plain);
    }
}

fn shown(lines: &Lines, table: &Table, column: &Column, place: usize) -> Option<Shown> {
    let (figures_break, heading) = match column {
        Column::Words(heading) => (None, heading),
        Column::Figures(heading) => (Some(false), heading),
        Column::Drawings => return None,
    };
    let cells: Vec<Option<&Cell>> = table.rows.iter().map(|row| row.cells.get(place)).collect();
    let widths = Widths::of(&cells.iter().flatten().copied().collect::<Vec<_>>());
    let cells = cells.iter().map(|it| it.map_or_else(String::new, |it| cell(it, &widths, lines.colour)));
    let heading = spans(heading, false);
    Some(Shown { figures_break, heading, cells: cells.collect(), width: 0 })
}

/// The widest parts of the figures of a column that have an interval.
struct Widths {
    point: usize,
    half: usize,
    spread: usize,
}

impl Widths {
    fn of(cells: &[&Cell]) -> Self {
        let widest = |of: &dyn Fn(&Cell) -> usize| cells.iter().map(|cell| of(cell)).max().unwrap_or(0);
        let half = widest(&|cell| match &cell.spread {
            Some(Spread::HalfWidth(half)) => width(half),
            Some(Spread::Bounds(_)) | None => 0,
        });
        let has_spread = cells.iter().any(|cell| cell.spread.is_some());
        let point = if has_spread { widest(&|cell| width(&cell.text.words())) } else { 0 };
        let spread =
            widest(&|cell| cell.spread.as_ref().map_or(0, |spread| width(&spread_text(spread, half))));
        Self { point, half, spread }
    }
}

fn spread_text(spread: &Spread, half_width: usize) -> String {
    match spread {
        Spread::HalfWidth(half) => format!(" ± {}{half}", " ".repeat(half_width.saturating_sub(width(half)))),
        Spread::Bounds(bounds) => format!(" {bounds}"),
    }
}

fn cell(cell: &Cell, widths: &Widths, colour: bool) -> String {
    let badge = cell.badge.as_ref().map(|badge| painted(badge.tone, badge.word, colour));
    let text = spans(&cell.text, colour);
    let text = match &cell.spread {
        Some(_) | None if widths.spread == 0 => text,
        spread => {
            let spread = spread.as_ref().map_or_else(String::new, |spread| spread_text(spread, widths.half));
            let blank = |to: usize, text: &str| " ".repeat(to.saturating_sub(width(text)));
            let (before, between) = (blank(widths.point, &cell.text.words()), blank(widths.spread, &spread));
            format!("{before}{text}{between}{spread}")
        }
    };
    let text = Some(text + cell.suffix).filter(|text| !text.is_empty());
    let mark = cell.footnote.map(Footnote::mark);
    badge.into_iter().chain(text).chain(mark).collect::<Vec<_>>().join(" ")
}

/// Gives each column its width: that of its widest cell; if all of them are too wide, the widest shrink. Words are not
/// broken, and figures only before their intervals, if nothing else makes the table fit.
fn fit(columns: &mut [Shown], available: usize) {
    let least = |columns: &[Shown]| columns.iter().map(|it| it.least() + 2 * MARGIN).sum::<usize>();
    while least(columns) > available {
        let figures = columns.iter_mut().filter(|column| column.has_whole_intervals());
        let Some(column) = figures.max_by_key(|column| column.least()) else { break };
        column.break_before_intervals();
    }
    let least: Vec<usize> = columns.iter().map(Shown::least).collect();
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
            let (left, right) =
                if column.figures_break.is_some() { (blank.as_str(), "") } else { ("", blank.as_str()) };
            line.extend([" ", left, &text, right, " "]);
        }
        lines.push(line.trim_end());
    }
}
