//! Little's law: operations per second × mean latency = operations in flight (Little 1961), and no more can be in flight
//! than depth × jobs.
//!
//! If only percentiles are published, the mean has a lower bound by them (at least half of the median): page 000's
//! buffered rows exceed 32 reads in flight even by that bound.
//!
//! The law holds run by run. For a row that is a mean of known runs it is applied to each of them: rate and
//! latency move against each other, and the product of their means is more than was in flight.
//!
//! fio's `lat` ends before the `fsync` or `fdatasync` that follows a write. A loop that syncs by calls of its own has its
//! slots empty while they last, so their time counts if it is published; if it is not, only too many in flight can be
//! detected.

use super::derived_latency;
use super::in_flight::InFlight;
use super::judgement::{Judgement, Words};
use super::readings::{Concern, MEASURED, Reading, Readings};
use crate::table::{Arrivals, Direction, Row, Sync, Table};
use model::units::format_significant;
use stats::littles_law::littles_law;
use verdict::Status;

/// Excess over what rounding explains, beyond which something is off.
const WARN_BEYOND: f64 = 0.03;
/// Excess beyond which one of the figures is wrong.
const FAIL_BEYOND: f64 = 0.08;
/// A closed loop keeps its slots full but for its own work between operations.
const CLOSED_LOOP_MIN: f64 = 0.5;

pub(super) fn check(table: &Table) -> Judgement {
    let derived = derived_latency::rows(table);
    let mut readings = Readings::default();
    for (row, published) in table.rows.iter().enumerate().filter(|(row, _)| !derived.contains(row)) {
        if let Some((status, text)) = read(published) {
            readings.add(table, Reading { row, concern: Concern::Kinds(MEASURED), status, text });
        }
    }
    let open = table.rows.iter().filter(|row| row.setting.arrivals == Some(Arrivals::Open)).count();
    let words = Words {
        pass: format!(
            "Rate × mean latency fits the operations that can be in flight in {}.",
            readings.read()
        ),
        off: format!("Rate × mean latency does not fit the operations in flight in {}.", readings.share()),
        advice: "Rate, latency or number in flight comes from somewhere else: run the row again and publish the whole \
                 output of one run.",
        missing: "No row gives a rate, a latency and the operations that can be in flight (iodepth × numjobs).",
    };
    let judgement = Judgement::from_readings(readings, words);
    let left_out = format!(
        "{} of an open loop are left out: their latency includes the wait before the submission.",
        super::readings::count(open, "row")
    );
    judgement.with((open > 0).then_some(left_out))
}

fn read(row: &Row) -> Option<(Status, String)> {
    if row.setting.arrivals == Some(Arrivals::Open) {
        return None;
    }
    let possible = row.setting.in_flight_possible()?;
    let found = InFlight::from_row(row)?;
    // As many as were in flight during a second each, as long as a second each.
    let law = littles_law(found.operations, 1.0, possible as f64, WARN_BEYOND)?;
    let least = law.ratio * (1.0 - found.rounding);
    let occupied = law.ratio * (1.0 + found.rounding) + row.syncs_under_way.unwrap_or(0.0) / possible as f64;
    let has_sync_calls = row.setting.sync.map_or(row.setting.synced == Some(true), Sync::is_call);
    let is_sync_hidden = has_sync_calls && row.syncs_under_way.is_none() && !is_read_only(row);
    let is_told = row.setting.in_flight.is_none() && !row.setting.is_synchronous();
    let source = match (is_told, row.setting.iodepth, row.setting.numjobs) {
        (true, Some(depth), Some(jobs)) => {
            format!(" ({} × {depth})", super::readings::count(jobs as usize, "job"))
        }
        _ => String::new(),
    };
    let syncs = row.syncs_under_way.filter(|syncs| *syncs > 0.0);
    let syncs =
        syncs.map_or(String::new(), |syncs| format!(" beside {} in a sync", format_significant(syncs)));
    let text = format!("{}{syncs}, and {possible} are possible{source}.", found.words());
    let is_closed = row.setting.arrivals == Some(Arrivals::Closed) && !found.is_bound;
    let status = if least > 1.0 + FAIL_BEYOND {
        Status::Fail
    } else if least > 1.0 + WARN_BEYOND {
        Status::Warn
    } else if is_closed && occupied < CLOSED_LOOP_MIN {
        if is_sync_hidden {
            return None;
        }
        Status::Warn
    } else {
        Status::Pass
    };
    Some((status, text))
}

fn is_read_only(row: &Row) -> bool {
    row.setting.direction == Some(Direction::Read)
}
