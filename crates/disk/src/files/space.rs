//! Room on a file system.

use super::FileError;
use crate::failure::Failure;
use std::path::Path;

/// Bytes that an unprivileged user may still write below a directory (`f_bavail`, statvfs(3)).
pub fn space_available(directory: &Path) -> Result<u64, FileError> {
    let facts = rustix::fs::statvfs(directory).map_err(Failure::on("read the free space of", directory))?;
    Ok(facts.f_bavail * facts.f_frsize)
}

/// Refuses to begin what would fill the file system: `needed_bytes` must be available below the directory.
pub fn require_space(directory: &Path, needed_bytes: u64) -> Result<(), FileError> {
    let available_bytes = space_available(directory)?;
    if needed_bytes <= available_bytes {
        Ok(())
    } else {
        Err(FileError::NoSpace { path: directory.to_owned(), needed_bytes, available_bytes })
    }
}
