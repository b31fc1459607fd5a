//! Latencies whose unit is off by a thousand or a million: one operation at a time gives rate × latency = 1, so a product of 1000 in
//! row after row shows milliseconds in the header above microseconds.

use super::in_flight::InFlight;
use super::judgement::{Judgement, Words};
use super::readings::{Concern, Reading, Readings};
use crate::table::{Kind, Row, Table};
use verdict::Status;

/// Powers of ten between units of time.
const SLIPS: &[f64] = &[1e3, 1e6, 1e9, 1e-3, 1e-6];
/// A mean of rates and the reciprocal of a mean time differ by a few percent.
const WITHIN: f64 = 0.03;
/// Rounding beyond which a product may be a power of ten by chance, as a share.
const ROUNDING_MAX: f64 = 0.05;
/// Rows beyond a coincidence, and their share of all rows.
const ROWS_MIN: usize = 2;
const SHARE_MIN: f64 = 0.8;

pub(super) fn check(table: &Table) -> Judgement {
    let judged: Vec<(usize, Option<f64>, InFlight)> = table
        .rows
        .iter()
        .enumerate()
        .filter_map(|(index, row)| read(row).map(|(slip, found)| (index, slip, found)))
        .collect();
    let slipped = judged.iter().filter(|(_, slip, _)| slip.is_some()).count();
    let is_slip = slipped >= ROWS_MIN && slipped as f64 >= SHARE_MIN * judged.len() as f64;
    let mut readings = Readings::default();
    for (row, slip, found) in judged {
        let status = if is_slip && slip.is_some() { Status::Fail } else { Status::Pass };
        let text = format!(
            "{}: one operation at a time in a unit that is {} × off.",
            found.words(),
            slip.unwrap_or(1.0)
        );
        readings.add(table, Reading { row, concern: Concern::Kinds(&[Kind::LatencyMean]), status, text });
    }
    let words = Words {
        pass: format!("Rate × mean latency is not a power of a thousand in {}.", readings.read()),
        off: format!("The unit of the latency is wrong in {}.", readings.share()),
        advice: "Compare the latency with 1 / rate: the header's unit is not that of its figures.",
        missing: "No row gives a rate and a mean latency without what was in flight.",
    };
    Judgement::from_readings(readings, words)
}

/// The power of ten that rate × latency is, if any; rows that state what was in flight are Little's law's.
fn read(row: &Row) -> Option<(Option<f64>, InFlight)> {
    if row.setting.in_flight_possible().or(row.setting.numjobs).is_some_and(|possible| possible > 1) {
        return None;
    }
    let found = InFlight::from_row(row).filter(InFlight::is_printed)?;
    if found.rounding > ROUNDING_MAX {
        return None;
    }
    let is_near = |slip: &f64| (found.operations / slip - 1.0).abs() <= WITHIN + found.rounding;
    Some((SLIPS.iter().copied().find(is_near), found))
}
