//! Reads a file of counters.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A file of counters, in one read: [`std::fs::read_to_string`] begins with 32 bytes, because such files tell no size.
pub(super) fn text_of(path: &Path) -> io::Result<String> {
    let mut text = String::with_capacity(8 << 10);
    File::open(path)?.read_to_string(&mut text)?;
    Ok(text)
}
