//! `FS_IOC_FIEMAP`: where a file's bytes are on the device (`Documentation/filesystems/fiemap.rst`).

use rustix::fd::{AsFd, AsRawFd};
use std::io;

/// `_IOWR('f', 11, struct fiemap)`.
const FS_IOC_FIEMAP: libc::Ioctl = 0xC020_660B_u32 as libc::Ioctl;
/// Write delayed allocations out first.
const FLAG_SYNC: u32 = 1;
const EXTENT_LAST: u32 = 0x1;
const EXTENT_UNWRITTEN: u32 = 0x800;
/// Extents asked for in one call.
const BATCH: usize = 256;

/// A run of a file's bytes that is allocated on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Offset in the file, bytes.
    pub offset: u64,
    /// Length, bytes. The last extent may reach beyond the file's size.
    pub length: u64,
    /// Allocated, never written: reads as zeros, and the first write is a metadata change.
    pub unwritten: bool,
}

/// `struct fiemap_extent`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct RawExtent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved_64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

/// `struct fiemap` with room for a batch of extents behind it.
#[repr(C)]
struct Request {
    start: u64,
    length: u64,
    flags: u32,
    mapped_extents: u32,
    extent_count: u32,
    reserved: u32,
    extents: [RawExtent; BATCH],
}

/// A file's extents in the order of their offsets, delayed allocations written out before.
///
/// # Errors
/// `EOPNOTSUPP` or `ENOTTY` if the file system has no FIEMAP (tmpfs, most network file systems).
pub fn extents(file: impl AsFd) -> io::Result<Vec<Extent>> {
    let mut found = Vec::new();
    let mut start = 0;
    loop {
        let mut request = Box::new(Request {
            start,
            length: u64::MAX - start,
            flags: FLAG_SYNC,
            mapped_extents: 0,
            extent_count: BATCH as u32,
            reserved: 0,
            extents: [RawExtent::default(); BATCH],
        });
        // SAFETY: the request is laid out as the kernel's `struct fiemap` followed by `extent_count` extents,
        // all initialised and owned by us; the kernel fills at most that many and keeps no pointer.
        let answer = unsafe {
            libc::ioctl(file.as_fd().as_raw_fd(), FS_IOC_FIEMAP, std::ptr::from_mut(request.as_mut()))
        };
        if answer != 0 {
            return Err(io::Error::last_os_error());
        }
        let mapped = &request.extents[..(request.mapped_extents as usize).min(BATCH)];
        found.extend(mapped.iter().map(|raw| Extent {
            offset: raw.logical,
            length: raw.length,
            unwritten: raw.flags & EXTENT_UNWRITTEN != 0,
        }));
        match mapped.last() {
            Some(last) if last.flags & EXTENT_LAST == 0 && last.length > 0 => {
                start = last.logical + last.length;
            }
            Some(_) | None => return Ok(found),
        }
    }
}

const _: () = assert!(size_of::<RawExtent>() == 56, "struct fiemap_extent is 56 bytes");
const _: () = assert!(size_of::<Request>() == 32 + 56 * BATCH, "struct fiemap is 32 bytes");
