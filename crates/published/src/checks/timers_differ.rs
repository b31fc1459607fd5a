//! Sync latencies that are compared between buffered and direct rows: under `O_DIRECT` the data has reached the drive before
//! the sync's timer starts, through the page cache the sync writes it. Only write and sync together compare; page 000 takes
//! its 3 × from the sync alone.

use super::judgement::{Judgement, Words};
use super::readings::{Concern, Reading, Readings};
use super::same_knobs::{Knobs, knobs};
use crate::table::{Row, Table, Timed};
use model::IoMode;
use model::units::format_significant;
use std::collections::BTreeMap;
use verdict::Status;

/// Factor between the two comparisons up to which the timers cover the same share of a commit.
const AGREE_WITHIN: f64 = 1.10;

pub(super) fn check(table: &Table) -> Judgement {
    let mut groups: BTreeMap<(Option<&str>, Knobs), Vec<usize>> = BTreeMap::new();
    for (index, row) in table.rows.iter().enumerate() {
        if row.sync.typical().is_some() && row.setting.mode.is_some() {
            let mut others = knobs(row);
            others.remove("mode");
            groups.entry((row.study.as_deref(), others)).or_default().push(index);
        }
    }
    let mut readings = Readings::default();
    let mut found: Vec<Reading> = groups.values().flat_map(|rows| compare(table, rows)).collect();
    found.sort_by_key(|reading| reading.row);
    for reading in found {
        readings.add(table, reading);
    }
    let words = Words {
        pass: format!("Sync and commit latencies agree between I/O modes in {}.", readings.read()),
        off: format!("A sync's timer covers different work in different I/O modes in {}.", readings.share()),
        advice: "Compare the latency of write and sync together (commit_latency), from the first submission to the \
                 acknowledgement; the sync alone compares within one I/O mode only.",
        missing: "No two rows that differ in being direct give a sync's latency.",
    };
    Judgement::from_readings(readings, words)
}

/// Each row that is not direct against the first that is.
fn compare(table: &Table, rows: &[usize]) -> Vec<Reading> {
    let is_direct = |index: &usize| table.rows[*index].setting.mode == Some(IoMode::Direct);
    let Some(direct) = rows.iter().copied().find(is_direct) else { return Vec::new() };
    let others = rows.iter().copied().filter(|index| !is_direct(index));
    let reading = |row: usize| {
        let (status, text) = judge(&table.rows[row], &table.rows[direct])?;
        Some(Reading { row, concern: Concern::Comparison, status, text })
    };
    others.filter_map(reading).collect()
}

fn judge(row: &Row, direct: &Row) -> Option<(Status, String)> {
    let (syncs, rounding) = ratio(row, direct, Timed::Sync)?;
    let told = format!("its sync takes {} × that of {}", format_significant(syncs), direct.name());
    let Some((commits, more)) = ratio(row, direct, Timed::Commit) else {
        let why = "but no latency of write and sync together is given: in one mode the sync includes the write of \
         the data.";
        return Some((Status::Warn, format!("{told}, {why}")));
    };
    let apart = (syncs / commits).ln().abs();
    let status = if apart > AGREE_WITHIN.ln() + rounding + more { Status::Warn } else { Status::Pass };
    Some((status, format!("{told}, write and sync together {} ×.", format_significant(commits))))
}

/// How many times longer it takes, by a figure that both rows give, and the share of it that is rounding.
fn ratio(row: &Row, direct: &Row, timed: Timed) -> Option<(f64, f64)> {
    let (name, ours) = row.latency_of(timed).typical()?;
    let theirs = direct.latency_of(timed).named(&name).filter(|value| *value > 0.0)?;
    let key = format!("{} {name}", timed.name());
    (ours > 0.0).then(|| (ours / theirs, row.rounding(&key, ours) + direct.rounding(&key, theirs)))
}
