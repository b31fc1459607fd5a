//! Plain CSV tables: RFC 4180 with commas, semicolons or tabs; lines that start with `#` are comments.

use super::{
    CELLS_MAX, COLUMNS_MAX, FIELD_MAX, LINES_MAX, NAME_MAX, ROWS_MAX, ReadError, check_size, long,
    with_constants,
};
use crate::cell::{Printed, printed, shown};
use crate::mapping::{Column, Figure, Mapping, figures};
use crate::role::Role;
use crate::table::{Arrivals, Direction, Estimate, Median, Row, Spread, SpreadKind, Table};
use ::csv::{ByteRecord, Reader, ReaderBuilder, Trim};

/// What people write into a cell that has no value.
const EMPTY: &[&str] = &["", "-", "—", "n/a", "na", "none"];

/// Reads a table. What a column means comes from `mapping` and, where that is silent, from the header; Syncline's long
/// export (one line per trial and metric) is recognised and needs no mapping.
///
/// # Errors
/// [`ReadError`] with line and column: no header, ragged lines, text that is not UTF-8, cells that are no numbers, too much of anything.
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

/// The lines of a table, checked: UTF-8, of the header's length, no field too long.
pub(super) struct Lines<'a> {
    source: &'a str,
    reader: Reader<&'a [u8]>,
    record: ByteRecord,
    header: Vec<String>,
    count: usize,
}

impl<'a> Lines<'a> {
    fn new(source: &'a str, bytes: &'a [u8]) -> Result<Self, ReadError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if bytes.contains(&0) {
            return Err(ReadError::whole(source, "it holds NUL bytes, so it is no text: UTF-8 is needed"));
        }
        let header =
            bytes.split(|byte| *byte == b'\n').find(|line| !line.starts_with(b"#") && !line.is_empty());
        let count =
            |delimiter: u8| header.map_or(0, |line| line.split(|byte| *byte == delimiter).count() - 1);
        let delimiter = if count(b',') > 0 || count(b';') + count(b'\t') == 0 {
            b','
        } else if count(b';') >= count(b'\t') {
            b';'
        } else {
            b'\t'
        };
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).comment(Some(b'#')).trim(Trim::All).delimiter(delimiter);
        let reader = builder.from_reader(bytes);
        Ok(Self { source, reader, record: ByteRecord::new(), header: Vec::new(), count: 0 })
    }

    /// From here on lines must be as long as this one.
    fn expect(&mut self, header: &[String]) {
        self.header = header.to_vec();
    }

    /// The next line's number and cells.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Vec<String>)>, ReadError> {
        let before = self.reader.position().line();
        let found = self.reader.read_byte_record(&mut self.record);
        let more = found.map_err(|error| ReadError::at(self.source, before, error.to_string()))?;
        if !more {
            return Ok(None);
        }
        let line = self.record.position().map_or(before, ::csv::Position::line);
        self.count += 1;
        if self.count > LINES_MAX + 1 {
            return Err(ReadError::at(
                self.source,
                line,
                format!("more than {LINES_MAX} lines: audit a part of it"),
            ));
        }
        let known = self.header.len();
        if known > 0 && self.record.len() != known {
            let what = format!("{} cells where the header has {known}", self.record.len());
            return Err(ReadError::at(self.source, line, what));
        }
        let cells = self.record.iter().enumerate().map(|(index, field)| self.text(line, index, field));
        Ok(Some((line, cells.collect::<Result<_, _>>()?)))
    }

    fn text(&self, line: u64, index: usize, field: &[u8]) -> Result<String, ReadError> {
        let column = || self.header.get(index).map_or_else(|| (index + 1).to_string(), |name| shown(name));
        let error = |what: String| ReadError::at(self.source, line, what).in_column(column());
        if field.len() > FIELD_MAX {
            return Err(error(format!(
                "{} bytes in one cell, at most {FIELD_MAX}; a quote may be left open",
                field.len()
            )));
        }
        let text = std::str::from_utf8(field);
        text.map(str::to_owned).map_err(|_| error("not UTF-8: convert the file".to_owned()))
    }
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

/// A label from what tells rows apart, where none is given.
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
