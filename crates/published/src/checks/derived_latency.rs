//! Latencies that are the operations in flight divided by the rate: one measurement printed twice. Their product is the number in
//! flight by construction, as of pgbench's average without `-l`, so Little's law confirms nothing.
//!
//! In a measured closed loop the product falls short by the loop's own work, some tenths of a percent. If it is the stated number to
//! the last digit in every row, the latency was computed.

use super::in_flight::InFlight;
use super::judgement::{Judgement, Words};
use super::readings::{Concern, Reading, Readings};
use crate::table::{Arrivals, Row, Table};
use std::collections::BTreeSet;
use verdict::Status;

/// How far below the stated number measured products lie, as a share.
const SCATTER: f64 = 0.05;
/// Chance of measured figures lying like that, below which it is reported.
const CHANCE_MAX: f64 = 1e-3;

pub(super) fn check(table: &Table) -> Judgement {
    let status = if rows(table).is_empty() { Status::Pass } else { Status::Warn };
    let mut readings = Readings::default();
    for (row, (found, _)) in judged(table) {
        let text = format!("{}, exactly the stated number.", found.words());
        readings.add(table, Reading { row, concern: Concern::Comparison, status, text });
    }
    let words = Words {
        pass: format!("Rate and mean latency are separate measurements in {}.", readings.read()),
        off: format!("Rate and mean latency are one measurement printed twice in {}.", readings.share()),
        advice: "Treat them as one figure; their agreement confirms nothing. Publish latencies that were timed one by one.",
        missing: "No row gives a rate, a mean latency and the operations in flight, printed finely enough.",
    };
    Judgement::from_readings(readings, words)
}

/// The rows whose latency was computed from the rate.
pub(super) fn rows(table: &Table) -> BTreeSet<usize> {
    let judged = judged(table);
    let chance: f64 = judged.iter().map(|(_, (found, _))| chance(found)).product();
    let all_agree = judged.iter().all(|(_, (_, agrees))| *agrees);
    let is_derived = all_agree && chance < CHANCE_MAX;
    judged.into_iter().filter(|_| is_derived).map(|(row, _)| row).collect()
}

/// The chance that a measured product is the stated number but for rounding.
fn chance(found: &InFlight) -> f64 {
    (2.0 * found.rounding / SCATTER).min(1.0)
}

fn judged(table: &Table) -> Vec<(usize, (InFlight, bool))> {
    let rows = table.rows.iter().enumerate();
    rows.filter_map(|(index, row)| Some((index, read(row)?))).collect()
}

/// What is in flight, and whether it is what is stated.
fn read(row: &Row) -> Option<(InFlight, bool)> {
    if row.setting.arrivals == Some(Arrivals::Open) {
        return None;
    }
    let possible = row.setting.in_flight_possible().or(row.setting.numjobs)?;
    let found = InFlight::from_row(row).filter(InFlight::is_printed).filter(|found| chance(found) < 1.0)?;
    // A figure in full comes from a program, whose product is no matter of print.
    let is_rounded = found.rounding > 0.0;
    let agrees = found.is_exactly(possible as f64);
    is_rounded.then_some((found, agrees))
}
