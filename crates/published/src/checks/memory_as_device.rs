//! Figures that are given as a device's and are faster than any: page 002 takes 1.2 µs for 8 KiB, a copy from the page cache,
//! for what its SSD does.

use super::judgement::{Judgement, Words};
use super::readings::{MEASURED, Readings};
use crate::latency::time;
use crate::table::{Row, Table};
use verdict::Status;

/// No device answers earlier, ns: a trip over PCIe and an interrupt or a poll. The fastest (Optane) needs about 5 µs for
/// 4 KiB, and even `null_blk` more than two microseconds through `io_uring` or `pread`.
pub(super) const DEVICE_MIN_NS: f64 = 2000.0;

pub(super) fn check(table: &Table) -> Judgement {
    let readings = Readings::from_rows(table, MEASURED, read);
    let words = Words {
        pass: format!("Latencies attributed to a device are long enough for one in {}.", readings.read()),
        off: format!("Latencies of memory are attributed to a device in {}.", readings.share()),
        advice: "Read them as what a copy in memory costs; to learn what the device costs, read and write past the page cache or \
                 count the device's own operations.",
        missing: "No row attributes its figures to a device and gives a latency.",
    };
    Judgement::from_readings(readings, words)
}

fn read(row: &Row) -> Option<(Status, String)> {
    if !row.setting.said_of_device? {
        return None;
    }
    let (name, value) = row.latency.fastest().filter(|(_, value)| *value > 0.0)?;
    let is_memory = value + row.step(&format!("latency {name}")) < DEVICE_MIN_NS;
    let text = format!(
        "attributed to a device, but its latency ({name}) is {}: a device needs {} or more.",
        time(value),
        time(DEVICE_MIN_NS)
    );
    Some((if is_memory { Status::Fail } else { Status::Pass }, text))
}
