//! A latency that is 1 / rate although several threads worked at a time: it is the time per operation of all of them together,
//! and one operation took as many times longer as there were in flight (Little 1961).

use super::in_flight::InFlight;
use super::judgement::{Judgement, Words};
use super::readings::{Concern, Reading, Readings};
use crate::table::{Arrivals, Kind, Row, Table};
use verdict::Status;

/// Rounding beyond which one in flight looks like a few, as a share.
const ROUNDING_MAX: f64 = 0.05;
/// What a program's own rounding before it divides may add, as a share.
const WITHIN: f64 = 0.005;
/// Rows beyond a coincidence.
const ROWS_MIN: usize = 2;

pub(super) fn check(table: &Table) -> Judgement {
    let judged: Vec<(usize, bool, String)> = table
        .rows
        .iter()
        .enumerate()
        .filter_map(|(index, row)| read(row).map(|(is_reciprocal, text)| (index, is_reciprocal, text)))
        .collect();
    let several = judged.iter().filter(|(_, is_reciprocal, _)| *is_reciprocal).count() >= ROWS_MIN;
    let off = if several { Status::Fail } else { Status::Warn };
    let mut readings = Readings::default();
    for (row, is_reciprocal, text) in judged {
        let status = if is_reciprocal { off } else { Status::Pass };
        readings.add(table, Reading { row, concern: Concern::Kinds(&[Kind::LatencyMean]), status, text });
    }
    let words = Words {
        pass: format!("The latency is not the reciprocal of the rate in {}.", readings.read()),
        off: format!(
            "The latency is 1 / rate although several operations were in flight in {}.",
            readings.share()
        ),
        advice: "Do not read it as the time that an operation takes: multiply it by the operations in flight, or time each \
                 operation.",
        missing: "No row gives a rate, a mean latency and more than one thread or operation in flight.",
    };
    Judgement::from_readings(readings, words)
}

fn read(row: &Row) -> Option<(bool, String)> {
    if row.setting.arrivals == Some(Arrivals::Open) {
        return None;
    }
    let jobs = row.setting.in_flight_possible().or(row.setting.numjobs).filter(|jobs| *jobs > 1)?;
    let found = InFlight::from_row(row).filter(InFlight::is_printed)?;
    if found.rounding > ROUNDING_MAX {
        return None;
    }
    let is_reciprocal = (found.operations - 1.0).abs() <= found.rounding + WITHIN;
    Some((is_reciprocal, format!("{}, and {jobs} are kept in flight.", found.words())))
}
