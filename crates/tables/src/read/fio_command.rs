//! The settings that a fio command above a table gives its rows.

use super::fio::{pattern, setting};
use fio::json::FioJob;
use laws::{Circumstances, Direction};
use std::collections::BTreeMap;

/// The settings that a whole command line gives the rows of a table, each of which is all jobs together. Options that a
/// script fills in (`--bs=$BS`) stay unknown.
pub(super) fn setting_of_command(options: BTreeMap<String, String>) -> Circumstances {
    const PLACEHOLDERS: &[char] = &['$', '<', '{', '%', '*', '['];
    let is_open = |names: &[&str]| {
        names.iter().any(|name| options.get(*name).is_some_and(|value| value.contains(PLACEHOLDERS)))
    };
    let opens = [
        is_open(&["rw", "readwrite"]),
        is_open(&["direct", "ioengine"]),
        is_open(&["bs", "blocksize"]),
        is_open(&["iodepth"]),
        is_open(&["numjobs"]),
        is_open(&["sync", "fsync", "fdatasync", "end_fsync"]),
        is_open(&["size", "filesize", "filename"]),
    ];
    let job = FioJob { options, is_group: true, ..FioJob::default() };
    let direction = Direction::from_pattern(pattern(&job)).ok();
    let is_mixed = direction == Some(Direction::Mixed);
    let known = setting(&job, direction.unwrap_or(Direction::Mixed), is_mixed);
    let [rw, mode, block, depth, jobs, sync, size] = opens;
    Circumstances {
        pattern: known.pattern.filter(|_| !rw),
        direction: direction.filter(|_| !rw),
        mode: known.mode.filter(|_| !mode),
        block_bytes: known.block_bytes.filter(|_| !block),
        iodepth: known.iodepth.filter(|_| !depth),
        numjobs: known.numjobs.filter(|_| !jobs),
        engine: known.engine.filter(|_| !mode),
        sync: known.sync.filter(|_| !sync && direction != Some(Direction::Read)),
        file_bytes: known.file_bytes.filter(|_| !size && !jobs),
        ..Circumstances::default()
    }
}
