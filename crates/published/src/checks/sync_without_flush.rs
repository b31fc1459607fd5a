//! Syncs that do not empty the drive's cache: on macOS `fsync` and `O_SYNC` hand the data to the drive and no more (Apple's
//! fsync(2)); only `F_FULLFSYNC` flushes it. Page 003 takes `O_SYNC` there for durable.

use super::judgement::{Judgement, Words};
use super::readings::{MEASURED, Readings};
use crate::table::{Row, Sync, System, Table};
use verdict::Status;

pub(super) fn check(table: &Table) -> Judgement {
    let readings = Readings::from_rows(table, MEASURED, read);
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
    let sync = row.setting.sync.filter(|sync| *sync != Sync::Never)?;
    let flushes = match (system, sync) {
        (System::Linux, _) | (System::MacOs, Sync::FullFsync) => true,
        (System::MacOs, _) => false,
    };
    let text = format!("{} on macOS does not empty the drive's cache.", sync.name());
    Some((if flushes { Status::Pass } else { Status::Warn }, text))
}
