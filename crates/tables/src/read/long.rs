//! Syncline's long export: one line per trial and metric.

use super::error::ReadError;
use super::limits::CELLS_MAX;
use super::lines::Lines;
use super::repetitions::{self, Single};
use crate::cell::Cell;
use crate::table::Table;
use laws::{Circumstances, Claim};
use model::study::ARM_FACTOR;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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

/// What one trial measured.
struct TrialFigures {
    study: String,
    /// Its parameters' levels, as they were printed.
    levels: BTreeMap<String, String>,
    metrics: BTreeMap<String, f64>,
}

/// One row per study and configuration: means over its trials.
pub(super) fn read(source: &str, header: &[String], mut lines: Lines<'_>) -> Result<Table, ReadError> {
    let figures_at = header.len() - AFTER.len();
    let parameters_at = BEFORE.len() + usize::from(header[BEFORE.len()] == BLOCK);
    let parameters = &header[parameters_at..figures_at];
    let mut trials: Vec<TrialFigures> = Vec::new();
    let mut kept = 0;
    // Lines of one trial follow each other.
    let mut current: Vec<String> = Vec::new();
    while let Some((line, cells)) = lines.next()? {
        if cells[3] == "true" || cells[4] == "true" || cells[5] != "ok" {
            continue;
        }
        if trials.is_empty() || current != cells[..figures_at] {
            current = cells[..figures_at].to_vec();
            let levels = parameters.iter().zip(&cells[parameters_at..]).filter(|(_, cell)| !cell.is_empty());
            let levels = levels.map(|(name, cell)| (name.clone(), cell.clone())).collect();
            trials.push(TrialFigures { study: cells[0].clone(), levels, metrics: BTreeMap::new() });
            kept += parameters.len();
        }
        let (metric, figure) = (&cells[figures_at + 1], &cells[figures_at + 3]);
        if let Some(trial) = trials.last_mut().filter(|_| !metric.is_empty() && !figure.is_empty()) {
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
    if trials.is_empty() {
        return Err(ReadError::whole(source, "none of its trials succeeded"));
    }
    let columns = header.iter().map(|name| (name.clone(), "long export".to_owned())).collect();
    let mut remarks = vec!["Syncline's long export: rows are means over the trials that count.".to_owned()];
    let singles = singles(&trials, &mut remarks);
    let stated: BTreeSet<String> = singles.iter().flat_map(|single| names(&single.row)).collect();
    let (rows, _) = repetitions::rows(singles);
    let place = |(index, row)| Claim { place: format!("configuration {}", index + 1), ..row };
    let rows: Vec<Claim> = rows.into_iter().enumerate().map(place).collect();
    remarks.extend(left_out(&stated, &rows));
    Ok(Table { source: source.to_owned(), columns, remarks, rows, ..Table::default() })
}

/// Each trial as a claim. The name of an arm is the study's own, and no parameter.
fn singles(trials: &[TrialFigures], remarks: &mut Vec<String>) -> Vec<Single> {
    let mut levels: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for trial in trials {
        for (name, level) in &trial.levels {
            levels.entry((&trial.study, name)).or_default().insert(level);
        }
    }
    let single = |trial: &TrialFigures| {
        let is_named = |name: &String| levels[&(trial.study.as_str(), name.as_str())].len() > 1;
        let mut parameters = trial.levels.clone();
        parameters.remove(ARM_FACTOR);
        let value = |name: &str| trial.metrics.get(name).copied().filter(|value| value.is_finite());
        let claim = match workload::export::describe(&parameters) {
            Ok(description) => verdict::claim(&description, &value),
            Err(what) => {
                let remark = format!(
                    "The settings of study {} are unknown here: {what}. Its rows are judged by their figures.",
                    trial.study
                );
                if !remarks.contains(&remark) {
                    remarks.push(remark);
                }
                Claim::default()
            }
        };
        let knobs = Arc::new(trial.levels.clone());
        let label = format!("{} {}", trial.study, label(&trial.levels, is_named)).trim().to_owned();
        let setting =
            Circumstances { knobs, knobs_are_complete: claim.setting.numjobs.is_some(), ..claim.setting };
        let row = Claim { label, study: Some(trial.study.clone()), setting, ..claim };
        let key = format!("{}\n{}", trial.study, self::label(&trial.levels, |_| true));
        Single { key: Some(key), number: 1, ending: "", row }
    };
    trials.iter().map(single).collect()
}

/// These of the levels, as `name=level` pairs.
fn label(levels: &BTreeMap<String, String>, is_named: impl Fn(&String) -> bool) -> String {
    let named = levels.iter().filter(|(name, _)| is_named(name));
    named.map(|(name, level)| format!("{name}={level}")).collect::<Vec<_>>().join(" ")
}

fn names(row: &Claim) -> impl Iterator<Item = String> {
    row.numbers().into_iter().map(|number| number.name)
}

/// A sentence about figures that some of a row's trials have and some do not.
fn left_out(stated: &BTreeSet<String>, rows: &[Claim]) -> Option<String> {
    let kept: BTreeSet<String> = rows.iter().flat_map(names).collect();
    let names: Vec<&str> = stated.difference(&kept).map(String::as_str).collect();
    (!names.is_empty())
        .then(|| format!("Left out of rows where not every trial could give them: {}.", names.join(", ")))
}
