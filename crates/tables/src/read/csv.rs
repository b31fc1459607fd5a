//! Plain CSV tables: RFC 4180 with commas, semicolons or tabs; lines that start with `#` are comments.

use super::constants::with_constants;
use super::error::ReadError;
use super::grid::{Grid, Misfits};
use super::limits::{CELLS_MAX, COLUMNS_MAX, NAME_MAX, ROWS_MAX, check_size};
use super::lines::Lines;
use super::long;
use crate::advice::CORRECT_A_GUESS;
use crate::mapping::Mapping;
use crate::number::Shown;
use crate::table::Table;
use model::excerpt;

/// Reads a table. What a column means comes from `mapping` and, where that is silent, from the header; Syncline's long
/// export (one line per trial and metric) is recognised and needs no mapping.
///
/// # Errors
/// [`ReadError`] with line and column: no header, ragged lines, text that is not UTF-8, cells that are not numbers, too
/// much of anything.
pub fn csv(source: &str, bytes: &[u8], mapping: &Mapping) -> Result<Table, ReadError> {
    check_size(source, bytes)?;
    let mut lines = Lines::new(source, bytes)?;
    let (header_line, header) = header(source, &mut lines)?;
    if long::is_header(&header) && !mapping.names_columns() {
        return with_constants(long::read(source, &header, lines)?, mapping);
    }
    let grid = grid(source, header_line, header, lines)?;
    let read = grid.read(source, mapping)?;
    if read.columns.iter().all(|(_, role)| role == "label" || role == "knob") {
        let what = "Syncline knows none of these columns as a figure: give one its role";
        return Err(ReadError::at(source, grid.header_line, what).needing_role());
    }
    let hint = read.has_guesses.then(|| CORRECT_A_GUESS.to_owned());
    Ok(Table {
        source: source.to_owned(),
        columns: read.columns,
        unknown_columns: read.unknown_columns,
        remarks: read.remarks.into_iter().chain(hint).collect(),
        rows: read.rows,
        ..Table::default()
    })
}

fn header(source: &str, lines: &mut Lines<'_>) -> Result<(u64, Vec<String>), ReadError> {
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
            format!("a column's name of {} bytes, at most {NAME_MAX}: \"{}\"", name.len(), excerpt(name));
        return Err(ReadError::at(source, header_line, what));
    }
    lines.expect(&header);
    Ok((header_line, header))
}

fn grid(
    source: &str,
    header_line: u64,
    header: Vec<String>,
    mut lines: Lines<'_>,
) -> Result<Grid, ReadError> {
    let mut grid =
        Grid { header_line, header, lines: Vec::new(), misfits: Misfits::Refuse, around: Shown::default() };
    while let Some((line, cells)) = lines.next()? {
        if grid.lines.len() == ROWS_MAX {
            let what = format!("more than {ROWS_MAX} rows: audit a part of it");
            return Err(ReadError::at(source, line, what));
        }
        if (grid.lines.len() + 1) * grid.header.len() > CELLS_MAX {
            let what = format!("more than {CELLS_MAX} cells: audit a part of it");
            return Err(ReadError::at(source, line, what));
        }
        grid.lines.push((line, cells));
    }
    if grid.lines.is_empty() {
        return Err(ReadError::at(source, header_line, "a header and no rows"));
    }
    Ok(grid.units_in_cells())
}
