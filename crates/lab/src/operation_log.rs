//! The log of operations that a worker wrote into the work directory.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Opens it, and takes its name away: what it holds goes into the run directory.
pub(crate) fn take(written: &Path) -> io::Result<File> {
    let file = File::open(written)?;
    fs::remove_file(written)?;
    Ok(file)
}
