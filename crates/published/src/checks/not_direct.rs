//! Rows that are stated to be direct and are faster than any device: they were served from memory. On tmpfs `O_DIRECT` is
//! accepted and ignored.

use super::judgement::{Judgement, Words};
use super::memory_as_device::DEVICE_MIN_NS;
use super::readings::{MEASURED, Readings};
use crate::latency::time;
use crate::table::{Row, Table};
use model::IoMode;
use verdict::Status;

pub(super) fn check(table: &Table) -> Judgement {
    let readings = Readings::from_rows(table, MEASURED, read);
    let words = Words {
        pass: format!("No direct row is faster than a device ({}).", readings.read()),
        off: format!("Direct I/O is faster than any device in {}.", readings.share()),
        advice: "Check what held the file (tmpfs, a RAM disk, a file system that ignores O_DIRECT) and count device \
                 reads and writes in /proc/diskstats; do not compare it with buffered rows.",
        missing: "No row states that it is direct and gives a minimum latency, a percentile or a mean.",
    };
    Judgement::from_readings(readings, words)
}

fn read(row: &Row) -> Option<(Status, String)> {
    if row.setting.mode? != IoMode::Direct {
        return None;
    }
    let (name, value) = row.latency.fastest()?;
    // A row without operations prints zeros.
    if value <= 0.0 && row.operations_per_s.is_none_or(|rate| rate <= 0.0) {
        return None;
    }
    let most = value + row.step(&format!("latency {name}"));
    let status = if most < DEVICE_MIN_NS { Status::Fail } else { Status::Pass };
    let text = format!(
        "stated to be direct, but its {} latency is {}: a device needs {} or more.",
        if name == "min" { "minimum" } else { &name },
        time(value),
        time(DEVICE_MIN_NS)
    );
    Some((status, text))
}
