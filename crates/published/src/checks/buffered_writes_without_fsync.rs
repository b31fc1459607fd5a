//! Buffered writes that nothing syncs: what was timed is the copy into memory, and the device's work happens later.

use super::judgement::{Judgement, Words};
use super::readings::{MEASURED, Readings};
use crate::table::{Row, Table};
use model::IoMode;
use verdict::Status;

pub(super) fn check(table: &Table) -> Judgement {
    let readings = Readings::from_rows(table, MEASURED, read);
    let words = Words {
        pass: format!("Writes are direct or synced within the measured time in {}.", readings.read()),
        off: format!("Buffered writes are not synced within the measured time in {}.", readings.share()),
        advice: "Run with end_fsync=1 (or fdatasync=N) and compare that: data that is in memory when the clock stops \
         was not written.",
        missing: "No row writes and states its I/O mode and whether it syncs.",
    };
    Judgement::from_readings(readings, words)
}

fn read(row: &Row) -> Option<(Status, String)> {
    let setting = &row.setting;
    if !setting.writes()? {
        return None;
    }
    let mode = setting.mode?;
    if mode == IoMode::Direct {
        return Some((Status::Pass, String::new()));
    }
    let synced = setting.is_synced()?;
    let text = format!("{mode} writes without end_fsync or fdatasync: measured into memory.");
    Some((if synced { Status::Pass } else { Status::Warn }, text))
}
