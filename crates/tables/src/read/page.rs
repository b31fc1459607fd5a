//! A page that holds several tables and the output of programs: the rows of all of them, each with where it stands.

use super::constants::with_constants;
use super::context::{self, Command, Commands};
use super::device;
use super::error::ReadError;
use super::fio::{self, fio_json};
use super::grid::Grid;
use super::limits::ROWS_MAX;
use super::part::{Part, Piece};
use super::preformatted;
use super::program::{self, NumberedLine};
use super::rows::ReadGrid;
use crate::advice::CORRECT_A_GUESS;
use crate::hint::Facts;
use crate::mapping::Mapping;
use crate::number::Shown;
use crate::table::Table;
use laws::Claim;
use model::excerpt;
use model::figure::{agreeing, count};
use std::collections::BTreeSet;

/// Tables that are named as left out.
const LEFT_OUT_TOLD: usize = 6;

/// A table and the heading above it.
struct Found {
    heading: String,
    grid: Grid,
    /// The fio command above it.
    command: Option<Command>,
    /// Whether the page's author made it a table, and it is not taken for one by its layout.
    is_declared: bool,
}

/// The rows of a page with these parts.
///
/// # Errors
/// [`ReadError`]: nothing in it is a measurement, too much of anything, a mapping that does not fit.
pub(super) fn read(source: &str, parts: &[Part], mapping: &Mapping) -> Result<Table, ReadError> {
    let mut table = Table { source: source.to_owned(), ..Table::default() };
    let mut quoted = Quoted::default();
    quoted.programs(&mut table, parts);
    quoted.files(&mut table, parts);
    table = with_constants(table, mapping)?;
    let mut found = tables(parts, &quoted.lines);
    let around = found.iter().fold(Shown::default(), |all, found| all.and(found.grid.marks()));
    for found in &mut found {
        found.grid.around = around;
    }
    let headers = || found.iter().flat_map(|found| &found.grid.header);
    if let Some(what) = mapping.missing(headers()) {
        return Err(ReadError::whole(source, what));
    }
    add_all(&mut table, &found, &context::facts(parts), mapping)?;
    if !table.rows.is_empty() || !table.disks.is_empty() {
        return check_rows(source, table.rows.len()).map(|()| table);
    }
    Err(quoted.error.unwrap_or_else(|| {
        let what = format!(
            "no table with a column of rates, bandwidths or latencies, and no output of a known program ({}): give a \
             column its role",
            program::names()
        );
        ReadError::whole(source, what).needing_role()
    }))
}

/// What a page quotes beside its tables.
#[derive(Default)]
struct Quoted {
    /// Its lines: no table is looked for around them.
    lines: BTreeSet<u64>,
    /// The first that could not be read.
    error: Option<ReadError>,
}

impl Quoted {
    /// Outputs of programs, which may begin in one part and end in another.
    fn programs(&mut self, table: &mut Table, parts: &[Part]) {
        let lines: Vec<NumberedLine<'_>> = parts.iter().flat_map(Part::lines).collect();
        for (name, output) in program::read(&lines) {
            table.remarks.push(format!("Output of {name}: {}.", count(output.rows.len(), "row")));
            table.remarks.extend(output.remarks);
            self.lines.extend(output.lines);
            // A hundred thousand rows are moved, and not held twice.
            if table.rows.is_empty() {
                table.rows = output.rows;
            } else {
                table.rows.extend(output.rows);
            }
        }
    }

    /// Whole files: fio's JSON, and figures of disks for a scheduler.
    fn files(&mut self, table: &mut Table, parts: &[Part]) {
        for part in parts {
            let lines: Vec<NumberedLine<'_>> = part.lines().collect();
            let Some((first, _)) = lines.first() else { continue };
            let text = || lines.iter().map(|(_, line)| *line).collect::<Vec<_>>().join("\n");
            let is_fio = lines.iter().any(|(_, line)| fio::is_report(line.as_bytes()));
            let read = if is_fio {
                let report = fio_json(&table.source, text().as_bytes(), &Mapping::default());
                report.map(|report| {
                    table
                        .remarks
                        .push(format!("fio's JSON of line {first}: {}.", count(report.rows.len(), "row")));
                    table.remarks.extend(report.remarks);
                    let placed = |row: Claim| Claim { place: format!("line {first}, {}", row.place), ..row };
                    table.rows.extend(report.rows.into_iter().map(placed));
                })
            } else {
                let Some(disks) = device::read(&table.source, &lines) else { continue };
                disks.map(|disks| table.disks.extend(disks))
            };
            self.lines.insert(*first);
            if let Err(error) = read {
                table.remarks.push(format!("What line {first} begins is left out: {}.", error.what));
                self.error.get_or_insert(error);
            }
        }
    }
}

