//! A file that the user names, to be read: looked at before it is opened, and only a regular one is.

use rustix::fs::{Mode, OFlags};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// What stands for standard input in the place of a file's name.
const STANDARD_INPUT: &str = "-";

/// Whether standard input is meant.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == STANDARD_INPUT
}

/// What a message calls it.
pub(crate) fn name(path: &Path) -> String {
    if is_standard_input(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// The content of a file, or of standard input for `-`, at most `bytes_max` and one byte more.
pub(crate) fn read_or_input(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    if !is_standard_input(path) {
        return read(path, bytes_max);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Its content, at most `bytes_max` and one byte more, by which the reader sees that there is more.
///
/// A pipe would be waited for without end, and opening a device can have effects of its own.
pub(crate) fn read(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(not_regular());
    }
    // A user who may write to the directory may have put a pipe in its place meanwhile.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(not_regular());
    }
    let mut bytes = Vec::new();
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}
