//! The file that holds a loop file system.

use super::{FilesystemError, kind, tool};
use crate::failure::Failure;
use crate::files::require_space;
use crate::kernel::fiemap;
use model::FreshFileSystem;
use rustix::fs::{FallocateFlags, Mode, OFlags};
use std::ffi::OsStr;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

const CHUNK_BYTES: u64 = 1 << 20;
const SYNC_EVERY_BYTES: u64 = 64 << 20;

/// Makes the image and a file system in it. Every block of it is written, so that the host file system allocates
/// and converts nothing during a measurement.
pub(super) fn make(image: &Path, fresh: FreshFileSystem, size_bytes: u64) -> Result<(), FilesystemError> {
    require_space(image.parent().unwrap_or(image), size_bytes)?;
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::open(image, flags, Mode::RUSR | Mode::WUSR)
        .map(File::from)
        .map_err(Failure::on("create", image))?;
    // Only for few extents; if it is missing, writing allocates just as well.
    let _ = rustix::fs::fallocate(&file, FallocateFlags::empty(), 0, size_bytes);
    write_zeros(&file, image, std::slice::from_ref(&(0..size_bytes)))?;
    make_in(image, fresh)?;
    // mkfs clears its journal with FALLOC_FL_ZERO_RANGE, which turns those blocks into unwritten extents: the
    // first journal commits would pay for the host's conversions.
    write_zeros(&file, image, &unwritten(&file, size_bytes))?;
    crate::page_cache::drop_pages(&file).map_err(Failure::on("evict", image))?;
    Ok(())
}

/// Makes a file system in a file that is there.
pub(super) fn make_in(image: &Path, fresh: FreshFileSystem) -> Result<(), FilesystemError> {
    let name = kind::program(fresh.kind());
    let program = tool::locate(fresh.kind(), name, kind::package(fresh.kind()))?;
    let mut arguments: Vec<&OsStr> = kind::arguments(fresh).into_iter().map(OsStr::new).collect();
    arguments.push(image.as_os_str());
    tool::run(&program, name, &arguments, image)
}

/// Parts of the image that are not written blocks: they read as zeros. Empty without FIEMAP.
fn unwritten(file: &File, size_bytes: u64) -> Vec<Range<u64>> {
    let mut ranges = Vec::new();
    let Ok(extents) = fiemap::extents(file) else { return ranges };
    let mut covered_to = 0;
    for extent in extents.iter().filter(|extent| !extent.unwritten) {
        if extent.offset > covered_to {
            ranges.push(covered_to..extent.offset.min(size_bytes));
        }
        covered_to = covered_to.max(extent.offset + extent.length);
    }
    if covered_to < size_bytes {
        ranges.push(covered_to..size_bytes);
    }
    ranges
}

fn write_zeros(file: &File, image: &Path, ranges: &[Range<u64>]) -> Result<(), Failure> {
    let zeros = vec![0; CHUNK_BYTES as usize];
    for range in ranges {
        let mut offset = range.start;
        while offset < range.end {
            let length = CHUNK_BYTES.min(range.end - offset);
            file.write_all_at(&zeros[..length as usize], offset).map_err(Failure::on("write", image))?;
            offset += length;
            if offset % SYNC_EVERY_BYTES == 0 {
                file.sync_data().map_err(Failure::on("write", image))?;
            }
        }
    }
    rustix::fs::fsync(file).map_err(Failure::on("fsync", image))
}
