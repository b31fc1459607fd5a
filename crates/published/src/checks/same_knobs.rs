//! Rows that are compared and differ in more than one knob: which of them made the difference is unknown. Page 001
//! compares 12 jobs without a memory cap with 8 jobs under one.
//!
//! Rows of one access pattern are taken to be compared. They form a graph with an edge if two rows differ in one knob
//! only; if it falls apart, rows of different parts cannot be compared, step by step or at once.

use super::judgement::Judgement;
use super::readings::{Concern, Reading, Readings, count};
use crate::table::{Comparison, Row, Table};
use model::units::format_bytes;
use std::collections::BTreeMap;
use verdict::Status;

/// Settings that are looked at for the closest pair between two parts.
const PAIRS_MAX: usize = 300;
/// Parts of one access pattern whose closest pair is reported.
const BREAKS_TOLD: usize = 10;

const ADVICE: &str = "Run the missing arm: the same settings except the knob in question. Until then the effect of \
 either knob is unknown.";

pub(super) type Knobs = BTreeMap<String, String>;

pub(super) fn check(table: &Table) -> Judgement {
    let mut groups: BTreeMap<Comparison<'_>, Vec<usize>> = BTreeMap::new();
    for (index, row) in table.rows.iter().enumerate() {
        groups.entry(row.comparison()).or_default().push(index);
    }
    let mut evidence = Vec::new();
    let mut readings = Readings::default();
    let (mut compared, mut breaks) = (0, 0);
    for rows in groups.values().filter(|rows| rows.len() > 1) {
        let (firsts, knobs): (Vec<usize>, Vec<Knobs>) = distinct(table, rows).into_iter().unzip();
        if knobs.iter().all(Knobs::is_empty) {
            continue;
        }
        compared += rows.len();
        let parts = parts(&knobs);
        let broken = broken(&parts);
        breaks += broken.len();
        for (first, second) in broken.into_iter().take(BREAKS_TOLD) {
            let Some((a, b)) = closest(&knobs, &parts, first, second) else { continue };
            let text = format!(
                "differs from {} in {}.",
                table.rows[firsts[b]].name(),
                difference(&knobs[a], &knobs[b])
            );
            evidence.push(format!("{}: {text}", table.rows[firsts[a]].name()));
            readings.add(
                table,
                Reading { row: firsts[a], concern: Concern::Comparison, status: Status::Warn, text },
            );
        }
    }
    if compared == 0 {
        return Judgement::new(
            Status::NotAssessable,
            "No two rows of one access pattern give their settings.",
            "",
        );
    }
    if evidence.is_empty() {
        let what = format!("{} can be compared one knob at a time.", count(compared, "row"));
        return Judgement::new(Status::Pass, what, "");
    }
    let summary = format!(
        "Rows of one access pattern differ in more than one knob: steps of one knob do not lead from the first row \
         to {}.",
        count(breaks, "other group")
    );
    if breaks > evidence.len() {
        evidence.push(format!("… and {} more.", breaks - evidence.len()));
    }
    Judgement {
        readings: readings.into_list(),
        ..Judgement::new(Status::Warn, summary, ADVICE).with(evidence)
    }
}

/// The settings of these rows, each once and behind the first row that has them: a hundred thousand rows may have the same.
fn distinct(table: &Table, rows: &[usize]) -> Vec<(usize, Knobs)> {
    let mut first: BTreeMap<Knobs, usize> = BTreeMap::new();
    for row in rows {
        first.entry(knobs(&table.rows[*row])).or_insert(*row);
    }
    let mut distinct: Vec<(usize, Knobs)> = first.into_iter().map(|(knobs, row)| (row, knobs)).collect();
    distinct.sort_unstable_by_key(|(row, _)| *row);
    distinct
}

