//! Rows that are said to be direct and are faster than any device: they were served from memory.
//!
//! A device answers after a trip over PCIe and an interrupt or a poll: the fastest (Optane, about 5 µs for 4 KiB) and even
//! `null_blk` need more than two microseconds through `io_uring` or `pread`. On tmpfs `O_DIRECT` is accepted and ignored.

use super::{Judgement, MEASURED, Readings, Words};
use crate::latency::time;
use crate::table::{Row, Table};
use model::IoMode;
use verdict::Status;

/// No device answers earlier, ns.
const DEVICE_MIN_NS: f64 = 2000.0;

pub(super) fn check(table: &Table) -> Judgement {
    let readings = Readings::of(table, MEASURED, read);
    let words = Words {
        pass: format!("No direct row is faster than a device can be ({}).", readings.read()),
        off: format!("Direct I/O that is faster than any device: {}.", readings.share()),
        advice: "Look at what the file stood on (tmpfs, a RAM disk, a file system that ignores O_DIRECT) and count device \
                 reads and writes in /proc/diskstats; do not compare it with buffered rows.",
        missing: "No row is said to be direct and gives a smallest latency, a percentile or a mean.",
    };
    Judgement::of(readings, words)
}

fn read(row: &Row) -> Option<(Status, String)> {
    if row.setting.mode? != IoMode::Direct {
        return None;
    }
    let latency = &row.latency;
    // A low percentile may be of completions that were ready while others were still being submitted.
    let upper_half = latency.percentiles.iter().find(|percentile| percentile.quantile >= 0.5);
    let upper_half = upper_half.map(|percentile| (percentile.name(), percentile.value_ns));
    let named = |name: &str, value: Option<f64>| value.map(|value| (name.to_owned(), value));
    let (name, value) =
        named("minimum", latency.min_ns).or(upper_half).or_else(|| named("mean", latency.mean_ns))?;
    // A row without operations prints zeros.
    if value <= 0.0 && row.operations_per_s.is_none_or(|rate| rate <= 0.0) {
        return None;
    }
    let status = if value < DEVICE_MIN_NS { Status::Fail } else { Status::Pass };
    let text = format!(
        "said to be direct, and its {name} latency is {}: a device needs {} or more.",
        time(value),
        time(DEVICE_MIN_NS)
    );
    Some((status, text))
}
