//! Little's law: operations per second × mean latency = operations in flight (Little 1961), and no more can be in flight
//! than depth × jobs.
//!
//! Where only percentiles are published, the mean has a lower bound by them (at least half of the median): page 000's
//! buffered rows exceed 32 reads in flight even by that bound.
//!
//! The law holds run by run. Of a row that is a mean of runs known one by one it is taken for each of them: rate and
//! latency move against each other, and the product of their means is more than was in flight.

use super::{Judgement, Readings, Words};
use crate::latency::time;
use crate::table::{Arrivals, Row, Table};
use model::units::format_significant;
use stats::littles_law::littles_law;
use verdict::Status;

/// Excess that is rounding of published figures.
const WARN_BEYOND: f64 = 0.05;
/// Excess beyond which one of the figures is wrong.
const FAIL_BEYOND: f64 = 0.10;
/// A closed loop keeps its slots full but for its own work between operations.
const CLOSED_LOOP_MIN: f64 = 0.5;

pub(super) fn check(table: &Table) -> Judgement {
    let readings = Readings::of(table, super::MEASURED, read);
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
    let judgement = Judgement::of(readings, words);
    let left_out = format!(
        "{} of an open loop are left out: their latency holds waiting before the submission.",
        super::count(open, "row")
    );
    judgement.with((open > 0).then_some(left_out))
}

fn read(row: &Row) -> Option<(Status, String)> {
    if row.setting.arrivals == Some(Arrivals::Open) {
        return None;
    }
    let rate = row.operations_per_s?;
    let possible = row.setting.in_flight_possible()?;
    let (mean_ns, is_bound) = match row.latency.mean_ns {
        Some(mean) => (mean, false),
        None => (row.latency.mean_at_least_ns()?, true),
    };
    let law = match row.in_flight_accounted {
        // As many as were in flight during a second each, as long as a second each.
        Some(accounted) => littles_law(accounted, 1.0, possible as f64, WARN_BEYOND)?,
        None => littles_law(rate, mean_ns / 1e9, possible as f64, WARN_BEYOND)?,
    };
    let source = match (row.setting.in_flight, row.setting.iodepth, row.setting.numjobs) {
        (None, Some(depth), Some(jobs)) => format!(" ({} × {depth})", super::count(jobs as usize, "job")),
        _ => String::new(),
    };
    let latency = if is_bound {
        format!("at least {} (the mean that its percentiles allow)", time(mean_ns))
    } else {
        time(mean_ns)
    };
    let by_run = if row.in_flight_accounted.is_some() { ", run by run," } else { "" };
    let text = format!(
        "{}/s × {latency}{by_run} = {} in flight, and {possible} are possible{source}.",
        format_significant(rate),
        format_significant(law.in_flight),
    );
    let is_closed = row.setting.arrivals == Some(Arrivals::Closed) && !is_bound;
    let status = if law.ratio > 1.0 + FAIL_BEYOND {
        Status::Fail
    } else if law.ratio > 1.0 + WARN_BEYOND || (is_closed && law.ratio < CLOSED_LOOP_MIN) {
        Status::Warn
    } else {
        Status::Pass
    };
    Some((status, text))
}
