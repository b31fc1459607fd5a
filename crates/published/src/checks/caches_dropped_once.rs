//! Several passes over a file for one figure, and the page cache dropped before the first alone: the later passes read
//! memory. On page 004 a hint that keeps pages wins that way.

use super::judgement::{Judgement, Words};
use super::readings::{MEASURED, Readings};
use crate::table::{Direction, Row, Table};
use model::IoMode;
use verdict::Status;

pub(super) fn check(table: &Table) -> Judgement {
    let readings = Readings::from_rows(table, MEASURED, read);
    let words = Words {
        pass: format!(
            "Every pass begins with a cold cache, or cannot use a warm one, in {}.",
            readings.read()
        ),
        off: format!("Passes after the first find their pages in memory in {}.", readings.share()),
        advice: "Drop the cache before each pass, or publish each pass by itself: the figure is a mixture of the device and of \
                 memory, and what keeps pages wins it.",
        missing: "No row reads and states its number of passes and how often the cache was dropped.",
    };
    Judgement::from_readings(readings, words)
}

fn read(row: &Row) -> Option<(Status, String)> {
    let setting = &row.setting;
    if setting.direction == Some(Direction::Write) {
        return None;
    }
    let (passes, drops) = (setting.passes?, setting.cache_drops?);
    let is_too_large =
        setting.file_bytes.zip(setting.cache_bytes()).is_some_and(|(file, memory)| file > memory);
    let is_cold = drops >= passes || setting.mode == Some(IoMode::Direct) || is_too_large;
    let text = format!(
        "{passes} passes, and the cache was dropped {}.",
        if drops == 1 { "once".to_owned() } else { format!("{drops} times") }
    );
    Some((if is_cold { Status::Pass } else { Status::Warn }, text))
}
