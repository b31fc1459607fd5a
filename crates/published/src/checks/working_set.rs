//! Buffered reads of a file that fits into memory: the page cache is measured, and no device.
//!
//! Without the sizes of file and memory the fastest read decides: no device answers within two microseconds, so it was
//! copied from memory. A row that was made warm on purpose says itself what it measures.

use super::judgement::{Judgement, Words};
use super::memory_as_device::DEVICE_MIN_NS;
use super::readings::{MEASURED, Readings};
use crate::latency::time;
use crate::table::{Cache, Direction, Row, Table};
use model::IoMode;
use model::units::{format_bytes_approximate, format_significant};
use verdict::Status;

/// Share of the page cache up to which a row is the device's: a run from a cold start reads some blocks twice.
const HIT_SHARE_MAX: f64 = 0.05;

pub(super) fn check(table: &Table) -> Judgement {
    let readings = Readings::from_rows(table, MEASURED, read);
    let words = Words {
        pass: format!(
            "Files are larger than the memory that could cache them, read directly, or cold or warm by intention, in {}.",
            readings.read()
        ),
        off: format!("The page cache served reads, all or in part, in {}.", readings.share()),
        advice: "Read such rows as the speed of memory in whole or in part, or cap the memory below the file's size.",
        missing: "No row reads and gives its I/O mode, the file's size and the memory that could cache it, or a latency that gives \
                  memory away.",
    };
    Judgement::from_readings(readings, words)
}

fn read(row: &Row) -> Option<(Status, String)> {
    let setting = &row.setting;
    if setting.direction? == Direction::Write {
        return None;
    }
    let mode = setting.mode?;
    if mode == IoMode::Direct || setting.cache == Some(Cache::Warm) {
        return Some((Status::Pass, String::new()));
    }
    let (Some(file), Some(memory)) = (setting.file_bytes, setting.cache_bytes()) else {
        return copied(row, mode);
    };
    let share = row.page_cache_hit_share;
    let is_cached = file < memory && share.is_none_or(|share| share > HIT_SHARE_MAX);
    let told = share.map_or(String::new(), |share| {
        format!(": {} % of the bytes came from there", format_significant(share * 100.0))
    });
    let text = format!(
        "{mode} reads of {} with {} of memory{told}.",
        format_bytes_approximate(file as f64),
        format_bytes_approximate(memory as f64)
    );
    Some((if is_cached { Status::Warn } else { Status::Pass }, text))
}

/// A row without sizes: a fastest read that no device can have given. A slower one tells nothing.
fn copied(row: &Row, mode: IoMode) -> Option<(Status, String)> {
    let is_copy = |nanos: &f64| *nanos > 0.0 && *nanos + row.step("latency min") < DEVICE_MIN_NS;
    let fastest = row.latency.min_ns.filter(is_copy)?;
    let text = format!(
        "{mode} reads, and the fastest took {}, a copy from memory: at least a part of them came from the page cache.",
        time(fastest)
    );
    Some((Status::Warn, text))
}