fn check_rows(source: &str, rows: usize) -> Result<(), ReadError> {
    if rows > ROWS_MAX {
        return Err(ReadError::whole(source, format!("more than {ROWS_MAX} rows: audit a part of it")));
    }
    Ok(())
}

/// Adds the rows of every table that measured something.
fn add_all(table: &mut Table, found: &[Found], facts: &Facts, mapping: &Mapping) -> Result<(), ReadError> {
    let source = table.source.clone();
    let mut count = table.rows.len();
    let mut left_out = Vec::new();
    let mut measured: Vec<(&Found, ReadGrid)> = Vec::new();
    for found in found {
        let line = found.grid.header_line;
        check_rows(&source, count + found.grid.lines.len())?;
        match (found.grid.read(&source, &mapping.of_header(&found.grid.header)), found.is_declared) {
            (Ok(read), _) if read.is_measured => {
                count += read.rows.len();
                measured.push((found, read));
            }
            (Ok(_), true) => left_out.push(line),
            (Err(error), true) => {
                table.remarks.push(format!("The table of line {line} is left out: {}.", error.what));
            }
            (Ok(_) | Err(_), _) => {}
        }
    }
    let are_several = measured.len() + usize::from(!table.rows.is_empty()) > 1;
    let has_guesses = measured.iter().any(|(_, read)| read.has_guesses);
    let mut of_text = BTreeSet::new();
    for (found, mut read) in measured {
        let taken = context::fill(&mut read.rows, &found.heading, found.command.as_ref(), facts);
        read.remarks.extend(taken.remarks);
        of_text.extend(taken.of_text);
        add(table, found, read, are_several);
    }
    table.remarks.extend(context::of_text(&of_text, facts));
    table.remarks.extend(has_guesses.then(|| CORRECT_A_GUESS.to_owned()));
    table.remarks.extend(told_left_out(&left_out));
    Ok(())
}

/// The tables of these parts; text with a program's output is not a table.
fn tables(parts: &[Part], taken: &BTreeSet<u64>) -> Vec<Found> {
    let mut tables = Vec::new();
    let mut commands = Commands::default();
    for part in parts {
        commands.read(part);
        let (grids, is_declared): (Vec<Grid>, bool) = match &part.piece {
            Piece::Table(grid) => (vec![grid.clone().headed().upright()], true),
            Piece::Preformatted(lines) if lines.iter().any(|line| taken.contains(&line.number)) => {
                commands.forget();
                continue;
            }
            Piece::Preformatted(_) => {
                let lines: Vec<NumberedLine<'_>> = part.lines().collect();
                (preformatted::grids(&lines).into_iter().map(Grid::headed).collect(), false)
            }
            Piece::Text(_) => continue,
        };
        for grid in grids {
            let command = commands.above(&part.heading);
            tables.push(Found { heading: part.heading.clone(), grid, command, is_declared });
        }
    }
    tables
}

fn add(table: &mut Table, found: &Found, read: ReadGrid, are_several: bool) {
    let line = found.grid.header_line;
    let place = match (are_several, found.heading.is_empty()) {
        (false, _) => String::new(),
        (true, true) => format!("Table of line {line}: "),
        (true, false) => format!("Table of line {line} ({}): ", excerpt(&found.heading)),
    };
    table.remarks.extend(read.remarks.into_iter().map(|remark| format!("{place}{remark}")));
    for name in read.columns {
        if !table.columns.contains(&name) {
            table.columns.push(name);
        }
    }
    for name in read.unknown_columns {
        if !table.unknown_columns.contains(&name) {
            table.unknown_columns.push(name);
        }
    }
    // Rows of different tables answer different questions.
    let study = are_several.then(|| {
        if found.heading.is_empty() {
            format!("line {line}")
        } else {
            format!("{} (line {line})", found.heading)
        }
    });
    table.rows.extend(read.rows.into_iter().map(|row| {
        let label = if row.label.is_empty() { found.heading.clone() } else { row.label };
        Claim { label, study: study.clone(), ..row }
    }));
}

fn told_left_out(lines: &[u64]) -> Option<String> {
    let told: Vec<String> = lines.iter().take(LEFT_OUT_TOLD).map(u64::to_string).collect();
    let more = lines.len().saturating_sub(LEFT_OUT_TOLD);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let (noun, verb) = if lines.len() == 1 { ("line", "The table") } else { ("lines", "Tables") };
    let is_or_are = agreeing(lines.len(), "is", "are");
    (!lines.is_empty()).then(|| {
        format!(
            "{verb} without rates, bandwidths or latencies {is_or_are} left out: {noun} {}{more}.",
            told.join(", ")
        )
    })
}
