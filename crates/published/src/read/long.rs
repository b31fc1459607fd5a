//! Syncline's long export: one line per trial and metric.

use super::configurations::{Configurations, TrialFigures};
use super::error::ReadError;
use super::limits::CELLS_MAX;
use super::lines::Lines;
use crate::cell::Cell;
use crate::table::Table;
use std::collections::BTreeMap;

const BEFORE: &[&str] = &["study", "round", "position", "warmup", "duplicate", "outcome"];
/// The last key, which older exports do not have.
const BLOCK: &str = "block";
const AFTER: &[&str] = &["phase", "metric", "unit", "value", "reason"];

/// Whether a header is the long export's: its keys, any parameters, its figures.
pub(super) fn is_header(header: &[String]) -> bool {
    let same = |cells: &[String], names: &[&str]| cells.iter().zip(names).all(|(cell, name)| cell == name);
    header.len() >= BEFORE.len() + AFTER.len()
        && same(&header[..BEFORE.len()], BEFORE)
        && same(&header[header.len() - AFTER.len()..], AFTER)
}

/// One row per study and configuration: means over its trials.
pub(super) fn read(source: &str, header: &[String], mut lines: Lines<'_>) -> Result<Table, ReadError> {
    let figures_at = header.len() - AFTER.len();
    let parameters_at = BEFORE.len() + usize::from(header[BEFORE.len()] == BLOCK);
    let parameters = &header[parameters_at..figures_at];
    let mut configurations = Configurations::default();
    let mut kept = 0;
    // Lines of one trial follow each other.
    let mut current: Option<(Vec<String>, TrialFigures)> = None;
    while let Some((line, cells)) = lines.next()? {
        if cells[3] == "true" || cells[4] == "true" || cells[5] != "ok" {
            continue;
        }
        let key = &cells[..figures_at];
        if current.as_ref().is_none_or(|(known, _)| known != key) {
            if let Some((_, trial)) = current.take() {
                configurations.add(trial);
            }
            let levels = parameters.iter().zip(&cells[parameters_at..]).filter(|(_, cell)| !cell.is_empty());
            let levels: BTreeMap<String, String> =
                levels.map(|(name, cell)| (name.clone(), cell.clone())).collect();
            let trial = TrialFigures { study: cells[0].clone(), levels, metrics: BTreeMap::new() };
            current = Some((key.to_vec(), trial));
            kept += parameters.len();
        }
        let (metric, figure) = (&cells[figures_at + 1], &cells[figures_at + 3]);
        if let Some((_, trial)) = current.as_mut().filter(|_| !metric.is_empty() && !figure.is_empty()) {
            // A share may be negative (more read ahead than used); this reader does not judge the reason for the sign.
            let number = Cell::plain(figure.strip_prefix('-').unwrap_or(figure))
                .positive()
                .map_err(|what| ReadError::at(source, line, what).in_column("value"))?;
            let sign = if figure.starts_with('-') { -1.0 } else { 1.0 };
            kept += 1;
            trial.metrics.entry(metric.clone()).or_insert(sign * number);
        }
        if kept > 2 * CELLS_MAX {
            let what = "more parameters and figures than are kept: audit one study at a time";
            return Err(ReadError::at(source, line, what));
        }
    }
    if let Some((_, trial)) = current {
        configurations.add(trial);
    }
    let rows = configurations.rows();
    if rows.is_empty() {
        return Err(ReadError::whole(source, "none of its trials succeeded"));
    }
    let columns = header.iter().map(|name| (name.clone(), "long export".to_owned())).collect();
    let mut remarks = vec!["Syncline's long export: rows are means over the trials that count.".to_owned()];
    remarks.extend(configurations.undescribed());
    remarks.extend(configurations.left_out());
    Ok(Table { source: source.to_owned(), columns, remarks, rows, ..Table::default() })
}
