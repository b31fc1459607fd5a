//! `/proc/self/io` (`proc_pid_io(5)`): all threads of the process. Needs `CONFIG_TASK_IO_ACCOUNTING`.

use super::text::CounterFile;
use model::mechanism::{Measured, ProcessIo};
use procfs::prelude::FromBufRead;
use procfs::process::Io;

pub(super) const PATH: &str = "/proc/self/io";

/// The process's I/O since it was born.
pub(super) fn counters(io: &CounterFile) -> Measured<ProcessIo> {
    io.text()
        .map_err(|failure| failure.to_string())
        .and_then(|text| Io::from_buf_read(text.as_bytes()).map_err(|error| format!("{PATH}: {error}")))
        .map(|io| ProcessIo {
            read_characters: io.rchar,
            written_characters: io.wchar,
            read_calls: io.syscr,
            write_calls: io.syscw,
            read_bytes: io.read_bytes,
            written_bytes: io.write_bytes,
        })
        .into()
}

pub(super) fn delta(before: &ProcessIo, after: &ProcessIo) -> ProcessIo {
    ProcessIo {
        read_characters: after.read_characters.saturating_sub(before.read_characters),
        written_characters: after.written_characters.saturating_sub(before.written_characters),
        read_calls: after.read_calls.saturating_sub(before.read_calls),
        write_calls: after.write_calls.saturating_sub(before.write_calls),
        read_bytes: after.read_bytes.saturating_sub(before.read_bytes),
        written_bytes: after.written_bytes.saturating_sub(before.written_bytes),
    }
}
