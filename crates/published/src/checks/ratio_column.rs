//! Speed-ups that do not follow from the figures beside them: `1.8×` where the rates are 2.3 apart.
//!
//! The row with 1.0 is the baseline. The ratios are those of the figure that most rows agree with; if none is, they are of something
//! that is not published.

use super::judgement::{Judgement, Words};
use super::readings::{Concern, Reading, Readings};
use crate::table::{Row, Table};
use model::units::format_significant;
use std::collections::{BTreeMap, BTreeSet};
use verdict::Status;

/// Words of a column of ratios.
const NAMES: &[&str] =
    &["speedup", "speed-up", "relative", "vs ", "vs. ", "baseline", "faster", "improvement"];
/// Disagreement that rounding of both does not explain.
const WITHIN: f64 = 0.03;
/// Rows that must agree with a figure for the others to be wrong.
const ROWS_MIN: usize = 2;

pub(super) fn check(table: &Table) -> Judgement {
    let mut groups: BTreeMap<(Option<&str>, &str), Vec<usize>> = BTreeMap::new();
    for (index, row) in table.rows.iter().enumerate() {
        for estimate in row.estimates.iter().filter(|estimate| estimate.same_as.is_none()) {
            let name = estimate.column.to_lowercase();
            if NAMES.iter().any(|known| name.contains(known)) && estimate.value.is_some() {
                groups.entry((row.study.as_deref(), &estimate.column)).or_default().push(index);
            }
        }
    }
    let mut found: Vec<Reading> =
        groups.iter().flat_map(|((_, column), rows)| judge(table, column, rows)).collect();
    found.sort_by_key(|reading| reading.row);
    let mut readings = Readings::default();
    for reading in found {
        readings.add(table, reading);
    }
    let words = Words {
        pass: format!("The ratios follow from the figures beside them in {}.", readings.read()),
        off: format!("A ratio does not follow from the figures beside it in {}.", readings.share()),
        advice: "Compute it again from the figures, or find out which of them belongs to another run.",
        missing: "No table has a column of ratios with a baseline and a figure that they follow from.",
    };
    Judgement::from_readings(readings, words)
}

/// A ratio with how far it was rounded.
struct Ratio {
    row: usize,
    value: f64,
    step: f64,
}

fn judge(table: &Table, column: &str, rows: &[usize]) -> Vec<Reading> {
    let ratio = |row: usize| {
        let estimate = table.rows[row].estimates.iter().find(|estimate| estimate.column == column)?;
        Some(Ratio { row, value: estimate.value?, step: estimate.step })
    };
    let ratios: Vec<Ratio> = rows.iter().filter_map(|row| ratio(*row)).collect();
    let mut bases = ratios.iter().filter(|ratio| (ratio.value - 1.0).abs() < f64::EPSILON);
    let (Some(base), None) = (bases.next(), bases.next()) else { return Vec::new() };
    let others: Vec<&Ratio> = ratios.iter().filter(|ratio| ratio.row != base.row).collect();
    let candidates = figures(&table.rows[base.row]).into_iter().filter(|(name, _)| name != column);
    let judged = candidates.flat_map(|(name, base)| {
        [true, false].map(|is_more| {
            let holds = |ratio: &&Ratio| follows(&table.rows[ratio.row], ratio, &name, base, is_more);
            let held: Vec<Option<bool>> = others.iter().map(holds).collect();
            (name.clone(), held)
        })
    });
    let agreeing = |held: &[Option<bool>]| held.iter().filter(|holds| **holds == Some(true)).count();
    let Some((name, held)) = judged.max_by_key(|(_, held)| agreeing(held)) else { return Vec::new() };
    if agreeing(&held) < ROWS_MIN || 2 * agreeing(&held) < held.len() {
        return Vec::new();
    }
    let names = BTreeSet::from([column.to_owned()]);
    let reading = |(ratio, holds): (&&Ratio, Option<bool>)| {
        let status = if holds? { Status::Pass } else { Status::Warn };
        let base = table.rows[base.row].name();
        let text =
            format!("{} is not the ratio of {name} to that of {base}.", format_significant(ratio.value));
        Some(Reading { row: ratio.row, concern: Concern::Names(names.clone()), status, text })
    };
    others.iter().zip(held).filter_map(reading).collect()
}

/// Whether a ratio is this figure's to the baseline's, or the other way round for times.
fn follows(row: &Row, ratio: &Ratio, name: &str, base: (f64, f64), is_more: bool) -> Option<bool> {
    let (_, (value, step)) = figures(row).into_iter().find(|(known, _)| known == name)?;
    let of_figures = if is_more { value / base.0 } else { base.0 / value };
    let rounding = step / value + base.1 / base.0 + ratio.step / ratio.value;
    Some((of_figures / ratio.value - 1.0).abs() <= WITHIN + rounding)
}

/// The figures that ratios may be of, with the step of their last digit.
fn figures(row: &Row) -> Vec<(String, (f64, f64))> {
    let own = [
        ("iops", row.operations_per_s),
        ("bandwidth", row.bandwidth_bytes_per_s),
        ("commits", row.commits_per_s),
        ("latency mean", row.latency.mean_ns),
    ];
    let own = own.into_iter().filter_map(|(name, value)| Some((name.to_owned(), (value?, row.step(name)))));
    let runtime = row.runtime_s.map(|seconds| ("runtime".to_owned(), (seconds, 0.0)));
    let others = row.estimates.iter().filter(|estimate| estimate.same_as.is_none());
    let others =
        others.filter_map(|estimate| Some((estimate.column.clone(), (estimate.value?, estimate.step))));
    let is_sound = |(_, (value, _)): &(String, (f64, f64))| *value > 0.0;
    own.chain(runtime).chain(others).filter(is_sound).collect()
}
