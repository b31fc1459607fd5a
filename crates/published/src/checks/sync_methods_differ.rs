//! Ways to sync that differ by more than flushes can: each makes a write durable on one drive, so the fast one did not flush it, or had
//! nothing to flush. `pg_test_fsync` with 75,012 fdatasync/s beside 1,032 fsync/s shows a file that was written already.
//!
//! An `fsync` of a file that grows writes the file system's journal too: a few flushes and seeks instead of one.

use super::judgement::{Judgement, Words};
use super::readings::{Concern, Reading, Readings};
use crate::hint;
use crate::table::{Kind, Row, Table};
use model::units::format_significant;
use std::collections::BTreeMap;
use verdict::Status;

/// Times as many syncs as by the slowest way, which flushes and journals do not explain.
const TIMES_MAX: f64 = 50.0;
/// The same for syncs so fast that no flush is in them, if another way shows that the drive's flushes are slow.
const TIMES_MAX_UNFLUSHED: f64 = 10.0;
/// Syncs per second beyond which only a drive whose flushes are fast in every way has them.
const UNFLUSHED_PER_S: f64 = 10_000.0;

/// The figures of a row that is too fast.
const CONCERNS: &[Kind] = &[Kind::Rate, Kind::Sync, Kind::LatencyMean, Kind::LatencyPercentile];

/// A row and its syncs per second.
type Rated = (usize, f64);

pub(super) fn check(table: &Table) -> Judgement {
    let mut groups: BTreeMap<(Option<&str>, Option<u64>), Vec<Rated>> = BTreeMap::new();
    for (index, row) in table.rows.iter().enumerate() {
        if let Some(rate) = rate(row) {
            groups.entry((row.study.as_deref(), row.setting.block_bytes)).or_default().push((index, rate));
        }
    }
    let mut readings = Readings::default();
    let mut found: Vec<Reading> = groups.values().flat_map(|rows| judge(table, rows)).collect();
    found.sort_by_key(|reading| reading.row);
    for reading in found {
        readings.add(table, reading);
    }
    let words = Words {
        pass: format!("The ways to sync differ by no more than flushes can in {}.", readings.read()),
        off: format!("A way to sync is too fast beside another one in {}.", readings.share()),
        advice: "Count the drive's flushes during each of them (/proc/diskstats): on macOS only F_FULLFSYNC flushes, and a drive may \
                 ignore FUA writes.",
        missing: "No two rows are named after ways to sync and give a rate.",
    };
    Judgement::from_readings(readings, words)
}

/// Writes per second that are durable one by one, of a row that is named after its way to sync.
fn rate(row: &Row) -> Option<f64> {
    row.setting.sync.filter(|sync| sync.is_each_write())?;
    let is_alone = row.setting.in_flight_possible().is_none_or(|possible| possible == 1);
    let of_latency = || row.sync.typical().or_else(|| row.latency.typical()).map(|(_, nanos)| 1e9 / nanos);
    let rate = row.operations_per_s.or_else(of_latency).filter(|rate| *rate > 0.0 && rate.is_finite())?;
    (is_alone && hint::is_method(&row.label)).then_some(rate)
}

fn judge(table: &Table, rows: &[Rated]) -> Vec<Reading> {
    let slowest = rows.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
    let Some((slowest, least)) = slowest.filter(|_| rows.len() > 1) else { return Vec::new() };
    let reading = |(row, rate): &Rated| {
        let times = rate / least;
        let most = if *rate > UNFLUSHED_PER_S { TIMES_MAX_UNFLUSHED } else { TIMES_MAX };
        let status = if times > most { Status::Warn } else { Status::Pass };
        let [rate, times, least] = [*rate, times, least].map(format_significant);
        let text = format!("{rate}/s is {times} × the {least}/s of {}.", table.rows[slowest].name());
        Reading { row: *row, concern: Concern::Kinds(CONCERNS), status, text }
    };
    rows.iter().map(reading).collect()
}
