//! Syncs that do not empty the drive's cache: on macOS `fsync` and `O_SYNC` hand the data to the drive and no more (Apple's
//! fsync(2)); only `F_FULLFSYNC` flushes it. Page 003 takes `O_SYNC` there for durable.

use super::judgement::{Judgement, Words};
use super::readings::Readings;
use crate::latency::time;
use crate::table::{Direction, Kind, Row, Sync, System, Table};
use verdict::Status;

/// No Mac's drive empties its cache earlier, ns: those measured take some milliseconds for an `F_FULLFSYNC`, a plain fsync some
/// tens of microseconds.
const FULL_SYNC_MIN_NS: f64 = 500_000.0;

/// The figures of what is synced.
const CONCERNS: &[Kind] = &[
    Kind::Rate,
    Kind::Bandwidth,
    Kind::LatencyMean,
    Kind::LatencySd,
    Kind::LatencyExtreme,
    Kind::LatencyPercentile,
    Kind::CommitRate,
    Kind::Sync,
    Kind::Commit,
];

pub(super) fn check(table: &Table) -> Judgement {
    let readings = Readings::from_rows(table, CONCERNS, read);
    let words = Words {
        pass: format!("Syncs flush the drive's cache in {}.", readings.read()),
        off: format!("Syncs leave the data in the drive's cache in {}.", readings.share()),
        advice: "Run it with fcntl(F_FULLFSYNC), as databases do on macOS, or do not call it durable.",
        missing: "No row states its operating system and how it syncs.",
    };
    Judgement::from_readings(readings, words)
}

fn read(row: &Row) -> Option<(Status, String)> {
    let system = row.setting.system?;
    if row.setting.direction == Some(Direction::Read) {
        return None;
    }
    let Some(sync) = row.setting.sync else { return unnamed(row, system) };
    if sync == Sync::Never {
        return None;
    }
    let text = format!("{} on macOS does not empty the drive's cache.", sync.name());
    Some((if sync.empties_cache(system) { Status::Pass } else { Status::Warn }, text))
}

/// A sync whose call is not named: its time says whether the cache was emptied.
fn unnamed(row: &Row, system: System) -> Option<(Status, String)> {
    let (name, nanos) = row.sync.typical().filter(|(_, nanos)| *nanos > 0.0)?;
    let is_brief = nanos + row.step(&format!("sync latency {name}")) < FULL_SYNC_MIN_NS;
    let text = format!(
        "a sync on macOS takes {} ({name}): an F_FULLFSYNC needs {} or more.",
        time(nanos),
        time(FULL_SYNC_MIN_NS)
    );
    (system == System::MacOs).then_some((if is_brief { Status::Warn } else { Status::Pass }, text))
}