/// The settings of a row that somebody chose, as text.
pub(super) fn knobs(row: &Row) -> Knobs {
    let setting = &row.setting;
    if setting.knobs_are_complete {
        return Knobs::clone(&setting.knobs);
    }
    let size = |bytes: Option<u64>| bytes.map(format_bytes);
    let count = |count: Option<u64>| count.map(|count| count.to_string());
    let named = [
        ("mode", setting.mode.map(|mode| mode.name().to_owned())),
        ("block_bytes", size(setting.block_bytes)),
        ("iodepth", count(setting.iodepth)),
        ("numjobs", count(setting.numjobs)),
        ("in_flight", count(setting.in_flight)),
        ("ioengine", setting.engine.clone()),
        ("synced", setting.synced.map(|synced| synced.to_string())),
        ("sync", setting.sync.map(|sync| sync.name().to_owned())),
        ("log_mode", setting.log_mode.map(|mode| mode.name().to_owned())),
        ("passes", count(setting.passes)),
        ("cache_drops", count(setting.cache_drops)),
        ("file_bytes", size(setting.file_bytes)),
        ("memory_cap_bytes", size(setting.memory_cap_bytes)),
    ];
    let known = named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    known.chain(Knobs::clone(&setting.knobs)).collect()
}

/// The number of the part of each of these settings: those of one part are linked by steps of one knob.
fn parts(knobs: &[Knobs]) -> Vec<usize> {
    let mut part: Vec<usize> = (0..knobs.len()).collect();
    // What agrees in all knobs but one shares a text with that one left out.
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut names: Vec<&String> = knobs.iter().flat_map(Knobs::keys).collect();
    names.sort();
    names.dedup();
    for left_out in names {
        seen.clear();
        for (index, row) in knobs.iter().enumerate() {
            let others: Vec<String> = row
                .iter()
                .filter(|(name, _)| *name != left_out)
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let twin = *seen.entry(others.join("\n")).or_insert(index);
            let (a, b) = (root(&mut part, twin), root(&mut part, index));
            part[a.max(b)] = a.min(b);
        }
    }
    (0..knobs.len()).map(|index| root(&mut part, index)).collect()
}

/// The first of a part; paths are halved on the way.
fn root(part: &mut [usize], mut index: usize) -> usize {
    while part[index] != index {
        part[index] = part[part[index]];
        index = part[index];
    }
    index
}

/// Each part but the first, against the first.
fn broken(parts: &[usize]) -> Vec<(usize, usize)> {
    let mut roots = parts.to_vec();
    roots.sort_unstable();
    roots.dedup();
    roots.iter().skip(1).map(|other| (*other, roots[0])).collect()
}

/// The two of two parts that differ in the fewest knobs.
fn closest(knobs: &[Knobs], parts: &[usize], first: usize, second: usize) -> Option<(usize, usize)> {
    let of = |part: usize| (0..knobs.len()).filter(move |index| parts[*index] == part).take(PAIRS_MAX);
    let pairs = of(first).flat_map(|a| of(second).map(move |b| (a, b)));
    pairs.min_by_key(|(a, b)| differing(&knobs[*a], &knobs[*b]).len())
}

fn differing(a: &Knobs, b: &Knobs) -> Vec<(String, String, String)> {
    let mut names: Vec<&String> = a.keys().chain(b.keys()).collect();
    names.sort();
    names.dedup();
    let value = |knobs: &Knobs, name: &String| knobs.get(name).cloned().unwrap_or_else(|| "none".to_owned());
    let differing = names.into_iter().filter(|name| a.get(*name) != b.get(*name));
    differing.map(|name| (name.clone(), value(a, name), value(b, name))).collect()
}

fn difference(a: &Knobs, b: &Knobs) -> String {
    let told: Vec<String> = differing(a, b)
        .into_iter()
        .map(|(name, ours, theirs)| format!("{name} ({ours} against {theirs})"))
        .collect();
    told.join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Setting;

    /// A page with 99,000 results below one command kept the settings of each as texts of their own.
    #[test]
    fn rows_with_the_same_settings_have_them_once() {
        let row = |iodepth: u64| {
            let knobs = std::sync::Arc::new([("size".to_owned(), "1g".to_owned())].into());
            Row { setting: Setting { iodepth: Some(iodepth), knobs, ..Setting::default() }, ..Row::default() }
        };
        let rows: Vec<Row> = (0..1000).map(|index| row(if index < 998 { 1 } else { 2 })).collect();
        let table = Table { rows, ..Table::default() };
        let distinct = distinct(&table, &(0..1000).collect::<Vec<_>>());
        let firsts: Vec<usize> = distinct.iter().map(|(row, _)| *row).collect();
        assert_eq!(firsts, [0, 998]);
        assert_eq!(check(&table).audit.status, Status::Pass);
    }
}
