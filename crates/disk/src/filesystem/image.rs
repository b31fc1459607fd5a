//! The file that holds a loop file system.

use super::{FilesystemError, Kind, tool};
use crate::failure::Failure;
use crate::files::{FileError, require_space};
use rustix::fs::{FallocateFlags, Mode, OFlags};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::path::Path;

const CHUNK_BYTES: u64 = 1 << 20;
const SYNC_EVERY_BYTES: u64 = 64 << 20;

/// Makes the image and a file system in it. Every block of it is written, so that the host file system allocates
/// nothing during a measurement.
pub(super) fn make(image: &Path, kind: Kind, size_bytes: u64) -> Result<(), FilesystemError> {
    let program = tool::locate(kind, kind.program(), kind.package())?;
    require_space(image.parent().unwrap_or(image), size_bytes)?;
    write_zeros(image, size_bytes)?;
    let mut arguments: Vec<&OsStr> = kind.arguments().iter().map(OsStr::new).collect();
    arguments.push(image.as_os_str());
    tool::run(&program, kind.program(), &arguments, image)
}

fn write_zeros(image: &Path, size_bytes: u64) -> Result<(), FileError> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = rustix::fs::open(image, flags, Mode::RUSR | Mode::WUSR)
        .map(File::from)
        .map_err(Failure::on("create", image))?;
    // Only for few extents; where it is missing, writing allocates just as well.
    let _ = rustix::fs::fallocate(&file, FallocateFlags::empty(), 0, size_bytes);
    let zeros = vec![0; CHUNK_BYTES as usize];
    let mut written = 0;
    while written < size_bytes {
        let length = CHUNK_BYTES.min(size_bytes - written);
        file.write_all(&zeros[..length as usize]).map_err(Failure::on("write", image))?;
        written += length;
        if written % SYNC_EVERY_BYTES == 0 {
            file.sync_data().map_err(Failure::on("write", image))?;
        }
    }
    rustix::fs::fsync(&file).map_err(Failure::on("fsync", image))?;
    crate::page_cache::drop_pages(&file).map_err(Failure::on("evict", image))?;
    Ok(())
}
