//! Ranks that no published figure has the order of: a rank or a figure is wrong, or the ranking is by something that is not
//! published.

use super::judgement::{Judgement, Words};
use super::readings::{Concern, Reading, Readings};
use crate::table::{Row, Table};
use std::collections::{BTreeMap, BTreeSet};
use verdict::Status;

/// The numbers of one name, with the rank and the row of each.
type Ranked = Vec<(u64, usize, f64)>;

pub(super) fn check(table: &Table) -> Judgement {
    let mut groups: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
    for (index, row) in table.rows.iter().enumerate() {
        if row.rank.is_some() {
            groups.entry(row.study.as_deref()).or_default().push(index);
        }
    }
    let mut readings = Readings::default();
    let mut found: Vec<Reading> = groups.values().flat_map(|rows| judge(table, rows)).collect();
    found.sort_by_key(|reading| reading.row);
    for reading in found {
        readings.add(table, reading);
    }
    let words = Words {
        pass: format!("A published figure has the order of the ranks in {}.", readings.read()),
        off: format!("The ranks contradict the figures in {}.", readings.share()),
        advice: "Find out which of rank and figure is wrong, or what the ranking is by.",
        missing: "No two rows of a table have a rank and a figure.",
    };
    Judgement::from_readings(readings, words)
}

/// Each row whose neighbour in rank is on the wrong side, by the figure whose order comes closest to that of the ranks.
fn judge(table: &Table, rows: &[usize]) -> Vec<Reading> {
    let figures = figures(table, rows);
    let inverted = figures.iter().map(|(name, ranked)| (name, inversions(ranked)));
    let Some((name, inverted)) = inverted.min_by_key(|(_, inverted)| inverted.len()) else {
        return Vec::new();
    };
    let names = BTreeSet::from([name.clone()]);
    let mut readings = Vec::new();
    for row in rows.iter().copied() {
        let pair = inverted.iter().find(|(better, worse)| [*better, *worse].contains(&row));
        let text = pair.map_or(String::new(), |(better, worse)| {
            let rank = |row: usize| table.rows[row].rank.unwrap_or(0);
            let other = if row == *better { *worse } else { *better };
            let name_of_other = table.rows[other].name();
            format!(
                "rank {} and rank {} ({name_of_other}) have the other order by {name}.",
                rank(row),
                rank(other)
            )
        });
        let status = if pair.is_some() { Status::Warn } else { Status::Pass };
        readings.push(Reading { row, concern: Concern::Names(names.clone()), status, text });
    }
    readings
}

/// The figures that all of these rows have.
fn figures(table: &Table, rows: &[usize]) -> BTreeMap<String, Ranked> {
    let mut figures: BTreeMap<String, Ranked> = BTreeMap::new();
    for index in rows.iter().copied() {
        let row = &table.rows[index];
        for (name, value) in values(row) {
            figures.entry(name).or_default().push((row.rank.unwrap_or(0), index, value));
        }
    }
    figures.retain(|_, ranked| ranked.len() == rows.len() && ranked.len() > 1);
    for ranked in figures.values_mut() {
        ranked.sort_by_key(|(rank, ..)| *rank);
    }
    figures
}

fn values(row: &Row) -> Vec<(String, f64)> {
    let figures = [
        ("iops", row.operations_per_s),
        ("bandwidth", row.bandwidth_bytes_per_s),
        ("commits", row.commits_per_s),
        ("latency mean", row.latency.mean_ns),
    ];
    let own = figures.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let percentiles =
        row.latency.percentiles.iter().map(|known| (format!("latency {}", known.name()), known.value_ns));
    let others = row.estimates.iter().filter(|estimate| estimate.same_as.is_none());
    let others = others.filter_map(|estimate| Some((estimate.column.clone(), estimate.value?)));
    own.chain(percentiles).chain(others).collect()
}

/// Rows next to each other in rank whose figures have not the order that most pairs have; equal ones have both.
fn inversions(ranked: &Ranked) -> Vec<(usize, usize)> {
    let pairs = |is_off: fn(f64, f64) -> bool| -> Vec<(usize, usize)> {
        let off = ranked.array_windows().filter(|[a, b]| a.0 != b.0 && is_off(a.2, b.2));
        off.map(|[a, b]| (a.1, b.1)).collect()
    };
    let (rising, falling) = (pairs(|a, b| a > b), pairs(|a, b| a < b));
    if rising.len() < falling.len() { rising } else { falling }
}
