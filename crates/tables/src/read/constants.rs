//! Facts that hold for every row of a table, if a format has no columns to map.

use super::error::ReadError;
use crate::mapping::Mapping;
use crate::table::Table;

/// Refuses a mapping of columns for `what`, which has none.
pub(super) fn refuse_columns(source: &str, what: &str, mapping: &Mapping) -> Result<(), ReadError> {
    if !mapping.names_columns() {
        return Ok(());
    }
    let advice = "write ROLE:VALUE for what holds for every row";
    Err(ReadError::whole(source, format!("{what} no columns to map: {advice}")))
}

/// The table with what was stated about every row.
pub(super) fn with_constants(mut table: Table, mapping: &Mapping) -> Result<Table, ReadError> {
    for row in &mut table.rows {
        mapping.say_of(row).map_err(|what| ReadError::whole(&table.source, what))?;
    }
    Ok(table)
}
