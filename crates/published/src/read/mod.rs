//! Readers, one per format. Whatever bytes they are given, they answer with a table or one clear line.

mod configurations;
mod csv;
mod fio;
mod long;
mod repetitions;

pub use self::csv::csv;
pub use self::fio::fio_json;

use crate::mapping::Mapping;
use crate::table::Table;

/// Largest file that is read, bytes.
pub const BYTES_MAX: usize = 256 << 20;
/// Most lines of a CSV file.
pub const LINES_MAX: usize = 1_000_000;
/// Most rows of a table: a page that is read by people has hundreds.
pub const ROWS_MAX: usize = 100_000;
/// Most columns.
pub(crate) const COLUMNS_MAX: usize = 1024;
/// Longest name of a column, bytes.
pub(crate) const NAME_MAX: usize = 128;
/// Most cells that are kept: it bounds memory at some hundreds of MiB, whatever the file holds.
pub(crate) const CELLS_MAX: usize = 1_000_000;
/// Longest field, bytes.
pub(crate) const FIELD_MAX: usize = 4096;

/// What only fio's report holds.
const FIO_MARK: &[u8] = b"\"fio version\"";

/// What is wrong with a published file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {what}", place(source_name, *line), column.as_ref().map(|column| format!(", column {column}")).unwrap_or_default())]
pub struct ReadError {
    /// The file's name.
    pub source_name: String,
    /// The line, from 1.
    pub line: Option<u64>,
    /// The column's name, or its number from 1.
    pub column: Option<String>,
    /// What does not fit.
    pub what: String,
}

fn place(source: &str, line: Option<u64>) -> String {
    line.map_or_else(|| source.to_owned(), |line| format!("{source} line {line}"))
}

impl ReadError {
    pub(crate) fn whole(source: &str, what: impl Into<String>) -> Self {
        Self { source_name: source.to_owned(), line: None, column: None, what: what.into() }
    }

    pub(crate) fn at(source: &str, line: u64, what: impl Into<String>) -> Self {
        Self { line: Some(line), ..Self::whole(source, what) }
    }

    pub(crate) fn in_column(self, column: impl Into<String>) -> Self {
        Self { column: Some(column.into()), ..self }
    }
}

/// Reads fio's JSON or a CSV table, whichever the first character tells.
///
/// # Errors
/// [`ReadError`]: a file too large, or what its format's reader found.
pub fn read(source: &str, bytes: &[u8], mapping: &Mapping) -> Result<Table, ReadError> {
    let first = bytes.iter().copied().find(|byte| !byte.is_ascii_whitespace());
    // fio prints its warnings before the JSON.
    let is_json = first == Some(b'{') || bytes.windows(FIO_MARK.len()).any(|window| window == FIO_MARK);
    if is_json {
        return fio_json(source, bytes, mapping);
    }
    csv(source, bytes, mapping)
}

/// Refuses a mapping of columns for `what`, which has none.
fn refuse_columns(source: &str, what: &str, mapping: &Mapping) -> Result<(), ReadError> {
    if !mapping.names_columns() {
        return Ok(());
    }
    let advice = "leave --columns away, or write ROLE:VALUE for what holds for every row";
    Err(ReadError::whole(source, format!("{what} no columns to map: {advice}")))
}

/// The table with what was said of every row.
fn with_constants(mut table: Table, mapping: &Mapping) -> Result<Table, ReadError> {
    for row in &mut table.rows {
        mapping.say_of(row).map_err(|what| ReadError::whole(&table.source, what))?;
    }
    Ok(table)
}

/// Refuses what is too large to be read.
pub(crate) fn check_size(source: &str, bytes: &[u8]) -> Result<(), ReadError> {
    if bytes.is_empty() {
        return Err(ReadError::whole(source, "the file is empty"));
    }
    if bytes.len() > BYTES_MAX {
        return Err(ReadError::whole(
            source,
            format!("larger than {} MiB: give a part of it", BYTES_MAX >> 20),
        ));
    }
    Ok(())
}
