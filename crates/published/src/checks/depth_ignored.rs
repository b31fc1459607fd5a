//! A depth given to an engine that waits for each operation: one was in flight, whatever the column says (fio HOWTO,
//! `iodepth`).

use super::judgement::{Judgement, Words};
use super::readings::{Concern, Reading, Readings};
use crate::table::{Row, Table};
use std::collections::BTreeSet;
use verdict::Status;

pub(super) fn check(table: &Table) -> Judgement {
    let depths: BTreeSet<u64> = table
        .rows
        .iter()
        .filter(|row| row.setting.is_synchronous())
        .filter_map(|row| row.setting.iodepth)
        .collect();
    // Rows that differ in a depth that none of them had are a comparison of nothing.
    let off = if depths.len() > 1 { Status::Fail } else { Status::Warn };
    let mut readings = Readings::default();
    for (index, row) in table.rows.iter().enumerate() {
        if let Some((is_ignored, text)) = read(row) {
            let status = if is_ignored { off } else { Status::Pass };
            readings.add(table, Reading { row: index, concern: Concern::Comparison, status, text });
        }
    }
    let words = Words {
        pass: format!("The engine keeps the stated depth in {}.", readings.read()),
        off: format!("The engine ignores the stated depth in {}.", readings.share()),
        advice: "Read these rows as one operation in flight for each job; for more use io_uring or libaio with \
         direct I/O.",
        missing: "No row gives its engine and its depth.",
    };
    Judgement::from_readings(readings, words)
}

fn read(row: &Row) -> Option<(bool, String)> {
    let (engine, depth) = (row.setting.engine.as_ref()?, row.setting.iodepth?);
    let text = format!("{engine} has one operation in flight for each job, but the stated depth is {depth}.");
    Some((row.setting.is_synchronous() && depth > 1, text))
}
