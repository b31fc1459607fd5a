//! Buffered reads of a file that fits into memory: the page cache is measured, and no device.

use super::{Judgement, MEASURED, Readings, Words};
use crate::table::{Direction, Row, Table};
use model::IoMode;
use model::units::format_bytes_approximate;
use verdict::Status;

pub(super) fn check(table: &Table) -> Judgement {
    let readings = Readings::of(table, MEASURED, read);
    let words = Words {
        pass: format!(
            "Files are larger than the memory that could cache them, or read directly, in {}.",
            readings.read()
        ),
        off: format!("Files that fit into memory are read through the page cache in {}.", readings.share()),
        advice: "Read such rows as the speed of memory, or cap the memory below the file's size.",
        missing: "No row reads and gives its I/O mode, the file's size and the memory that could cache it.",
    };
    Judgement::of(readings, words)
}

fn read(row: &Row) -> Option<(Status, String)> {
    let setting = &row.setting;
    if setting.direction? == Direction::Write {
        return None;
    }
    if setting.mode? == IoMode::Direct {
        return Some((Status::Pass, String::new()));
    }
    let (file, memory) = (setting.file_bytes?, setting.cache_bytes()?);
    let text = format!(
        "{} reads of {} with {} of memory.",
        setting.mode?,
        format_bytes_approximate(file as f64),
        format_bytes_approximate(memory as f64)
    );
    Some((if file < memory { Status::Warn } else { Status::Pass }, text))
}
