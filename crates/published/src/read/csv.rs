//! Plain CSV tables: RFC 4180 with commas, semicolons or tabs; lines that start with `#` are comments.

use super::constants::with_constants;
use super::error::ReadError;
use super::limits::{CELLS_MAX, COLUMNS_MAX, NAME_MAX, ROWS_MAX, check_size};
use super::lines::Lines;
use super::long;
use crate::cell::{Printed, printed, shown};
use crate::mapping::{Column, Figure, Mapping, figures};
use crate::role::Role;
use crate::table::{Arrivals, Direction, Estimate, Median, Row, Spread, SpreadKind, Table};

/// What people write into a cell that has no value.
const EMPTY: &[&str] = &["", "-", "—", "n/a", "na", "none"];

/// Reads a table. What a column means comes from `mapping` and, where that is silent, from the header; Syncline's long
/// export (one line per trial and metric) is recognised and needs no mapping.
///
/// # Errors
/// [`ReadError`] with line and column: no header, ragged lines, text that is not UTF-8, cells that are not numbers, too much of anything.
pub fn csv(source: &str, bytes: &[u8], mapping: &Mapping) -> Result<Table, ReadError> {
    check_size(source, bytes)?;
    let mut lines = Lines::new(source, bytes)?;
    let (header_line, header) = lines
        .next()?
        .ok_or_else(|| ReadError::whole(source, "no header: the file has no line but comments"))?;
    if header.len() > COLUMNS_MAX {
        return Err(ReadError::at(
            source,
            header_line,
            format!("{} columns; at most {COLUMNS_MAX}", header.len()),
        ));
    }
    if let Some(name) = header.iter().find(|name| name.len() > NAME_MAX) {
        let what =
            format!("a column's name of {} bytes, at most {NAME_MAX}: \"{}\"", name.len(), shown(name));
        return Err(ReadError::at(source, header_line, what));
    }
    lines.expect(&header);
    if long::is_header(&header) && !mapping.names_columns() {
        return with_constants(long::read(source, &header, lines)?, mapping);
    }
    let columns = mapping.resolve(&header).map_err(|what| ReadError::at(source, header_line, what))?;
    let mut table = Table { source: source.to_owned(), ..Table::default() };
    for column in &columns {
        match &column.role {
            Some(_) => table.columns.push((column.name.clone(), column.role_name.clone())),
            None => table.unknown_columns.push(shown(&column.name)),
        }
    }
    if table.columns.iter().all(|(_, role)| role == "label" || role == "knob") {
        let what = "no column with a figure is known: tell them with --columns ROLE=COLUMN,…";
        return Err(ReadError::at(source, header_line, what));
    }
    let head = Head { figures: figures(&columns), columns: &columns, mapping };
    while let Some((line, cells)) = lines.next()? {
        if table.rows.len() == ROWS_MAX {
            return Err(ReadError::at(
                source,
                line,
                format!("more than {ROWS_MAX} rows: audit a part of it"),
            ));
        }
        if (table.rows.len() + 1) * columns.len() > CELLS_MAX {
            return Err(ReadError::at(
                source,
                line,
                format!("more than {CELLS_MAX} cells: audit a part of it"),
            ));
        }
        table.rows.push(row(source, line, &head, &cells)?);
    }
    if table.rows.is_empty() {
        return Err(ReadError::at(source, header_line, "a header and no rows"));
    }
    Ok(table)
}

fn is_empty(cell: &str) -> bool {
    EMPTY.contains(&cell.to_ascii_lowercase().as_str())
}

/// What every row is read by.
struct Head<'a> {
    columns: &'a [Column],
    figures: Vec<Figure>,
    mapping: &'a Mapping,
}

fn row(source: &str, line: u64, head: &Head<'_>, cells: &[String]) -> Result<Row, ReadError> {
    let Head { columns, figures, mapping } = head;
    let mut row = Row { place: format!("line {line}"), ..Row::default() };
    let mut label: Vec<&str> = Vec::new();
    mapping.say_of(&mut row).map_err(|what| ReadError::whole(source, what))?;
    for (column, cell) in columns.iter().zip(cells) {
        let Some(role) = &column.role else { continue };
        if is_empty(cell) && !role.is_level(cell) {
            continue;
        }
        role.apply(&mut row, cell)
            .map_err(|what| ReadError::at(source, line, what).in_column(shown(&column.name)))?;
        if *role == Role::Label {
            label.push(cell);
        }
        if role.is_knob() {
            row.setting.knobs.insert(column.name.clone(), cell.clone());
        }
    }
    row.estimates = estimates(columns, figures, cells)
        .map_err(|(what, column)| ReadError::at(source, line, what).in_column(column))?;
    // A table about page reads (page 000) has no pattern column; its rates are of reads.
    if row.setting.direction.is_none() && columns.iter().any(|column| column.name == "read_iops_mean") {
        row.setting.direction = Some(Direction::Read);
    }
    if row.setting.arrivals.is_none() && columns.iter().any(|column| column.role_name == "rate_iops") {
        row.setting.arrivals = Some(Arrivals::Closed);
    }
    row.label = if label.is_empty() { settings_label(&row) } else { label.join(" ") };
    Ok(row)
}

/// A label from what tells rows apart, if none is given.
fn settings_label(row: &Row) -> String {
    let setting = &row.setting;
    let knobs = setting.knobs.iter().map(|(name, value)| format!("{name}={value}"));
    let mode = setting.mode.map(|mode| mode.name().to_owned());
    let parts: Vec<String> = setting.pattern.clone().into_iter().chain(mode).chain(knobs).collect();
    parts.join(" ")
}

type Misfit = (String, String);

/// Figures without a field of their own, and every figure that has a spread.
fn estimates(columns: &[Column], figures: &[Figure], cells: &[String]) -> Result<Vec<Estimate>, Misfit> {
    let number = |index: usize| -> Result<Option<Printed>, Misfit> {
        if is_empty(&cells[index]) {
            return Ok(None);
        }
        printed(&cells[index]).map(Some).map_err(|what| (what, shown(&columns[index].name)))
    };
    let spread = |(place, kind): (usize, SpreadKind)| -> Result<Option<Spread>, Misfit> {
        let of = |figure: Printed| Spread {
            column: columns[place].name.clone(),
            kind,
            value: figure.value,
            resolution: figure.step,
        };
        Ok(number(place)?.map(of))
    };
    let median = |place: usize| -> Result<Option<Median>, Misfit> {
        let of = |figure: Printed| Median {
            column: columns[place].name.clone(),
            value: figure.value,
            step: figure.step,
        };
        Ok(number(place)?.map(of))
    };
    let estimate = |figure: &Figure| {
        let column = &columns[figure.column];
        let value = number(figure.column)?;
        Ok(Estimate {
            column: column.name.clone(),
            same_as: (column.role != Some(Role::Figure)).then(|| column.role_name.clone()),
            value: value.map(|figure| figure.value),
            spread: figure.spread.map(spread).transpose()?.flatten(),
            median: figure.median.map(median).transpose()?.flatten(),
            step: value.map_or(0.0, |figure| figure.step),
        })
    };
    figures.iter().map(estimate).collect()
}
