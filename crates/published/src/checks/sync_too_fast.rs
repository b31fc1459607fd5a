//! Syncs that are faster than a device can make anything durable ([`verdict::sync_time`]): nothing was written, or nothing
//! flushed.

use super::judgement::{Judgement, Words};
use super::readings::{Concern, Reading, Readings};
use crate::latency::time;
use crate::table::{Kind, Row, Sync, Table};
use model::DurabilityClass;
use model::units::format_significant;
use verdict::Status;
use verdict::sync_time::{SYNC_MIN_NS, is_too_short};

pub(super) fn check(table: &Table) -> Judgement {
    let mut readings = Readings::default();
    for (row, published) in table.rows.iter().enumerate() {
        let found = [(by_sync as fn(&Row) -> Found, SYNC), (by_write, WRITE), (by_rate, RATE)];
        for (read, kinds) in found {
            if let Some((status, text)) = read(published) {
                readings.add(table, Reading { row, concern: Concern::Kinds(kinds), status, text });
            }
        }
    }
    let words = Words {
        pass: format!("Syncs take long enough for a device in {}.", readings.read()),
        off: format!("Syncs are faster than any device in {}.", readings.share()),
        advice: "Find out what the sync did: count the device's writes and flushes in /proc/diskstats. Memory, a file system that \
                 ignores flushes, or an fdatasync with nothing to write is as fast; persistent memory may be.",
        missing: "No row gives a sync's latency, or syncs each write and gives a latency or what was in flight.",
    };
    Judgement::from_readings(readings, words)
}

type Found = Option<(Status, String)>;

const SYNC: &[Kind] = &[Kind::Sync];
const WRITE: &[Kind] = &[Kind::LatencyMean, Kind::LatencySd, Kind::LatencyExtreme, Kind::LatencyPercentile];
const RATE: &[Kind] = &[Kind::Rate, Kind::Bandwidth];

fn judge(nanos: f64, most: f64, text: String) -> Found {
    (nanos > 0.0).then_some((if is_too_short(most) { Status::Fail } else { Status::Pass }, text))
}

/// Half of the syncs, or all of them on average: some find nothing to write.
fn by_sync(row: &Row) -> Found {
    let (name, nanos) = row.sync.typical()?;
    let text = format!("a sync takes {} ({name}): {}.", time(nanos), needed());
    judge(nanos, nanos + row.step(&format!("sync latency {name}")), text)
}

/// `O_SYNC`, `O_DSYNC`, and databases that sync: the write ends when it is durable.
fn by_write(row: &Row) -> Found {
    let is_held = |sync: &Sync| !sync.is_call() || row.setting.latency_holds_sync;
    let sync = row.setting.sync.filter(|sync| sync.is_each_write() && is_held(sync))?;
    let (name, nanos) = row.latency.typical()?;
    let joined = if sync.is_call() { "with" } else { "by" };
    let text = format!("a write {joined} {} takes {} ({name}): {}.", sync.name(), time(nanos), needed());
    judge(nanos, nanos + row.step(&format!("latency {name}")), text)
}

/// A sync covers no more writes than can be in flight.
fn by_rate(row: &Row) -> Found {
    let durable = match row.setting.sync {
        Some(sync) => sync.is_each_write().then(|| format!("with {}", sync.name()))?,
        None => row
            .setting
            .durability
            .filter(|class| *class == DurabilityClass::Power)
            .map(|_| "made durable".to_owned())?,
    };
    if row.setting.writes() == Some(false) {
        return None;
    }
    let rate = row.operations_per_s.filter(|rate| *rate > 0.0)?;
    // A thread that syncs each write waits for it.
    let possible = row.setting.in_flight_possible().or(row.setting.numjobs)? as f64;
    let nanos = possible / rate * 1e9;
    let text = format!(
        "{}/s {durable} by each of {} in flight leaves {} for one: {}.",
        format_significant(rate),
        format_significant(possible),
        time(nanos),
        needed()
    );
    judge(nanos, nanos * (1.0 + row.rounding("iops", rate)), text)
}

fn needed() -> String {
    format!("a drive needs {} or more", time(SYNC_MIN_NS))
}
